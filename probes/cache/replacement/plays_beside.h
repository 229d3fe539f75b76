/* What a set's visits take more than visits beside them that miss nothing: from
 * readings of both in turn, some of which were disturbed. Pure. */
#ifndef HWC_PLAYS_BESIDE_H
#define HWC_PLAYS_BESIDE_H

#include "policy_inference.h"

enum { HWC_MOST_PLAYS = 256 };

/* Readings, in units of a miss. */
struct hwc_plays {
    double fitting[HWC_MOST_PLAYS + 1], visits[HWC_MOST_PLAYS]; /* each of these between two of those */
    double few[HWC_MOST_PLAYS]; /* visits to fewer lines than fit: what nothing misses takes */
    unsigned count;
    bool shared; /* lines that fit never stay: something else always uses the set */
};

/* Slow drifts of the clock fall out, and so do plays beside which fitting lines were disturbed, or missed; of a set that
 * is shared, missed unlike in most plays. `step`: of the clock. Returns on how many plays the answer rests; 0 = there is
 * none. */
unsigned hwc_weigh_plays(const struct hwc_plays *plays, double step, struct hwc_answer *answer);

#endif
