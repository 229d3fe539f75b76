/* Latencies that are longer than references drawn at random allow (most_of_rest.h): chains timed while others put their
 * lines out, all votes alike. */
#ifndef HWC_LATENCY_AT_MOST_H
#define HWC_LATENCY_AT_MOST_H

#include "lab.h"
#include "profile.h"

/* Discard them, values and bounds, of levels below the first whose levels above are known. */
void hwc_discard_beyond_rest(const struct hwc_lab *lab, struct hwc_profile *profile);

#endif
