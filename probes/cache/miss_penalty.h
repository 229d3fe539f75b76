/* What a miss of each level adds to a load, by the latencies that were found: bounds, where these may be off by much of
 * what they differ by. */
#ifndef HWC_MISS_PENALTY_H
#define HWC_MISS_PENALTY_H

#include "profile.h"

/* The share by which all cycles of a run may be off: machine.h. */
void hwc_report_penalties(double cycles_off, struct hwc_profile *profile);

#endif
