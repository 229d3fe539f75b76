/* What two looks at a latency, that lie long apart in time, say together. */
#ifndef HWC_TWO_LATENCIES_H
#define HWC_TWO_LATENCIES_H

#include "finding.h"

/* Where they agree, the closer of the two; what only one of them tells, if any. Where they contradict each other, what
 * others do may have made either too long, or what is taken off too short: bounds that hold both, or nothing. */
void hwc_join_latencies(struct hwc_finding *first, const struct hwc_finding *second);

/* The same of a latency that others can only make longer: of two that contradict each other, the lesser. */
void hwc_lesser_latency(struct hwc_finding *first, const struct hwc_finding *second);

#endif
