/* The core's frequency drifts by less than a step at a time: pulses of late tell
 * by how much, as one alone does not. */
#ifndef HWC_NATIVE_DRIFT_H
#define HWC_NATIVE_DRIFT_H

enum { NATIVE_DRIFT_PULSES = 16 };

/* Zero-initialise. */
struct native_drift {
    double pulse[NATIVE_DRIFT_PULSES];
    unsigned given;
};

/* Of chains beside others: the mean of those that are about what a quarter of them lie below. Sorts in place. count > 0. */
double native_usual_time(double *times, unsigned count);

/* Take in a pulse, 1 = as when calibrated. Returns by how much pulses have become longer, each time there are enough of
 * them; else 1. What it returns is from then on 1. */
double native_drift_follow(struct native_drift *drift, double pulse);

#endif
