#include "drift.h"

#include <math.h>
#include <string.h>

#include "statistics.h"

static const struct {
    double alike, noise;
} policy = {
    .alike = 0.015, /* steps of a coarse clock and of the frequency are no more of a pulse */
    .noise = 0.002, /* what the usual time of so many pulses varies by */
};

double native_usual_time(const double *times, unsigned count)
{
    double sorted[NATIVE_DRIFT_PULSES], quarter, sum = 0;
    unsigned alike = 0;

    if (count == 0 || count > NATIVE_DRIFT_PULSES)
        return NAN;
    memcpy(sorted, times, count * sizeof *times);
    (void)hwc_median(sorted, count); /* sorts */
    quarter = sorted[count / 4];
    for (unsigned i = 0; i < count; i++)
        if (fabs(sorted[i] - quarter) <= policy.alike * quarter) {
            sum += sorted[i];
            alike++;
        }
    return alike > 0 ? sum / alike : NAN;
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
