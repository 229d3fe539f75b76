/* What visits to a set cost beyond visits that miss nothing: from readings of both
 * in turn, some of which were disturbed. Pure. */
#ifndef HWC_PLAYS_BESIDE_H
#define HWC_PLAYS_BESIDE_H

#include "policy_inference.h"

enum { HWC_MOST_PLAYS = 256 };

/* Readings, in units of a miss. */
struct hwc_plays {
    double fitting[HWC_MOST_PLAYS + 1], visits[HWC_MOST_PLAYS]; /* visits[i] between fitting[i] and [i + 1] */
    double few[HWC_MOST_PLAYS]; /* visits to fewer lines than fit: the cost without misses */
    unsigned count;
    double if_taken; /* so many of the visits to lines that fit miss, at least, if something else holds a way of the set: of
                        lines visited at random, the one that is out comes every so many visits */
    bool shared; /* as many lines as fit never all stay: something else always uses the set */
};

/* Slow drifts of the clock cancel. Plays are left out beside which the fitting lines were disturbed, or missed; in a
 * shared set, missed unlike in most plays. `step`: of the clock, in units of a miss. Returns how many plays the answer
 * rests on; 0 = there is none. */
unsigned hwc_weigh_plays(const struct hwc_plays *plays, double step, struct hwc_answer *answer);

/* Do lines that fit miss beside few lines, beyond error, and not for what more lines take by themselves? They always do
 * then, and more plays say the same. `step`: as
 * above. */
bool hwc_fitting_lines_miss(const struct hwc_plays *plays, double step);

#endif
