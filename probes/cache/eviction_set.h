/* Eviction sets: the fewest lines that evict one line, the target, from a level, wherever their pages lie.
 *
 * Lines at one place of their pages are added until they evict the target, and
 * those that are not needed are left out (minimal_set.h). The set that is left has
 * as many lines as the level has ways.
 *
 * Some lines are fillers: they share the target's set in the levels above and
 * evict it there, and are too few to evict it from this level.
 *
 * Nothing is asked of the machine but that a farther level takes half as long
 * again: what the target takes when it is cached is measured on it, and the time
 * of the next level, which may be any, does not matter. */
#ifndef HWC_EVICTION_SET_H
#define HWC_EVICTION_SET_H

#include "conflict_test.h"

/* The candidates must have been drawn; one of them becomes the target and the first of them. Leaves the fillers and the
 * set as the kept lines, and marks those that compete with the target. HWC_INCONCLUSIVE if no small set evicts any of a
 * few targets. For meters that read only the last line. */
int hwc_find_eviction_set(struct hwc_conflict_test *test, size_t *competitors, struct hwc_error *error);

#endif
