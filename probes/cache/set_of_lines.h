/* Lines of one set of a level, for probes that visit them in an order of their own. */
#ifndef HWC_SET_OF_LINES_H
#define HWC_SET_OF_LINES_H

#include "conflict.h"

enum { HWC_SET_LINES = 64, HWC_SET_EVICTORS = 128 };

/* Lines of one set of the level, and evictors, which follow each visit: they
 * evict the line from the levels above and stay out of this set. At the first
 * level they are one line of another set, as a spacer: a visit right after a miss
 * may reach the set before the missing line is filled. */
struct hwc_set {
    uint64_t line[HWC_SET_LINES];
    size_t lines;
    uint64_t evictor[HWC_SET_EVICTORS];
    size_t evictors;
};

/* Is the level known so well that so many lines of one of its sets can be had? */
bool hwc_is_set_known(const struct hwc_level *level, size_t lines);

/* Find `wanted` lines of a random set, with up to `evictors` evictors. HWC_INCONCLUSIVE with the reason if there are
 * too few; HWC_UNAVAILABLE if more are wanted than struct hwc_set holds. */
int hwc_find_set(struct hwc_lab *lab, const struct hwc_conflict_plan *plan, size_t wanted, size_t evictors,
                 struct hwc_set *set, struct hwc_error *error);

#endif
