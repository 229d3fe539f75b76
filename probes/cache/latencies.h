/* Hit latency of every data-cache level, and of memory: what two probes ask, at different times. */
#ifndef HWC_LATENCIES_H
#define HWC_LATENCIES_H

#include "lab.h"
#include "profile.h"

/* HWC_CACHE_LATENCY of the profile's caches and HWC_MEMORY_LATENCY, in cycles, and the miss penalties that follow. */
int hwc_time_latencies(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error);

#endif
