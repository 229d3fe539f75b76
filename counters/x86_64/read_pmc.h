/* The instruction that reads a counter, in line: it stands right before and behind what is measured. */
#ifndef HWC_COUNTERS_X86_64_READ_PMC_H
#define HWC_COUNTERS_X86_64_READ_PMC_H

#include <stdint.h>

static inline uint64_t ctr_read_pmc(uint32_t index)
{
    uint32_t low, high;

    __asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index));
    return (uint64_t)high << 32 | low;
}

#endif
