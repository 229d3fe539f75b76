/* What counting asks of the processor itself: a folder for each architecture that has an answer, and one for all others. */
#ifndef HWC_COUNTERS_PROCESSOR_H
#define HWC_COUNTERS_PROCESSOR_H

#include <stdbool.h>
#include <stdint.h>

/* The family of this CPU where libpfm4 does not know it (raw encodings), as the
 * processor names itself. NULL when it is none of those, or does not say. */
const char *ctr_raw_family(void);

/* Is there an instruction that reads a counter without the kernel? */
bool ctr_can_read_pmc(void);

/* The counter of this number; only where it can be read, and the kernel allows it. */
uint64_t ctr_read_pmc(uint32_t index);

#endif
