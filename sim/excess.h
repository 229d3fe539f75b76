/* The time that references take over the usual, as a recording has it: drawn
 * for any number of them so that mean, variance and tail are the recorded ones.
 *
 * Most recorded values are near each other: many of them add up to their mean
 * and variance (by a gamma distribution, which is one-sided as they are, or by a
 * normal one). The few that are far off are drawn one by one. */
#ifndef HWC_SIM_EXCESS_H
#define HWC_SIM_EXCESS_H

#include "random.h"

enum { SIM_MOST_OUTLIERS = 32 };

struct sim_excess {
    double references;       /* that a recorded value is of */
    double mean, variance;   /* of the usual values, cycles */
    unsigned outliers;
    double outlier[SIM_MOST_OUTLIERS]; /* cycles */
    double outlier_share;    /* how often each of them comes, of all values */
};

/* Of usual values, each of so many references; no outliers yet. count > 0 */
void sim_excess_init(struct sim_excess *excess, const double *values, unsigned count, double references);

/* Another outlier; the share of all values is the same for each. Beyond SIM_MOST_OUTLIERS they are left out. */
void sim_excess_add_outlier(struct sim_excess *excess, double value, double share);

/* Make usual values and outliers so many times as large. */
void sim_excess_scale(struct sim_excess *excess, double usual, double outliers);

/* Cycles that so many references take more than usual. */
double sim_excess_draw(const struct sim_excess *excess, double references, struct hwc_random *random);

#endif
