/* Which share of a walk's references miss: the question of searches that are not
 * about lines of data (fit.h), but about pages in a TLB or blocks of code.
 *
 * A counter sees one miss among many references. The clock sees only a large
 * share of misses, as the time of hits is known no better than that; its readings
 * go to the sequential test. Every reading lays the walk out in a new order. */
#ifndef HWC_WALK_SHARE_H
#define HWC_WALK_SHARE_H

#include "lab.h"
#include "sequential.h"

struct hwc_walk_share {
    const struct hwc_lab *lab;
    const struct hwc_witness *witness;
    /* Lay the walk out in a fresh order; misses of a pass over it in the steady state. */
    int (*read)(void *context, double *misses, size_t *references, struct hwc_error *error);
    void *context;
};

/* The share of a walk that may miss unnoticed. */
double hwc_unseen_share(const struct hwc_witness *witness);

/* The share, and on which side it lies: of none by a counter, of the threshold by the clock. If that is less than many,
 * more readings are taken. */
int hwc_ask_share(const struct hwc_walk_share *walk, double threshold, struct hwc_estimate *share, enum hwc_side *side,
                  struct hwc_error *error);

#endif
