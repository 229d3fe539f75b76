/* Two walks side by side.
 *
 * On a machine that others use, what a walk takes changes from one millisecond
 * to the next: a neighbour on the sibling thread, another frequency. So a walk
 * is not held against what it took a while ago, but against a reference that
 * is timed in the same breath, and the median of such pairs counts. */
#ifndef HWC_COMPARE_H
#define HWC_COMPARE_H

#include "lab.h"

struct hwc_comparison {
    const struct hwc_arena *arena;
    /* None shares a cell with another. A twin visits its walk's pages in lines
     * that the first level holds: what it takes is translation, and is taken
     * off. Twins may be empty. */
    const struct hwc_walk *walk, *walk_twin;
    const struct hwc_walk *reference, *reference_twin;
    double threshold; /* in cycles a pass: pairs are taken until most lie on one side of it */
    unsigned samples; /* at least */
};

/* Cycles by which a pass of the walk exceeds as many references of the reference. */
int hwc_compare(struct hwc_lab *lab, const struct hwc_comparison *comparison, double *excess, struct hwc_error *error);

#endif
