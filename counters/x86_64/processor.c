#include "processor.h"

bool ctr_can_read_pmc(void)
{
    return true;
}
