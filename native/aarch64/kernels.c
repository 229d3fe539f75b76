/* Time stamps, fences and flushes of aarch64. */
#include "kernels.h"

int native_can_flush(void)
{
    return 1; /* Linux sets SCTLR_EL1.UCI: dc civac is open to user code */
}

void native_flush_line(const void *address)
{
    __asm__ volatile("dc civac, %0" : : "r"(address) : "memory");
}

void native_fence(void)
{
    __asm__ volatile("dsb sy\n\tisb" : : : "memory");
}

/* The generic timer is the only clock that user code has. It may tick far more
 * slowly than the core, but measured steps last long enough for it. */
uint64_t native_ticks(void)
{
    uint64_t ticks;

    __asm__ volatile("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(ticks) : : "memory");
    return ticks;
}
