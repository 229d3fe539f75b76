/* Hit latency of every data-cache level, and of memory: see latencies.c. */
#include "latencies.h"
#include "table.h"

const struct hwc_probe hwc_probe_cache_latency = {
    .name = "latency",
    .summary = "hit latency of every data-cache level, and of memory",
    .source = "Yotov et al., SIGMETRICS 2005, 4.1.1 and 4.2",
    .needs = {HWC_CACHE_SIZE},
    .provides = {HWC_CACHE_LATENCY, HWC_CACHE_MISS_PENALTY, HWC_MEMORY_LATENCY},
    .basic = true,
    .run = hwc_time_latencies,
};
