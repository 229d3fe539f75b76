/* Growing the conflict-free set, line by line. */
#ifndef HWC_GROW_H
#define HWC_GROW_H

#include "question.h"

/* Lines that were turned away: how many, the one that cost most, and the last. */
struct hwc_strangers {
    size_t count;
    uint64_t line;
    double misses;
    uint64_t last;
};

/* Lines that are taken on trust: one, or by the clock without fillers as many
 * as it takes to get past the levels above. */
size_t hwc_lines_on_trust(const struct hwc_search *search);

/* Do so many of the lines conflict, held against the first half of the kept
 * ones? Lines that were let in together by mistake would pass for the measure
 * of all others. */
int hwc_conflict_with_half(struct hwc_search *search, size_t count, bool *conflict, struct hwc_error *error);

/* Grow the kept set from `candidates`, in batches that double while all fit
 * and halve when something does not. Ends when `patience` lines in a row were
 * turned away, or `enough` in all. */
int hwc_grow(struct hwc_search *search, const uint64_t *candidates, size_t available, size_t patience, size_t enough,
             size_t *used, struct hwc_strangers *strangers, struct hwc_error *error);

#endif
