#include "two_latencies.h"

#include <math.h>

#include "fitted_levels.h"
#include "statistics.h"

/* Each may be off by this share. */
static const double most_off = 0.05;

static struct hwc_bounds bounds_of(const struct hwc_finding *finding)
{
    return hwc_finding_bounds(finding, most_off * finding->value);
}

static void contradict(struct hwc_finding *first, struct hwc_bounds one, struct hwc_bounds other)
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

static bool is_apart(struct hwc_bounds one, struct hwc_bounds other)
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
    struct hwc_bounds one = bounds_of(first), other = bounds_of(second);

    if (!first->asked || !hwc_finding_is_told(second))
        return;
    if (hwc_finding_is_told(first) && is_apart(one, other))
        contradict(first, one, other);
    else if (!hwc_finding_is_told(first) || is_closer(second, first))
        *first = *second;
}

void hwc_lesser_latency(struct hwc_finding *first, const struct hwc_finding *second)
{
    if (!first->known || !second->known || !is_apart(bounds_of(first), bounds_of(second)))
        hwc_join_latencies(first, second);
    else if (second->value < first->value)
        *first = *second;
}
