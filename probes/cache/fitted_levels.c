#include "fitted_levels.h"

#include <math.h>

#include "seen_levels.h"

static const unsigned few_ways = 2; /* of a level below the first */

/* The fewest ways of a level below the first, of those that are known; else as many as the first fit assumed. */
static unsigned least_ways(const struct hwc_lab *lab)
{
    uint64_t least = lab->known->drawn.least_ways;

    for (unsigned i = 2; i <= lab->known->levels; i++)
        if (lab->known->level[i].ways > 0 && lab->known->level[i].ways < least)
            least = lab->known->level[i].ways;
    return (unsigned)least;
}

/* Can this be the level, by what is known of its size and of those above? While others use a level as well, on the
 * core's other thread or on cores that share the last level, it holds less than its size. */
static bool agrees(const struct hwc_fitted_level *fitted, const struct hwc_level *known, double above, bool is_last)
{
    double size = (double)known->size_bytes;
    bool may_be_larger = size <= 0 || known->at_least;

    return (may_be_larger || fitted->low <= size + above) && (is_last || fitted->high >= size / 2);
}

/* Are the first fitted levels the known ones? */
static bool all_agree(const struct hwc_lab *lab, const struct hwc_levels_fit *fit)
{
    if (fit->levels < lab->known->levels)
        return false;
    for (unsigned i = 0; i < lab->known->levels; i++)
        if (!agrees(&fit->level[i], &lab->known->level[i + 1], i > 0 ? fit->level[i - 1].high : 0,
                    i + 1 == fit->levels))
            return false;
    return true;
}

/* Levels whose geometry was found are there for certain. */
static unsigned levels_found(const struct hwc_lab *lab, const struct hwc_levels_fit *fit)
{
    unsigned level = 0;

    while (level < lab->known->levels && level < fit->levels && lab->known->level[level + 1].ways > 0)
        level++;
    return level;
}

static enum hwc_inclusion inclusion_of(const struct hwc_lab *lab, unsigned level)
{
    return level <= lab->known->levels ? lab->known->level[level].inclusion : HWC_INCLUSION_OPEN;
}

/* Each hit takes a line out of its set, and each reference has one put back in the end, where a way is free or in place of
 * another: as many ways of a set are free, in the mean, as wait in a queue (M/M/1). */
double hwc_unseen_room(const struct hwc_lab *lab, unsigned level, double hits)
{
    enum hwc_inclusion inclusion = inclusion_of(lab, level);
    uint64_t ways = level <= lab->known->levels ? lab->known->level[level].ways : 0;

    if (inclusion != HWC_EXCLUSIVE && inclusion != HWC_INCLUSION_OPEN)
        return 1;
    return 1 + hits / (1 - hits) / (double)(ways > 0 ? ways : lab->known->drawn.least_ways);
}

/* If a level is neither exclusive nor inclusive, lines above may be missing here. Where that is not known, it may be
 * either. */
static void allow_for_inclusion(const struct hwc_lab *lab, struct hwc_levels_fit *fit)
{
    const double hits = 0.5; /* of footprints that are twice as large */

    for (unsigned i = fit->levels; i-- > 1;) {
        struct hwc_fitted_level *level = &fit->level[i];
        enum hwc_inclusion inclusion = inclusion_of(lab, i + 1);

        level->high *= hwc_unseen_room(lab, i + 1, hits);
        if (inclusion == HWC_NINE || inclusion == HWC_INCLUSION_OPEN)
            level->low = fmax(level->low - fit->level[i - 1].capacity, fit->level[i - 1].low);
    }
}

/* Has any level, from the second one on, ways that are not known? *first: the first that has. */
static bool any_unknown_ways(const struct hwc_lab *lab, const struct hwc_levels_fit *fit, unsigned *first)
{
    for (*first = 2; *first <= fit->levels; ++*first)
        if (*first > lab->known->levels || lab->known->level[*first].ways == 0)
            return true;
    return false;
}

/* Fit once more, now that it is known how few ways a level may have. False if that contradicts what else is known. */
bool hwc_fitted_levels(const struct hwc_lab *lab, struct hwc_levels_fit *fit)
{
    struct hwc_drawn_curve curve = lab->known->drawn;
    unsigned found;

    *fit = lab->known->fit;
    (void)hwc_assume_ways(&curve, least_ways(lab));
    if (fit->levels > 0 && curve.least_ways != lab->known->drawn.least_ways)
        hwc_fit_chain(&curve, lab->known->fit.level[0].cycles.value, fit);
    if (fit->told > lab->known->fit.told)
        fit->told = lab->known->fit.told;
    found = levels_found(lab, fit);
    if (fit->told < found)
        fit->told = found;
    for (unsigned i = 0; i < fit->levels; i++)
        if (fit->level[i].lowest > 0)
            fit->level[i].low = fmin(fit->level[i].low, fit->level[i].lowest);
    allow_for_inclusion(lab, fit);
    return fit->levels > 0 && all_agree(lab, fit);
}

void hwc_allow_few_ways(const struct hwc_lab *lab, struct hwc_levels_fit *fit)
{
    struct hwc_drawn_curve curve = lab->known->drawn;
    struct hwc_levels_fit fewer;
    unsigned first;

    if (least_ways(lab) <= few_ways || !any_unknown_ways(lab, fit, &first))
        return;
    curve.least_ways = few_ways;
    hwc_fit_chain(&curve, lab->known->fit.level[0].cycles.value, &fewer);
    for (unsigned i = first - 1; i < fit->levels && fewer.levels == fit->levels; i++) {
        fit->level[i].cycles.least = fmin(fit->level[i].cycles.least, fewer.level[i].cycles.least);
        fit->level[i].cycles.most = fmax(fit->level[i].cycles.most, fewer.level[i].cycles.most);
    }
}

bool hwc_others_hold_part(const struct hwc_lab *lab, const struct hwc_levels_fit *fit, unsigned level)
{
    return (double)lab->known->level[level].size_bytes > fit->level[level - 1].high;
}
