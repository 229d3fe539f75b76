#include "miss_penalty.h"

#include <math.h>

#include "fitted_levels.h"

/* A penalty is a value if it is off by no more than this share. */
static const double most_off = 0.1;

/* Two latencies were measured at different times, each with the frequency as it was then. */
static struct hwc_bounds bounds_of(const struct hwc_finding *latency, double cycles_off)
{
    return hwc_finding_bounds(latency, latency->stray + cycles_off * latency->value);
}

static void report_value(const struct hwc_finding *here, const struct hwc_finding *next, struct hwc_finding *penalty)
{
    bool fewer = next->alike * here->votes < here->alike * next->votes;

    *penalty = fewer ? *next : *here;
    penalty->value = hwc_in_hundredths(next->value - here->value);
    penalty->nanoseconds = hwc_in_hundredths(next->nanoseconds - here->nanoseconds);
    penalty->has_documented = false;
}

/* What a miss adds: the latency of the next level minus this one's. For the last
 * level see why_last_has_none. */
static void report_penalty(struct hwc_record *cache, const struct hwc_finding *next, double cycles_off)
{
    const struct hwc_finding *here = &cache->finding[HWC_CACHE_LATENCY];
    struct hwc_finding *penalty = &cache->finding[HWC_CACHE_MISS_PENALTY];
    struct hwc_bounds of_here = bounds_of(here, cycles_off), of_next = bounds_of(next, cycles_off);
    double low = of_next.low - of_here.high, high = of_next.high - of_here.low;

    if (here->known && next->known && high - low <= most_off * (high + low))
        report_value(here, next, penalty);
    else if (hwc_finding_is_told(here) && hwc_finding_is_told(next) && low > 0 && high <= HWC_WIDEST_BOUNDS * low)
        hwc_finding_between(penalty, hwc_in_hundredths(low), hwc_in_hundredths(high),
                            "bounded by how far the two latencies may be off");
    else if (hwc_finding_is_told(here) && hwc_finding_is_told(next))
        hwc_finding_because(penalty, hwc_inconclusive("the two latencies are not known well enough to tell what they "
                                                      "differ by"));
    else
        hwc_finding_because(penalty, hwc_depends(!hwc_finding_is_told(here)
                                                   ? "the level's latency is not known"
                                                   : "the latency of the next level is not known"));
}

/* The last level that was seen has no penalty. If its size is known, memory serves its misses; if not, a further level
 * may be hidden behind it. */
static struct hwc_reason why_last_has_none(const struct hwc_record *last)
{
    if (last->finding[HWC_CACHE_SIZE].known)
        return hwc_nothing_there("no further level was seen; what memory takes is memory.latency");
    return hwc_depends("the level's size is not known, and a further level may hide behind it");
}

void hwc_report_penalties(double cycles_off, struct hwc_profile *profile)
{
    for (unsigned i = 0; i + 1 < profile->caches; i++)
        report_penalty(&profile->cache[i], &profile->cache[i + 1].finding[HWC_CACHE_LATENCY], cycles_off);
    if (profile->caches > 0)
        hwc_finding_because(&profile->cache[profile->caches - 1].finding[HWC_CACHE_MISS_PENALTY],
                            why_last_has_none(&profile->cache[profile->caches - 1]));
}
