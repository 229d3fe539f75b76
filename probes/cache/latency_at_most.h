/* Latencies that are longer than references drawn at random allow: chains timed while others put their lines out. */
#ifndef HWC_LATENCY_AT_MOST_H
#define HWC_LATENCY_AT_MOST_H

#include "lab.h"
#include "profile.h"

/* What loads drawn at random allow of a level's latency, or of memory's, at most. */
double hwc_latency_at_most(const struct hwc_lab *lab, const struct hwc_fitted_cycles *fitted);

/* Discard what takes longer than what the levels above leave of a footprint (most_of_rest.h): values and bounds of levels
 * below the first, where the sizes above are known. */
void hwc_discard_beyond_rest(const struct hwc_lab *lab, struct hwc_profile *profile);

/* Discard values that not all votes agree on and that are longer than all that points allow, of levels that these do not
 * tell for certain. (What they do tell counts in place of such a value.) */
void hwc_discard_beyond_untold(const struct hwc_lab *lab, const struct hwc_levels_fit *fit, struct hwc_profile *profile);

#endif
