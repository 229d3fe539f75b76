#include "processor.h"

bool ctr_can_read_pmc(void)
{
    return true;
}

uint64_t ctr_read_pmc(uint32_t index)
{
    uint32_t low, high;

    __asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index));
    return (uint64_t)high << 32 | low;
}
