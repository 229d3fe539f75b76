/* Single accesses: references timed one by one, and the slow ones counted.
 *
 * Where a single reference shows which of two neighbouring levels served it, the
 * threshold stays valid while the clock drifts: a change of frequency or a busy
 * sibling thread moves both levels by some percent, and they lie apart by a
 * factor. */
#ifndef HWC_SINGLE_ACCESS_H
#define HWC_SINGLE_ACCESS_H

#include "lab.h"

/* References that took more than `slow_cycles` in one pass over a walk in its
 * steady state: of several passes, the one with fewest. With one line more than
 * fits, every pass misses; lines that others evict miss in some passes only. For
 * machines with times_each. */
int hwc_count_slow(struct hwc_lab *lab, const struct hwc_arena *arena, const struct hwc_walk *walk, double slow_cycles,
                   double *slow, struct hwc_error *error);

/* Set slow_cycles of the level's witness: references on the level's plateau of
 * the latency curve take less, those on the next plateau (or to flushed lines,
 * after the last level) more. 0 where the two are not well apart. */
int hwc_calibrate_slow(struct hwc_lab *lab, unsigned level, struct hwc_error *error);

#endif
