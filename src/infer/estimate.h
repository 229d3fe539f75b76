/* Estimates: a value with its standard error, from readings that vary. */
#ifndef HWC_ESTIMATE_H
#define HWC_ESTIMATE_H

#include <stdbool.h>

struct hwc_estimate {
    double value;
    double error;       /* of the value, one standard error; 0 = readings repeat themselves exactly */
    unsigned samples;   /* that it rests on */
    unsigned disturbed; /* that were left out */
};

/* Readings so far. All zero is none. */
struct hwc_tally {
    unsigned readings, disturbed;
    double mean, squares; /* of the deviations from the mean (Welford's sum) */
};

void hwc_tally_add(struct hwc_tally *tally, double reading);

/* The mean of the readings. `resolution`: what a reading is rounded to, a clock's step say; it adds its own error
 * (step squared / 12). At least two readings. */
struct hwc_estimate hwc_tally_mean(const struct hwc_tally *tally, double resolution);

/* Student's t: how many standard errors, estimated from so many readings, a mean lies off by chance at most, but for
 * one time in a thousand. At least two readings. */
double hwc_student_bound(unsigned readings);

#endif
