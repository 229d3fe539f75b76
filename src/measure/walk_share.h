/* Which share of a walk's references miss: what a search that knows no lines
 * asks (fit.h), of pages in a TLB or of blocks of code.
 *
 * A counter sees one miss among many references. Time sees a share of them, as
 * what hits take is known no better than that; its readings are put to the
 * sequential test. Every reading lays the walk out in another order. */
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

/* So much of a walk may miss and not be seen to. */
double hwc_unseen_share(const struct hwc_witness *witness);

/* The share, and on which side it lies of what is seen. */
int hwc_ask_share(const struct hwc_walk_share *walk, struct hwc_estimate *share, enum hwc_side *side,
                  struct hwc_error *error);

#endif
