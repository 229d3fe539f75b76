/* Estimates: a value with its standard error, from readings that vary. */
#ifndef HWC_ESTIMATE_H
#define HWC_ESTIMATE_H

#include <stdbool.h>

struct hwc_estimate {
    double value;
    double error;       /* standard error of the value; 0 = readings repeat exactly */
    unsigned samples;   /* readings used */
    unsigned disturbed; /* readings left out */
};

/* Readings so far. All zero = none. */
struct hwc_tally {
    unsigned readings, disturbed;
    double mean, squares; /* sum of squared deviations from the mean (Welford) */
};

void hwc_tally_add(struct hwc_tally *tally, double reading);

/* The mean of the readings. `resolution`: the step to which readings are rounded, such as a clock's; it adds a variance
 * of step squared / 12. At least two readings. */
struct hwc_estimate hwc_tally_mean(const struct hwc_tally *tally, double resolution);

/* Student's t: chance moves a mean by more than this many standard errors, estimated from `readings` readings, only one
 * time in a thousand. At least two readings. */
double hwc_student_bound(unsigned readings);

#endif
