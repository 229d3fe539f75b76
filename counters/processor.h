/* What counting needs from the processor: a folder for each architecture that provides it, and one for all others. */
#ifndef HWC_COUNTERS_PROCESSOR_H
#define HWC_COUNTERS_PROCESSOR_H

#include <stdbool.h>
#include <stdint.h>

/* The family of this CPU, as it identifies itself, if its table holds raw
 * encodings because libpfm4 does not know it; else NULL. */
const char *ctr_raw_family(void);

/* Is there an instruction that reads a counter without the kernel? */
bool ctr_can_read_pmc(void);

/* Read the counter with this index. Call it only if ctr_can_read_pmc() and the kernel allows it. */
uint64_t ctr_read_pmc(uint32_t index);

#endif
