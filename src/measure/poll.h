/* Holding AMP's vote (vote.h): the ballots are measurements of a lab. */
#ifndef HWC_POLL_H
#define HWC_POLL_H

#include "lab.h"
#include "vote.h"

/* Measure once, on pages that are fresh or drawn anew. HWC_UNAVAILABLE and HWC_INCONCLUSIVE are
 * abstentions on everything; any other error ends the vote. */
typedef int (*hwc_measure)(struct hwc_lab *lab, void *context, struct hwc_ballot *ballot, struct hwc_error *error);

/* Hold the vote: the set number of ballots; if fewer than three quarters of those
 * cast, or fewer than half of all, agree on some question, up to twice as many
 * more; after that it is undecided. Every ballot counts, also an abstention, and
 * all are in the results' rounds. Where others may disturb the machine, it ends as
 * soon as three quarters of the set number are cast, all alike, and nobody was seen
 * at work, unless all are asked for. It ends early, with the ballots so far, when
 * the budget is spent, the run is late, or the first four all abstain (the set
 * number, if others showed meanwhile); if others may disturb the machine, as many
 * must then be alike as decide a whole vote. vote.h says how values that others
 * lessen are counted. */
int hwc_vote(struct hwc_lab *lab, hwc_measure measure, void *context, unsigned questions, struct hwc_result *results,
             struct hwc_error *error);

#endif
