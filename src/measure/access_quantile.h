/* What references take, one by one: the time that all but a share of some stay below, found by asking again and again how
 * many are slower than some time. */
#ifndef HWC_ACCESS_QUANTILE_H
#define HWC_ACCESS_QUANTILE_H

#include "error.h"

/* Which share of the references takes more than slow_cycles? */
typedef int (*hwc_ask_slow)(const void *context, double slow_cycles, double *share, struct hwc_error *error);

/* Cycles that all but `share` of the references stay below, to within this part of it; 4096 if there is no such time. The
 * least of several searches, as disturbances only add to the time of references. */
int hwc_least_quantile(hwc_ask_slow ask, const void *context, double share, double resolution, double *cycles,
                       struct hwc_error *error);

#endif
