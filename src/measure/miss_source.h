/* What of the misses of loads can be counted here, level by level. */
#ifndef HWC_MISS_SOURCE_H
#define HWC_MISS_SOURCE_H

#include "lab.h"

enum { HWC_MISS_SOURCES = HWC_MAX_CACHE_LEVEL + 2 };

struct hwc_miss_source {
    char of[16]; /* "L1", "DTLB1" */
    unsigned level;
    bool of_tlb;
    const struct hwc_witness *witness;
};

static inline bool hwc_is_counted(const struct hwc_miss_source *source)
{
    return hwc_counts_events(source->witness);
}

/* The data caches and the data TLBs, the nearest first. Returns how many. */
unsigned hwc_miss_sources(const struct hwc_lab *lab, struct hwc_miss_source sources[HWC_MISS_SOURCES]);

#endif
