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

/* The mean of those that are about what a quarter of them lie below: others who work on the core only make times longer,
 * few of them or most; and where a clock advances in steps, the mean is finer than a step. NAN for none. */
double native_usual_time(const double *times, unsigned count);

/* Take in a pulse, 1 = as when calibrated. Returns by how much pulses have become longer, each time there are enough of
 * them; else 1. What it returns is from then on 1. */
double native_drift_follow(struct native_drift *drift, double pulse);

#endif
