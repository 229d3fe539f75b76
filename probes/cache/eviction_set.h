/* Eviction sets: the fewest lines that evict one line, the target, from a level, wherever their pages lie.
 *
 * Among many lines at one place of their pages, bisection finds the shortest
 * prefix that evicts the target: its last line shares the target's set. That line
 * goes to the front, and the search repeats until the lines at the front evict
 * the target alone (the last straw; Zhao et al., ASPLOS 2024). The set found has
 * as many lines as the level has ways.
 *
 * Some lines are fillers: they share the target's set in the levels above and
 * evict it there, and are too few to evict it from this level. */
#ifndef HWC_EVICTION_SET_H
#define HWC_EVICTION_SET_H

#include "conflict_test.h"

/* The candidates must have been drawn; the first is the target. Leaves the fillers and the set as the kept lines, and
 * marks those that compete with the target. *used: candidates that were looked at. HWC_INCONCLUSIVE if no small set
 * evicts it. For meters that read only the last line. */
int hwc_find_eviction_set(struct hwc_conflict_test *test, size_t *used, size_t *competitors, struct hwc_error *error);

#endif
