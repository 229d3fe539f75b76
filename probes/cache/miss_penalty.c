#include "miss_penalty.h"

/* What a miss adds: the latency of the next level minus this one's. For the last
 * level see why_last_has_none. */
static void report_penalty(struct hwc_record *cache, const struct hwc_finding *next)
{
    const struct hwc_finding *here = &cache->finding[HWC_CACHE_LATENCY];
    struct hwc_finding *penalty = &cache->finding[HWC_CACHE_MISS_PENALTY];
    bool fewer = next->alike * here->votes < here->alike * next->votes;

    if (!here->known || !next->known) {
        hwc_finding_because(penalty, hwc_depends(!here->known ? "the level's latency is not known"
                                                              : "the latency of the next level is not known"));
        return;
    }
    *penalty = fewer ? *next : *here;
    penalty->value = hwc_in_hundredths(next->value - here->value);
    penalty->nanoseconds = hwc_in_hundredths(next->nanoseconds - here->nanoseconds);
    penalty->has_documented = false;
}

/* The last level that was seen has no penalty. If its size is known, memory serves its misses; if not, a further level
 * may be hidden behind it. */
static struct hwc_reason why_last_has_none(const struct hwc_record *last)
{
    if (last->finding[HWC_CACHE_SIZE].known)
        return hwc_nothing_there("no further level was seen; what memory takes is memory.latency");
    return hwc_depends("the level's size is not known, and a further level may hide behind it");
}

void hwc_report_penalties(struct hwc_profile *profile)
{
    for (unsigned i = 0; i + 1 < profile->caches; i++)
        report_penalty(&profile->cache[i], &profile->cache[i + 1].finding[HWC_CACHE_LATENCY]);
    if (profile->caches > 0)
        hwc_finding_because(&profile->cache[profile->caches - 1].finding[HWC_CACHE_MISS_PENALTY],
                            why_last_has_none(&profile->cache[profile->caches - 1]));
}
