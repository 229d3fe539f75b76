#include "two_latencies.h"

#include <math.h>

#include "fitted_levels.h"
#include "statistics.h"

/* Each may be off by this share. */
static const double most_off = 0.05;

struct range {
    double low, high;
};

static bool is_told(const struct hwc_finding *finding)
{
    return finding->known || finding->has_interval;
}

static struct range range_of(const struct hwc_finding *finding)
{
    if (finding->known)
        return (struct range){(1 - most_off) * finding->value, (1 + most_off) * finding->value};
    return (struct range){finding->low, finding->high};
}

static void contradict(struct hwc_finding *first, struct range one, struct range other)
{
    double low = fmin(one.low, other.low), high = fmax(one.high, other.high);

    if (low > 0 && high <= HWC_WIDEST_BOUNDS * low) {
        hwc_finding_between(first, hwc_in_hundredths(low), hwc_in_hundredths(high),
                            "it differs from moment to moment: two looks do not agree");
        return;
    }
    *first = (struct hwc_finding){.witness = first->witness};
    hwc_finding_unknown(first, HWC_WHY_INCONCLUSIVE,
                        "two looks do not agree: %.1f to %.1f cycles, and at the end of the run %.1f to %.1f", one.low,
                        one.high, other.low, other.high);
}

static bool is_apart(struct range one, struct range other)
{
    return one.high < other.low || other.high < one.low;
}

/* A value is closer than bounds. */
static bool is_closer(const struct hwc_finding *one, const struct hwc_finding *other)
{
    return !other->known && (one->known || one->high / one->low < other->high / other->low);
}

void hwc_join_latencies(struct hwc_finding *first, const struct hwc_finding *second)
{
    struct range one = range_of(first), other = range_of(second);

    if (!first->asked || !is_told(second))
        return;
    if (is_told(first) && is_apart(one, other))
        contradict(first, one, other);
    else if (!is_told(first) || is_closer(second, first))
        *first = *second;
}

void hwc_lesser_latency(struct hwc_finding *first, const struct hwc_finding *second)
{
    if (!first->known || !second->known || !is_apart(range_of(first), range_of(second)))
        hwc_join_latencies(first, second);
    else if (second->value < first->value)
        *first = *second;
}
