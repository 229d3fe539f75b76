/* Eviction sets: the fewest lines that put one line out of a level, wherever their pages lie.
 *
 * Of many lines at one place of their pages, a prefix is searched by halves
 * that just puts the line out: its last line shares the line's set. It goes to
 * the front, and so on, until those at the front do it alone (the last straw;
 * Zhao et al., ASPLOS 2024). A set so found is as large as the level has ways.
 *
 * Some lines are fillers: they share the line's set in the levels above and
 * empty these, and are so few that they leave it where it is here. */
#ifndef HWC_EVICTION_SET_H
#define HWC_EVICTION_SET_H

#include "conflict_test.h"

/* Draws nothing: the candidates are as they were drawn, and the first is the line. The kept lines are then fillers and
 * the set, with those marked that compete with it. *used: candidates that were looked at. HWC_INCONCLUSIVE where no
 * small set puts it out. For meters that ask about the last line alone. */
int hwc_find_eviction_set(struct hwc_conflict_test *test, size_t *used, size_t *competitors, struct hwc_error *error);

#endif
