/* A value that the clock gave, or what was tried out while it ran, in one reading. */
#ifndef HWC_FINDING_BY_CLOCK_H
#define HWC_FINDING_BY_CLOCK_H

#include "finding.h"

/* It counts as one vote. */
void hwc_finding_by_clock(struct hwc_finding *finding, double value);

#endif
