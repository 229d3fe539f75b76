/* Lines of one set of a level, for probes that visit it in an order of their own. */
#ifndef HWC_SET_OF_LINES_H
#define HWC_SET_OF_LINES_H

#include "conflict.h"

enum { HWC_SET_LINES = 64, HWC_SET_EVICTORS = 128 };

/* Lines of one set of the level, and others that put them out of the levels
 * above without getting in their way: they stand behind each visit. At the first
 * level it is one line of another set: a visit right behind one that missed may
 * reach the set before the line that missed is in it. */
struct hwc_set {
    uint64_t line[HWC_SET_LINES];
    size_t lines;
    uint64_t evictor[HWC_SET_EVICTORS];
    size_t evictors;
};

/* Find a set of `wanted` lines at random, with up to so many evictors. HWC_INCONCLUSIVE with the reason when too few are
 * to be had. */
int hwc_find_set(struct hwc_lab *lab, const struct hwc_conflict_plan *plan, size_t wanted, size_t evictors,
                 struct hwc_set *set, struct hwc_error *error);

#endif
