/* The first set that is full: a line that does not fit beside the kept ones, and those that compete with it. */
#ifndef HWC_FULL_SET_H
#define HWC_FULL_SET_H

#include "conflict_free_set.h"

/* Draw candidates, grow the kept set until one is rejected, and find which of the kept compete with it. */
int hwc_find_full_set(struct hwc_conflict_test *test, size_t *used, struct hwc_rejected *rejected, size_t *competitors,
                      struct hwc_error *error);

/* How many misses from which on lines conflict: a share of what the rejected line costs. */
int hwc_set_threshold(struct hwc_conflict_test *test, uint64_t rejected, struct hwc_error *error);

#endif
