/* Contrasts: what share of a walk's references misses after something was done,
 * beyond those that miss when it was not?
 *
 * Two experiments that differ in that, played in turn. By a counter, the least
 * count of each (AMP, ISPASS 2001, 2.2), until it repeats itself. By time, the
 * difference of each pair, in units of the level's miss, by the sequential test. */
#ifndef HWC_CONTRAST_H
#define HWC_CONTRAST_H

#include "lab.h"
#include "share.h"

struct hwc_contrast {
    const struct hwc_witness *witness;
    struct hwc_experiment with, without; /* of the last that each measures, the misses count */
    size_t references;                   /* of that */
};

struct hwc_shares {
    double without; /* that miss in any case; by time, beyond what the level's hits would take */
    double added;
    enum hwc_share verdict; /* on what is added; HWC_SHARE_BETWEEN also where noise hides it */
};

int hwc_measure_contrast(struct hwc_lab *lab, const struct hwc_contrast *contrast, struct hwc_shares *shares,
                         struct hwc_error *error);

/* Misses of the last that an experiment measures; by time, what its hits take included. */
int hwc_weigh_once(struct hwc_lab *lab, const struct hwc_witness *witness, const struct hwc_experiment *experiment,
                   double *misses, struct hwc_error *error);

#endif
