/* What visits to a set miss, read off the machine. An answer is the difference to
 * what as many visits to lines that stay take, which miss nothing.
 *
 * Counted by events, both are the least of several plays. By time, or by slow
 * references, others on the core show, too: plays of both alternate, and go on
 * until the mean of the differences is known well enough; those beside which
 * lines that fit were missed are left out (plays_beside.h). */
#ifndef HWC_SET_READINGS_H
#define HWC_SET_READINGS_H

#include "set_sequence.h"

/* Misses of the visits as they are built, or their cycles in units of a miss: of one play. */
int hwc_read_visits(const struct hwc_set_sequence *sequence, double *reading, struct hwc_error *error);

/* What visits count, or weigh, that miss nothing: sets overhead and variance. */
int hwc_read_overhead(struct hwc_set_sequence *sequence, struct hwc_error *error);

/* Is the set used by nothing else: do as many lines as fit all stay? Own data, or a thread beside, may take a way. */
int hwc_is_ours(const struct hwc_set_sequence *sequence, bool *ours, struct hwc_error *error);

/* What the visits miss; with `plays` > 0, mean and variance of so many single plays. HWC_INCONCLUSIVE where others use
 * the set all the time. */
int hwc_read_answer(const struct hwc_set_sequence *sequence, unsigned plays, struct hwc_answer *answer,
                    struct hwc_error *error);

#endif
