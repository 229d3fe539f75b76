#include "bundle.h"

#include <math.h>

static const struct {
    double apart; /* of one that takes so small a share of the other's time, errors are as large as all of it */
    double error; /* of a share: times are right to a few percent */
    double clear; /* this near to none or all, waiting makes no difference */
} policy = {.apart = 0.2, .error = 0.25, .clear = 0.1};

static bool is_clear(double share)
{
    return share <= policy.clear || share >= 1 - policy.clear;
}

double hwc_hidden_share(const struct hwc_bundle *bundle)
{
    double less = fmin(bundle->one, bundle->other), more = fmax(bundle->one, bundle->other), share;

    if (!(less > 0) || less < policy.apart * more)
        return NAN;
    share = (less + more - bundle->both) / less;
    if (share < -policy.error || share > 1 + policy.error || (bundle->tight && !is_clear(share)))
        return NAN;
    return fmin(fmax(share, 0), 1);
}

unsigned hwc_variables_for(double latency, double cycles)
{
    const double exact = 0.05; /* latencies are whole numbers, but for errors */

    return latency > cycles ? (unsigned)ceil(latency / cycles - exact) : 1;
}
