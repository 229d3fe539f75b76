/* Extending the conflict-free set, line by line. */
#ifndef HWC_CONFLICT_FREE_SET_H
#define HWC_CONFLICT_FREE_SET_H

#include "conflict_test.h"

/* Lines that were rejected because they conflict: how many, the one that cost the most misses, and the last. */
struct hwc_rejected {
    size_t count;
    uint64_t line;
    double misses;
    uint64_t last;
};

/* Extend the kept set from `candidates`, in batches that double while all fit
 * and halve when something does not. Ends when `patience` lines in a row did not
 * fit, `enough` were rejected in all, or no candidates are left. */
int hwc_extend_conflict_free_set(struct hwc_conflict_test *test, const uint64_t *candidates, size_t available,
                                 size_t patience, size_t enough, size_t *used, struct hwc_rejected *rejected,
                                 struct hwc_error *error);

#endif
