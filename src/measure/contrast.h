/* Contrasts: what share of a walk's references misses after some action, beyond
 * the share that misses without it?
 *
 * Two experiments, with and without the action, are played in turn. A counter
 * gives the least count of each (AMP, ISPASS 2001, 2.2), until it repeats. Time
 * gives the difference of each pair, in units of the level's miss, which the
 * sequential test judges. */
#ifndef HWC_CONTRAST_H
#define HWC_CONTRAST_H

#include "lab.h"
#include "share.h"

struct hwc_contrast {
    const struct hwc_witness *witness;
    struct hwc_experiment with, without; /* the last MEASURE step of each is compared */
    size_t references;                   /* of that step */
};

struct hwc_shares {
    double without; /* that miss without the action; by time: what exceeds the time of hits in the level */
    double added;
    enum hwc_share verdict; /* on `added`; HWC_SHARE_BETWEEN also where noise hides it */
};

int hwc_measure_contrast(struct hwc_lab *lab, const struct hwc_contrast *contrast, struct hwc_shares *shares,
                         struct hwc_error *error);

/* Misses in an experiment's last MEASURE step; by time, the time of its hits is included. */
int hwc_weigh_once(struct hwc_lab *lab, const struct hwc_witness *witness, const struct hwc_experiment *experiment,
                   double *misses, struct hwc_error *error);

#endif
