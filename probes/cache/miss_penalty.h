/* What a miss of each level adds to a load, by the latencies that were found. */
#ifndef HWC_MISS_PENALTY_H
#define HWC_MISS_PENALTY_H

#include "profile.h"

void hwc_report_penalties(struct hwc_profile *profile);

#endif
