/* Time stamps and fences of riscv64. */
#include "kernels.h"

int native_can_flush(void)
{
    return 0; /* cbo.flush is an extension, and the kernel need not enable it for user code */
}

void native_flush_line(const void *address)
{
    (void)address;
}

void native_fence(void)
{
    __asm__ volatile("fence" : : : "memory");
}

uint64_t native_ticks(void)
{
    uint64_t ticks;

    __asm__ volatile("fence\n\trdtime %0\n\tfence" : "=r"(ticks) : : "memory");
    return ticks;
}
