/* AArch64's instructions that read counters. */
#ifndef ARM_COUNTER_H
#define ARM_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

/* MRS of PMEVCNTR<n>_EL0 (op1 3, CRn 14, CRm 8 + n / 8, op2 n % 8; n up to 30), or of PMCCNTR_EL0 (3, 9, 13, 0), whose
 * index is 31. */
static inline bool reads_arm_counter(uint32_t code, uint32_t *index)
{
    const uint32_t of_cycles = 31;
    bool reads_cycles = (code & 0xffffffe0) == 0xd53b9d00;

    *index = reads_cycles ? of_cycles : code >> 5 & 31;
    return reads_cycles || ((code & 0xfffffc00) == 0xd53be800 && *index < of_cycles);
}

#endif
