/* How often readings are late: more often in one case than in another? Pure.
 *
 * Others put lines out, too, in any share of the readings, and a policy spares a
 * line in any share of them. So neither share is taken to be known: what tells is
 * that one case is late far more often than the other, by two fifths of its share
 * and a fifth of the readings, against that both are so equally often, each share
 * being as likely as any (a Bayes factor; Jeffreys, Theory of Probability, 1939). */
#ifndef HWC_LATE_H
#define HWC_LATE_H

#include <stdbool.h>

#include "sequential.h"

/* Late readings, of some. */
struct hwc_late {
    unsigned late, plays;
};

/* Two plays that differ in one thing. */
struct hwc_late_pair {
    struct hwc_late with, without;
};

/* The share of readings that are late, of some: never none, nor all. */
double hwc_chance_of(unsigned late, unsigned readings);

/* In less than a fifth of the readings: lines that once evicted a line do so no more. */
bool hwc_is_hardly_late(const struct hwc_late *late);

/* Is it late more often with than without, and in `least` of the readings or more (up to 0.9; 0 = in any share)? HWC_STRADDLES while
 * neither is so many times as likely as the other. */
enum hwc_side hwc_side_of_late(const struct hwc_late_pair *pair, double least, double odds);

#endif
