/* Time stamps, fences and flushes of x86-64. */
#include "kernels.h"

int native_can_flush(void)
{
    return 1; /* clflush is part of x86-64 */
}

void native_flush_line(const void *address)
{
    __asm__ volatile("clflush (%0)" : : "r"(address) : "memory");
}

void native_fence(void)
{
    __asm__ volatile("mfence\n\tlfence" : : : "memory");
}

uint64_t native_ticks(void)
{
    uint32_t low, high;

    __asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high) : : "memory");
    return (uint64_t)high << 32 | low;
}
