#include "latency_at_most.h"

#include <math.h>

#include "finding.h"
#include "latency_beyond_set.h"
#include "most_of_rest.h"

/* A chain may take so much longer: its loads wait for each other, and those that are drawn may overlap a little. */
static const double slightly = 0.1;

double hwc_latency_at_most(const struct hwc_lab *lab, const struct hwc_fitted_cycles *fitted)
{
    return (1 + HWC_FIT_FLOOR) * fitted->most - lab->machine->decode_cycles;
}

/* What all levels above hold; 0 = not known. */
static double bytes_above(const struct hwc_lab *lab, unsigned level)
{
    double bytes = 0;

    for (unsigned i = 1; i < level; i++) {
        const struct hwc_level *above = &lab->known->level[i];
        if (above->size_bytes == 0 || above->at_least)
            return 0;
        bytes += (double)above->size_bytes;
    }
    return bytes;
}

static void discard(const struct hwc_lab *lab, unsigned level, struct hwc_finding *finding)
{
    double least = finding->known ? finding->value : finding->low, above = bytes_above(lab, level), most;

    if (!hwc_finding_is_told(finding) || above <= 0)
        return;
    most = hwc_most_of_rest(&lab->known->drawn, above);
    if (least <= (1 + slightly) * most)
        return;
    finding->has_interval = false;
    hwc_finding_unknown(finding, HWC_WHY_INCONCLUSIVE,
                        "lines that this level should hold take %.1f cycles, but of references drawn at random those "
                        "that the levels above do not serve take %.1f", least, most);
}

void hwc_discard_beyond_rest(const struct hwc_lab *lab, struct hwc_profile *profile)
{
    for (unsigned level = 2; level <= profile->caches && lab->known->drawn.points > 0; level++)
        discard(lab, level, &profile->cache[level - 1].finding[HWC_CACHE_LATENCY]);
}

void hwc_discard_beyond_untold(const struct hwc_lab *lab, const struct hwc_levels_fit *fit, struct hwc_profile *profile)
{
    for (unsigned i = fit->told > 1 ? fit->told : 1; i < fit->levels && i < profile->caches; i++) {
        struct hwc_finding *finding = &profile->cache[i].finding[HWC_CACHE_LATENCY];
        double most = hwc_latency_at_most(lab, &fit->level[i].cycles);
        if (finding->known && finding->value > most && !hwc_is_latency_agreed(finding, most))
            hwc_finding_unknown(finding, HWC_WHY_INCONCLUSIVE,
                                "%u of %u votes say %.1f cycles, but references drawn at random speak for %.1f at most",
                                finding->alike, finding->votes, finding->value, most);
    }
}
