/* Congruence classes: of the lines at one place of a page, one of how many shares
 * a set with a given line?
 *
 * Pages lie anywhere, so lines at one place of them are spread evenly over all
 * sets that this place can get to. A set that is known, filled with its own
 * lines, puts the others of its class out and no more; the share of lines that
 * it puts out is that of one set (Vila et al., S&P 2019). Lines at another place
 * share these sets where the index takes bits of the page's address to the bits
 * of the place: a short period, or a hash. */
#ifndef HWC_CONGRUENCE_H
#define HWC_CONGRUENCE_H

#include "conflict_test.h"

/* Of a set found by hwc_find_eviction_set for this line: how many sets lines at its place get to, and how many places of
 * a page, with it, get to the same. `used`: candidates that the search has looked at; others are drawn from those
 * behind. HWC_INCONCLUSIVE where too few lines are left to tell, or no even share of the places shares sets. */
int hwc_count_classes(struct hwc_conflict_test *test, uint64_t line, size_t used, uint64_t line_bytes, uint64_t *sets,
                      uint64_t *places, struct hwc_error *error);

/* The one number of sets, a power of two or three times one, that explains that of so many lines `hits` shared one; 0
 * where there is none, or more than one. Pure. */
uint64_t hwc_classes_of(size_t hits, size_t lines);

#endif
