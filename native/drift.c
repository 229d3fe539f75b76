#include "drift.h"

#include <math.h>

#include "statistics.h"

static const struct {
    double alike, noise;
} policy = {
    .alike = 0.015, /* steps of a coarse clock and of the frequency are no more of a pulse */
    .noise = 0.002, /* what the usual time of so many pulses varies by */
};

double native_usual_time(double *times, unsigned count)
{
    return hwc_mean_near_quarter(times, count, policy.alike);
}

double native_drift_follow(struct native_drift *drift, double pulse)
{
    double usual;

    drift->pulse[drift->given++] = pulse;
    if (drift->given < NATIVE_DRIFT_PULSES)
        return 1;
    usual = native_usual_time(drift->pulse, drift->given);
    drift->given = 0;
    return usual > 0 && fabs(usual - 1) > policy.noise ? usual : 1;
}
