/* The first full set: a line that does not fit beside the kept ones, and the kept lines that compete with it. */
#ifndef HWC_FULL_SET_H
#define HWC_FULL_SET_H

#include "conflict_free_set.h"

/* Draw candidates, grow the kept set until one is rejected, and find which kept lines compete with it; or, if lines are
 * tested one at a time, find the eviction sets of candidates until two have as many lines: the first candidate is then
 * the last target. */
int hwc_find_full_set(struct hwc_conflict_test *test, size_t *used, struct hwc_rejected *rejected, size_t *competitors,
                      struct hwc_error *error);

/* Set the number of misses above which lines conflict: a share of what the rejected line costs. */
int hwc_set_threshold(struct hwc_conflict_test *test, uint64_t rejected, struct hwc_error *error);

#endif
