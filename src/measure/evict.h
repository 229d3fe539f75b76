/* Does a walk put a line out of a level? Access the line, go through the walk,
 * access the line again and time that (Liu et al., S&P 2015; Vila et al., S&P
 * 2019). The walk's own references are not timed, so it is asked a hundred
 * times as fast as what the walk as a whole misses, and one miss among
 * thousands of hits stands out. Where the clock comes in steps, many tries show both as shares of steps.
 *
 * It can be fooled by a policy that keeps the one line for longer than the
 * walk's (the walk is gone through more than once), and by translation (the
 * line's page is visited just before). */
#ifndef HWC_EVICT_H
#define HWC_EVICT_H

#include "lab.h"

struct hwc_eviction {
    unsigned level; /* asked by the clock */
    const struct hwc_arena *arena;
    const struct hwc_walk *walk; /* does not visit the line, nor its page's middle */
    uint64_t line;               /* offset */
    bool certain;                /* both ways; else a doubt that it stays is enough to have it put out */
};

/* The share of tries in which the line was put out: 0 or 1, or between them where policies leave it to chance. */
int hwc_share_evicted(struct hwc_lab *lab, const struct hwc_eviction *eviction, double *share,
                      struct hwc_error *error);

#endif
