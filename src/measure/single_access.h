/* Single accesses: references timed one by one, and the slow ones counted.
 *
 * Where one reference to a level can be told from one to the next, no times
 * need to be compared with those of a minute ago: a change of frequency or a
 * busy sibling thread moves both by some percent, and the levels lie apart by
 * a factor. */
#ifndef HWC_SINGLE_ACCESS_H
#define HWC_SINGLE_ACCESS_H

#include "lab.h"

/* References that took more than `slow_cycles` in one pass over a walk in its
 * steady state: of several passes, the one that has fewest. One line more than
 * fits is missed in every pass; what others evict is not. For machines with
 * times_each. */
int hwc_count_slow(struct hwc_lab *lab, const struct hwc_arena *arena, const struct hwc_walk *walk, double slow_cycles,
                   double *slow, struct hwc_error *error);

/* Set slow_cycles of the level's witness: a footprint on the level's plateau of
 * the latency curve takes less, one on the next plateau (or flushed lines,
 * after the last level) more. 0 where the two are not well apart. */
int hwc_calibrate_slow(struct hwc_lab *lab, unsigned level, struct hwc_error *error);

#endif
