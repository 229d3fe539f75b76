/* What every data-cache level holds of a walk, with those above it.
 *
 * Claim: bounds of the effective size: how many bytes of what a program uses
 * equally often lie in this level and those above. And, above the last level, of
 * a size that nothing else told.
 *
 * Method: references drawn at random, each independent of those before, from
 * footprints that grow. A level that is full serves E of N bytes, whichever lines
 * its policy keeps and wherever pages lie (King, IFIP 1971), so that the mean time
 * is a polygon in 1 / N. Its corners are the capacities (levels_fit.h). No
 * threshold, no plateau and no knowledge of ways, sets or policy is needed, and
 * no prefetcher can predict what is drawn.
 *
 * What can fool it: others who use a shared level: they take the more of it the
 * less often we come back to our lines, so that the capacity depends on the
 * footprint; then the points contradict the polygon, and there are no bounds. A
 * level less than about three times as large as the one above, which is not told
 * from it. A level whose tags stand for several lines holds fewer of such draws
 * than of a program that uses neighbours together. */
#include <math.h>

#include "fitted_levels.h"
#include "quiet_core.h"
#include "seen_levels.h"
#include "table.h"

/* A level that only this thread and its sibling use is not bounded by what a sibling left of it. */
static bool is_whole(const struct hwc_fitted_level *fitted, const struct hwc_level *known, bool is_last)
{
    return is_last || (!known->at_least && fitted->high >= (double)known->size_bytes);
}

static void report_bounds(double low, double high, double line_bytes, struct hwc_finding *finding)
{
    if (finding->known || low <= 0 || high > HWC_WIDEST_BOUNDS * low)
        return;
    hwc_finding_between(finding, floor(low / line_bytes) * line_bytes, ceil(high / line_bytes) * line_bytes,
                        HWC_WHY_BOUNDED);
}

/* The size of a level, from 0, that nothing else told: an exclusive one holds none of what those above do. Others use the
 * last level, too, and a thread on this core's other half any, and leave us a part of it, which says nothing of its size. */
static void report_size(const struct hwc_lab *lab, const struct hwc_levels_fit *fit, unsigned i, double line_bytes,
                        struct hwc_finding *finding)
{
    double low, high;

    if (!hwc_in_company(lab) && i + 1 < fit->levels && hwc_bounds_of_level(fit, i + 1, &low, &high))
        report_bounds(low, high, line_bytes, finding);
}

/* More than its size it holds only together with those above, of which it then holds nothing: where that is not known, what
 * the points show may be a little off. */
static double least_effective(const struct hwc_fitted_level *fitted, const struct hwc_level *known)
{
    bool is_size = known->size_bytes > 0 && !known->at_least && known->inclusion != HWC_EXCLUSIVE;

    return is_size ? fmin(fitted->low, (double)known->size_bytes) : fitted->low;
}

static void report(const struct hwc_lab *lab, const struct hwc_levels_fit *fit, struct hwc_profile *profile)
{
    double line = (double)hwc_drawn_spacing(lab);

    for (unsigned i = 0; i < fit->told && i < HWC_MAX_CACHE_LEVEL; i++) {
        profile->cache[i].level = i + 1;
        if (i >= profile->caches)
            profile->caches = i + 1;
        if (!is_whole(&fit->level[i], &lab->known->level[i + 1], i + 1 == fit->levels))
            continue;
        report_bounds(least_effective(&fit->level[i], &lab->known->level[i + 1]), fit->level[i].high, line,
                      &profile->cache[i].finding[HWC_CACHE_EFFECTIVE_SIZE]);
        report_size(lab, fit, i, line, &profile->cache[i].finding[HWC_CACHE_SIZE]);
    }
}

static int run(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    struct hwc_levels_fit fit;

    if (lab->known->drawn.points > 0) /* cycles as measured, with what computing addresses takes */
        TRY(hwc_curve_add_drawn(&profile->curves, "capacity", "footprint", "bytes", &lab->known->drawn, error));
    if (hwc_fitted_levels(lab, &fit))
        report(lab, &fit, profile);
    return HWC_OK;
}

const struct hwc_probe hwc_probe_capacity = {
    .name = "capacity",
    .summary = "what every data-cache level holds together with those above it",
    .source = "King, Analysis of demand paging algorithms, IFIP 1971",
    .needs = {HWC_CACHE_SIZE},
    .provides = {HWC_CACHE_EFFECTIVE_SIZE, HWC_CACHE_SIZE},
    .basic = true,
    .run = run,
};
