#include "processor.h"

#include <stddef.h>

const char *ctr_raw_family(void)
{
    return NULL;
}

/* User space reads no programmable counter by CSR unless the kernel sets scounteren for it; read() serves all. */
bool ctr_can_read_pmc(void)
{
    return false;
}

uint64_t ctr_read_pmc(uint32_t index)
{
    (void)index;
    return 0;
}
