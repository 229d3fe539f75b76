/* Congruence classes: over how many sets are lines at one place (line offset) of
 * their pages spread, and which other places map to the same sets?
 *
 * A line's eviction set without some of its lines leaves it cached. Random lines
 * added to them fill the gap if enough of them fall into the set: how many that
 * takes tells the number of sets (class_count.h). Lines at another place do so
 * only if they map to the same sets, as they do if the index combines bits of the
 * page's address with those of the place: a short period, or a hash. */
#ifndef HWC_CONGRUENCE_H
#define HWC_CONGRUENCE_H

#include "conflict_test.h"

/* After hwc_find_eviction_set found a set of so many ways and lines of so many bytes: *sets is how many sets lines at
 * its place map to, *places how many lines' places of a page, its own included, map to the same sets; *ways becomes more
 * where another set has one or two more. Shuffles the candidates, and may look for the sets of other targets.
 * HWC_INCONCLUSIVE if noise or too few candidates hide the number, or which places share sets. */
int hwc_count_classes(struct hwc_conflict_test *test, size_t *ways, uint64_t level_line_bytes, uint64_t *sets,
                      uint64_t *places, struct hwc_error *error);

#endif
