/* How often visits to a set miss, read off the machine. An answer is the
 * difference from as many visits to lines that stay, which miss nothing.
 *
 * Counted by events, both are the least of several plays; of visits whose plays
 * vary, the mean. By time, or by slow references, other threads of the core show
 * too: plays of both alternate until the mean of the differences is known well
 * enough, and those beside which lines that fit were missed are left out
 * (plays_beside.h). */
#ifndef HWC_SET_READINGS_H
#define HWC_SET_READINGS_H

#include "set_sequence.h"

/* Misses of the visits as they are built, in one play; by time, their cycles in units of a miss. */
int hwc_read_visits(const struct hwc_set_sequence *sequence, double *reading, struct hwc_error *error);

/* Read visits that miss nothing: sets overhead and variance. */
int hwc_read_overhead(struct hwc_set_sequence *sequence, struct hwc_error *error);

/* Does nothing else use the set: do as many lines as fit all stay? Our own data or a sibling thread may take a way. */
int hwc_is_ours(struct hwc_set_sequence *sequence, bool *ours, struct hwc_error *error);

/* How often the visits miss; with `plays` > 0, mean and variance of so many single plays, by time at least so many.
 * HWC_INCONCLUSIVE if others use the set all the time. */
int hwc_read_answer(const struct hwc_set_sequence *sequence, unsigned plays, struct hwc_answer *answer,
                    struct hwc_error *error);

#endif
