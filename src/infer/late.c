#include "late.h"

#include <math.h>

/* Shares that are looked at: from the least on, so far apart. */
enum { SHARES = 21 };

static const struct {
    double first, apart;
    int least; /* places between shares of which one is more */
    double part;
    double hardly;
} policy = {.first = 0.01, .apart = 0.049, .least = 4, .part = 0.4, .hardly = 0.2};

/* The last of the shares that are less. */
static int less_than(int share)
{
    int part = (int)ceil(policy.part * share);

    return share - (part > policy.least ? part : policy.least);
}

double hwc_chance_of(unsigned late, unsigned readings)
{
    return (late + 1.0) / (readings + 2.0);
}

bool hwc_is_hardly_late(const struct hwc_late *late)
{
    return late->late < policy.hardly * late->plays;
}

/* The likelihood of the readings, by share; the greatest is 1. */
static void weigh(const struct hwc_late *late, double likelihood[SHARES])
{
    double most = -INFINITY;

    for (int i = 0; i < SHARES; i++) {
        double share = policy.first + policy.apart * i;
        likelihood[i] = late->late * log(share) + (late->plays - late->late) * log(1 - share);
        most = fmax(most, likelihood[i]);
    }
    for (int i = 0; i < SHARES; i++)
        likelihood[i] = exp(likelihood[i] - most);
}

enum hwc_side hwc_side_of_late(const struct hwc_late_pair *pair, double odds)
{
    double with[SHARES], without[SHARES], alike = 0, later = 0, less = 0;
    int pairs = 0, next = 0;

    weigh(&pair->with, with);
    weigh(&pair->without, without);
    for (int i = 0; i < SHARES; i++) {
        alike += with[i] * without[i] / SHARES;
        while (next <= less_than(i))
            less += without[next++];
        later += with[i] * less;
        pairs += next;
    }
    later /= pairs;
    if (later > odds * alike)
        return HWC_ABOVE;
    return alike > odds * later ? HWC_BELOW : HWC_STRADDLES;
}
