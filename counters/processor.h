/* What counting needs from the processor: a folder for each architecture that provides it, and one for all others. */
#ifndef HWC_COUNTERS_PROCESSOR_H
#define HWC_COUNTERS_PROCESSOR_H

#include <stdbool.h>
#include <stdint.h>

/* Is there an instruction that reads a counter without the kernel? */
bool ctr_can_read_pmc(void);

/* Read the counter with this index. Call it only if ctr_can_read_pmc() and the kernel allows it. */
#ifdef __x86_64__
#include "x86_64/read_pmc.h"
#else
uint64_t ctr_read_pmc(uint32_t index);
#endif

#endif
