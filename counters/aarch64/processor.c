#include "processor.h"

bool ctr_can_read_pmc(void)
{
    return true; /* where the kernel lets it: its page says so */
}

/* Each counter has a register of its own. What came before the barrier is done when it is read. */
#define READ(name) __asm__ volatile("isb\n\tmrs %0, " name : "=r"(value)::"memory")
#define CASE(n)                      \
    case n:                          \
        READ("pmevcntr" #n "_el0"); \
        break;

/* The last index is the cycle counter's (arm_pmuv3.c, armv8pmu_user_event_idx). */
uint64_t ctr_read_pmc(uint32_t index)
{
    uint64_t value;

    switch (index) {
        CASE(0) CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) CASE(7) CASE(8) CASE(9) CASE(10)
        CASE(11) CASE(12) CASE(13) CASE(14) CASE(15) CASE(16) CASE(17) CASE(18) CASE(19) CASE(20)
        CASE(21) CASE(22) CASE(23) CASE(24) CASE(25) CASE(26) CASE(27) CASE(28) CASE(29) CASE(30)
    default:
        READ("pmccntr_el0");
        break;
    }
    return value;
}
