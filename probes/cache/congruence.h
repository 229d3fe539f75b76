/* Congruence classes: over how many sets are lines at one place (line offset) of
 * their pages spread?
 *
 * Pages are in random physical order, so lines at one place are spread evenly
 * over all sets that this place can map to. An eviction set evicts the other
 * lines of its congruence class and no others, so the share of lines that it
 * evicts is one over the number of sets (Vila et al., S&P 2019). Lines at another
 * place map to the same sets if the index combines bits of the page's address
 * with those of the place: a short period, or a hash. */
#ifndef HWC_CONGRUENCE_H
#define HWC_CONGRUENCE_H

#include "conflict_test.h"

/* For a line whose eviction set hwc_find_eviction_set found: *sets is how many sets lines at its place map to, *places
 * how many places of a page, its own included, map to the same sets. `used`: candidates that the search has looked at;
 * tests begin after them. HWC_INCONCLUSIVE if too few lines are left to tell, or the places that seem to share
 * sets are no even share of a page. */
int hwc_count_classes(struct hwc_conflict_test *test, uint64_t line, size_t used, uint64_t line_bytes, uint64_t *sets,
                      uint64_t *places, struct hwc_error *error);

/* The one number of sets, a power of two or three times one, that explains why `hits` of so many lines shared a set; 0
 * if none does, or more than one. Pure. */
uint64_t hwc_classes_of(size_t hits, size_t lines);

#endif
