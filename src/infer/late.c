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

static double share_of(int share)
{
    return policy.first + policy.apart * share;
}

/* The likelihood of the readings, by share; the greatest is 1. */
static void weigh(const struct hwc_late *late, double likelihood[SHARES])
{
    double most = -INFINITY;

    for (int i = 0; i < SHARES; i++) {
        likelihood[i] = late->late * log(share_of(i)) + (late->plays - late->late) * log(1 - share_of(i));
        most = fmax(most, likelihood[i]);
    }
    for (int i = 0; i < SHARES; i++)
        likelihood[i] = exp(likelihood[i] - most);
}

/* That both are late equally often. */
static double likelihood_alike(const double with[SHARES], const double without[SHARES])
{
    double sum = 0;

    for (int i = 0; i < SHARES; i++)
        sum += with[i] * without[i];
    return sum / SHARES;
}

/* That one is far later than the other, and in `least` of the readings or more. */
static double likelihood_later(const double with[SHARES], const double without[SHARES], double least)
{
    double sum = 0, less = 0;
    int pairs = 0, next = 0;

    for (int i = 0; i < SHARES; i++) {
        while (next <= less_than(i))
            less += without[next++];
        if (share_of(i) < least)
            continue;
        sum += with[i] * less;
        pairs += next;
    }
    return sum / pairs;
}

/* That it is late in less than `least` of the readings, whatever the other is. */
static double likelihood_rarely(const double with[SHARES], const double without[SHARES], double least)
{
    double one = 0, other = 0;
    int shares = 0;

    for (int i = 0; i < SHARES; i++) {
        other += without[i] / SHARES;
        if (share_of(i) >= least)
            continue;
        one += with[i];
        shares++;
    }
    return shares > 0 ? one / shares * other : 0;
}

enum hwc_side hwc_side_of_late(const struct hwc_late_pair *pair, double least, double odds)
{
    double with[SHARES], without[SHARES], later, not;

    weigh(&pair->with, with);
    weigh(&pair->without, without);
    later = likelihood_later(with, without, least);
    not = fmax(likelihood_alike(with, without), likelihood_rarely(with, without, least));
    if (later > odds * not)
        return HWC_ABOVE;
    return not > odds * later ? HWC_BELOW : HWC_STRADDLES;
}
