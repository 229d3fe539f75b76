#include "bundle.h"

#include <math.h>
#include <stdbool.h>

static const struct {
    double apart;  /* of one that takes so small a share of the other's time, errors are as large as all of it */
    double error;  /* of a share: times are right to a few percent */
    double clear;  /* this near to none or all, waiting makes no difference */
    double steady; /* two shares this near are the same */
} policy = {.apart = 0.2, .error = 0.25, .clear = 0.1, .steady = 0.05};

static bool is_clear(double share)
{
    return share <= policy.clear || share >= 1 - policy.clear;
}

/* Are variables so many that a few less make no difference? */
static bool nothing_waits(const struct hwc_bundle *bundle, double less)
{
    return bundle->mixes > 1 && fabs(bundle->both[0] - bundle->both[1]) <= policy.steady * less;
}

double hwc_hidden_share(const struct hwc_bundle *bundle)
{
    double less = fmin(bundle->one, bundle->other), more = fmax(bundle->one, bundle->other), both = INFINITY, share;

    for (unsigned i = 0; i < bundle->mixes; i++)
        both = fmin(both, bundle->both[i]);
    if (!(less > 0) || less < policy.apart * more)
        return NAN;
    share = (less + more - both) / less;
    if (share < -policy.error || share > 1 + policy.error || !(is_clear(share) || nothing_waits(bundle, less)))
        return NAN;
    return fmin(fmax(share, 0), 1);
}

unsigned hwc_variables_for(double latency, double cycles)
{
    const double exact = 0.05; /* latencies are whole numbers, but for errors */

    return latency > cycles ? (unsigned)ceil(latency / cycles - exact) : 1;
}
