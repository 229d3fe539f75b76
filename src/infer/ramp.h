/* What a cyclic walk over a growing array costs, where a level is outgrown.
 *
 * Under LRU, with lines spread evenly over the sets, a level of C bytes and A ways holds all of an array of N <= C
 * bytes. Each set then overflows in turn, and of an overflown one all A + 1 lines miss, in every pass: of the
 * array's lines, the share (A + 1) (N - C) / N, until at N = C + C / A all sets overflow. Between the cost of a
 * hit and that of a miss, the mean cost of a reference follows this share (Saavedra and Smith, IEEE ToC 44 (1995);
 * Thomborson and Yu, SPECTS 2000). */
#ifndef HWC_RAMP_H
#define HWC_RAMP_H

#include <stdbool.h>
#include <stddef.h>

struct hwc_sized_cost {
    double bytes, cost; /* of the array; of a reference: time, or misses */
};

struct hwc_ramp {
    double hit, miss;           /* the cost below and above */
    double capacity, low, high; /* bytes */
    double ways;
    double residual;            /* root of the mean square, as a share of the step */
    bool fits;                  /* do the points follow the model? */
};

/* Fit a level to points in ascending order of bytes: some before it is outgrown, and some after. */
void hwc_fit_ramp(const struct hwc_sized_cost *points, size_t count, struct hwc_ramp *ramp);

/* The roundest number of an interval: the multiple of the largest power of two. *power: that power. */
double hwc_roundest(double low, double high, double *power);

#endif
