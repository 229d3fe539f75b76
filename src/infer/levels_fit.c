#include "levels_fit.h"

#include <limits.h>
#include <math.h>

#include "hierarchy_search.h"
#include "levels_bounds.h"

static const struct {
    double gain, precise, alike, blurred, beyond_all;
    size_t neighbours;
    double larger, lower;
} policy = {
    /* A further level is there if it explains more of the squared residuals than chance does, four standard errors. */
    .gain = 16,
    .precise = 0.15, /* a share of the cycles: a level takes half as long again as the one above, or longer */
    .alike = 0.5,    /* octaves, by which a level's capacity differs where it is explained otherwise */
    .blurred = 0.125, /* octaves, by which points show another capacity than a level has */
    .beyond_all = 1 << 20, /* times the largest footprint, of which no level holds anything to speak of */
    .neighbours = 2,
    .lower = 0.25, /* octaves */
    .larger = 4, /* where sets are met that are too full, ten times as many: three times as large, of one way */
};

/* Where pages lie changes a point's value by about as much as its neighbours': together they have enough arenas to say
 * how much. */
static double scatter_of(const struct hwc_drawn_curve *curve, size_t first, size_t last)
{
    double squares = 0, freedom = 0;

    for (size_t k = first; k < curve->points && k <= last; k++) {
        squares += curve->cycles[k].squares / (curve->cycles[k].mean * curve->cycles[k].mean);
        freedom += curve->cycles[k].readings - 1;
    }
    return freedom > 0 ? sqrt(squares / freedom) : 0;
}

/* The last point of a footprint up to so many times as large. */
static size_t last_within(const struct hwc_drawn_curve *curve, size_t point, double times)
{
    size_t last = point;

    while (last + 1 < curve->points && curve->bytes[last + 1] <= times * curve->bytes[point])
        last++;
    return last;
}

/* Of a level of few ways, some sets are too full long before the level is, but not in every arena: a point may have met
 * none, and then looks far too precise. Larger footprints meet more of them. */
static double placement_error(const struct hwc_drawn_curve *curve, size_t point)
{
    size_t first = point > policy.neighbours ? point - policy.neighbours : 0;
    double share = scatter_of(curve, first, point + policy.neighbours);

    if (curve->least_ways < HWC_FEW_WAYS)
        share = fmax(share, scatter_of(curve, point, last_within(curve, point, policy.larger)));
    return share * curve->cycles[point].mean;
}

double hwc_drawn_error(const struct hwc_drawn_curve *curve, size_t point)
{
    double one = fmax(placement_error(curve, point), curve->reading[point]);

    return one / sqrt(curve->cycles[point].readings);
}

bool hwc_assume_ways(struct hwc_drawn_curve *curve, unsigned least_ways)
{
    bool any = false;

    curve->least_ways = least_ways;
    for (size_t i = 0; i < curve->points && least_ways < HWC_FEW_WAYS; i++) {
        if (curve->without_bursts[i].readings <= curve->cycles[i].readings)
            continue;
        curve->cycles[i] = curve->without_bursts[i];
        any = true;
    }
    return any;
}

/* What memory takes is a point beyond all. */
static void prepare_memory(const struct hwc_drawn_curve *curve, struct hwc_fitting *fitting)
{
    double bytes = policy.beyond_all * curve->bytes[curve->points - 1];
    size_t last = fitting->points++;

    fitting->octaves[last] = log2(bytes);
    fitting->cycles[last] = curve->memory;
    fitting->round[last] = bytes * curve->memory;
    fitting->error[last] = hypot(HWC_FIT_FLOOR * curve->memory, curve->memory_error);
}

static void prepare(const struct hwc_drawn_curve *curve, struct hwc_fitting *fitting)
{
    hwc_held_share_init(&fitting->share);
    fitting->points = fitting->footprints = curve->points;
    fitting->spreads = HWC_SPREADS;
    fitting->rivalries = 1;
    while (fitting->spreads > HWC_SPREAD_EVENLY + 1 && hwc_spread_ways(fitting->spreads - 1) < curve->least_ways)
        fitting->spreads--;
    for (size_t j = 0; j < curve->points; j++) {
        fitting->octaves[j] = log2(curve->bytes[j]);
        fitting->cycles[j] = curve->cycles[j].mean;
        fitting->round[j] = curve->bytes[j] * fitting->cycles[j];
        fitting->error[j] = hypot(HWC_FIT_FLOOR * fitting->cycles[j], hwc_drawn_error(curve, j));
    }
    if (curve->memory > 0)
        prepare_memory(curve, fitting);
    for (size_t j = 0; j < fitting->points; j++)
        fitting->weight[j] = 1 / (fitting->error[j] * fitting->error[j]);
}

/* The same levels, with rivals at the last one. */
static struct hwc_hierarchy with_rivals(const struct hwc_fitting *fitting, const struct hwc_hierarchy *hierarchy)
{
    struct hwc_hierarchy tried = *hierarchy;

    hwc_refine(fitting, &tried);
    return tried;
}

/* Is one level less, with rivals at the last one, as good an explanation? */
static bool rivals_suffice(const struct hwc_fitting *fitting, const struct hwc_hierarchy *fewer,
                           const struct hwc_hierarchy *same)
{
    return fewer->rivalry > 0 && fewer->squares - same->squares <= policy.gain * hwc_misfit(fitting, same);
}

/* The same with losses. They bend a curve over many octaves, and so may pass for a level that is there: by how much
 * points stray shows more than by their errors, which allow for what the model leaves out. */
static bool losses_suffice(const struct hwc_fitting *fitting, const struct hwc_hierarchy *fewer,
                           const struct hwc_hierarchy *same)
{
    return fewer->squares - same->squares <= policy.gain * hwc_scatter(fitting, same);
}

/* But what the model leaves out is that others come and go: of losses that change, points stray by more than that. By
 * their errors, losses may be all that there is. */
static bool losses_are_possible(const struct hwc_fitting *fitting, const struct hwc_hierarchy *fewer,
                                const struct hwc_hierarchy *same)
{
    return fewer->squares - same->squares <= policy.gain * hwc_misfit(fitting, same);
}

/* The levels before the one that is not among the fewer. */
static unsigned levels_before_missing(const struct hwc_hierarchy *fewer, const struct hwc_hierarchy *same)
{
    unsigned level = 0;

    while (level < fewer->levels && fabs(fewer->capacity[level] - same->capacity[level]) <= policy.alike)
        level++;
    return level;
}

/* If points do not tell losses from a level that is as far from its neighbours as levels are, it may be there: what comes
 * after those before it is not told. (Of the last level, others may leave so little that it is no farther.) */
static unsigned sure_levels(const struct hwc_fitting *fitting, const struct hwc_hierarchy *fewer,
                            const struct hwc_hierarchy *same)
{
    unsigned missing = levels_before_missing(fewer, same);
    const double *capacity = &same->capacity[missing], apart = log2(HWC_DESIGNED_APART);
    bool above = missing == 0 || capacity[0] - capacity[-1] >= apart;
    bool below = missing + 2 >= same->levels || capacity[1] - capacity[0] >= apart;
    bool losses_are_sure = same->squares - fewer->squares > policy.gain * hwc_scatter(fitting, same);

    return above && below && !losses_are_sure ? missing : fewer->levels;
}

/* Has it one for this level that is known? */
static bool meets(const struct hwc_hierarchy *hierarchy, const struct hwc_known_level *known)
{
    double low = log2(known->low) - policy.alike, high = log2(known->high) + policy.alike;
    bool met = false;

    for (unsigned level = 0; level < hierarchy->levels; level++)
        met = met || (hierarchy->capacity[level] >= low && hierarchy->capacity[level] <= high);
    return met;
}

/* How many levels that are known has it none for? */
static unsigned missed(const struct hwc_drawn_curve *curve, const struct hwc_hierarchy *hierarchy)
{
    unsigned count = 0;

    for (unsigned i = 0; i < curve->knowns; i++)
        count += !meets(hierarchy, &curve->known[i]);
    return count;
}

/* Where points stray from the last levels', or another level is there for them only, others may be why. *sure: how many
 * levels are there in any case. */
static unsigned allow_others(const struct hwc_drawn_curve *curve, struct hwc_fitting *fitting,
                             struct hwc_hierarchy *found, unsigned levels, unsigned *sure)
{
    struct hwc_hierarchy same, fewer, more;

    if (levels < 2)
        return levels;
    fitting->rivalries = HWC_RIVALRIES;
    same = with_rivals(fitting, &found[levels]);
    for (; levels > 2; same = found[--levels] = fewer) {
        fewer = with_rivals(fitting, &found[levels - 1]);
        more = hwc_with_one_more(fitting, &fewer);
        if (more.squares < same.squares)
            same = more;
        if (missed(curve, &fewer) > missed(curve, &same))
            break;
        if (rivals_suffice(fitting, &fewer, &same))
            continue;
        fewer = hwc_with_best_losses(fitting, &fewer);
        if (!losses_suffice(fitting, &fewer, &same)) {
            if (losses_are_possible(fitting, &fewer, &same))
                *sure = levels_before_missing(&fewer, &same);
            break;
        }
        *sure = sure_levels(fitting, &fewer, &same);
    }
    if (same.rivalry > 0 && same.squares < found[levels].squares - policy.gain)
        found[levels] = same;
    return levels;
}

/* The best hierarchy that has a level of so many octaves, and one that it is hidden by. */
static struct hwc_hierarchy with_hidden(struct hwc_fitting *fitting, const struct hwc_hierarchy *found, double low,
                                        double high)
{
    struct hwc_hierarchy hidden;

    fitting->known.is_there = true;
    fitting->known.low = low - policy.blurred;
    fitting->known.high = high + policy.blurred;
    fitting->known.apart = log2(HWC_DESIGNED_APART);
    hidden = hwc_with_known(fitting, found);
    fitting->known.is_there = false;
    return hidden;
}

/* A level that is known, and that these do not have, may be hidden by the next one, of which others leave little: the two
 * look like one that is larger. If they explain the points at least as well (they have more to be fitted), they are
 * there. *sure: up to the known one. */
static void allow_hidden(const struct hwc_drawn_curve *curve, struct hwc_fitting *fitting, struct hwc_hierarchy *found,
                         unsigned *sure)
{
    for (unsigned i = 0; i < curve->knowns; i++) {
        struct hwc_hierarchy hidden;
        if (meets(found, &curve->known[i]))
            continue;
        hidden = with_hidden(fitting, found, log2(curve->known[i].low), log2(curve->known[i].high));
        if (hidden.squares > found->squares)
            continue;
        *found = hidden;
        for (*sure = 1; found->capacity[*sure - 1] < fitting->known.low; ++*sure)
            ;
    }
}

/* Is any level known beyond the first? */
static bool knows_lower(const struct hwc_drawn_curve *curve, const struct hwc_levels_fit *fit)
{
    for (unsigned i = 0; i < curve->knowns; i++)
        if (curve->known[i].low > fit->level[0].high)
            return true;
    return false;
}

/* The second level of two may be smaller, as a third that hides it would explain the points as well. */
static void allow_third(struct hwc_fitting *fitting, const struct hwc_hierarchy *found, struct hwc_levels_fit *fit)
{
    struct hwc_fitted_level *second = &fit->level[1];
    double first = log2(fit->level[0].high), octaves = log2(second->low);
    bool as_well = true;

    while (as_well && octaves - HWC_LEVELS_APART >= first) {
        const struct hwc_hierarchy hidden = with_hidden(fitting, found, octaves, octaves);
        octaves -= policy.lower;
        if (hidden.squares <= found->squares)
            second->lowest = fmin(second->lowest, exp2(octaves));
        as_well = hidden.squares == INFINITY || hidden.squares <= found->squares;
    }
}

/* Could no further level hide between two footprints, because no points in between are precise? It and those above hold
 * at least twice as much as without it. */
static bool are_bridged(const struct hwc_fitting *fitting, double from, double to)
{
    double last = from;

    for (size_t j = 0; j < fitting->footprints && fitting->octaves[j] < to; j++) {
        if (fitting->octaves[j] <= from || fitting->error[j] > policy.precise * fitting->cycles[j])
            continue;
        if (fitting->octaves[j] - last > HWC_LEVELS_APART)
            return false;
        last = fitting->octaves[j];
    }
    return to - last <= HWC_LEVELS_APART;
}

/* Beyond a gap in what is known, which level is which is not. */
static unsigned levels_told(const struct hwc_fitting *fitting, const struct hwc_levels_fit *fit)
{
    unsigned told = fit->levels > 0 ? 1 : 0;

    while (told < fit->levels &&
           are_bridged(fitting, log2(fit->level[told - 1].capacity), log2(fit->level[told].low)))
        told++;
    return told;
}

bool hwc_fit_levels(const struct hwc_drawn_curve *curve, struct hwc_levels_fit *fit)
{
    struct hwc_factors kept[HWC_FACTORS_KEPT];
    struct hwc_hierarchy tried[HWC_TRIED_KEPT];
    struct hwc_fitting fitting = {.kept = kept, .tried = tried};
    struct hwc_hierarchy found[HWC_MOST_FITTED + 1] = {{0}}, best;
    unsigned most = 0, levels, sure = HWC_MOST_FITTED;
    unsigned limit = curve->most_levels > 0 ? curve->most_levels : HWC_MOST_FITTED;

    *fit = (struct hwc_levels_fit){0};
    if (curve->points < 3)
        return false;
    for (size_t i = 0; i < HWC_FACTORS_KEPT; i++)
        kept[i].filled = false;
    for (size_t i = 0; i < HWC_TRIED_KEPT; i++)
        tried[i].levels = UINT_MAX;
    prepare(curve, &fitting);
    hwc_evaluate(&fitting, &found[0]);
    for (; most < limit; most++) {
        found[most + 1] = hwc_with_one_more(&fitting, &found[most]);
        if (!(found[most + 1].squares < found[most].squares - policy.gain))
            break;
    }
    for (levels = most; levels > 0; levels--)
        hwc_try_one_less(&fitting, &found[levels], &found[levels - 1]);
    levels = most;
    while (levels > 0 && missed(curve, &found[levels - 1]) <= missed(curve, &found[levels]) &&
           found[levels - 1].squares - found[most].squares <=
               policy.gain * (most - levels + 1) * hwc_misfit(&fitting, &found[most]))
        levels--;
    if (curve->rivals)
        levels = allow_others(curve, &fitting, found, levels, &sure);
    best = found[levels];
    if (curve->rivals)
        allow_hidden(curve, &fitting, &best, &sure);
    hwc_bound_levels(&fitting, &best, fit);
    fit->told = levels_told(&fitting, fit);
    fit->told_if_many = fit->told_if_few = fit->told = fit->told < sure ? fit->told : sure;
    if (levels > 0 && curve->rivals)
        hwc_allow_losses(&fitting, &best, fit);
    for (unsigned i = 0; i < fit->levels; i++)
        fit->level[i].lowest = fit->level[i].low;
    if (curve->may_hide && best.levels == 2 && fit->told == 2 && !knows_lower(curve, fit))
        allow_third(&fitting, &best, fit);
    return levels > 0;
}

bool hwc_fit_has(const struct hwc_levels_fit *fit, const struct hwc_known_level *known)
{
    for (unsigned i = 0; i < fit->levels; i++)
        if (fit->level[i].low <= known->high && fit->level[i].high >= known->low)
            return true;
    return false;
}

bool hwc_fit_is_near(const struct hwc_levels_fit *fit, unsigned from)
{
    for (unsigned i = from; i < fit->levels; i++)
        if (fit->level[i].capacity < HWC_DESIGNED_APART * fit->level[i - 1].capacity)
            return true;
    return false;
}

bool hwc_fit_levels_apart(const struct hwc_drawn_curve *curve, struct hwc_levels_fit *fit)
{
    struct hwc_drawn_curve fewer = *curve;
    bool any = hwc_fit_levels(curve, fit);

    while (any && hwc_fit_is_near(fit, 2)) { /* the first two are not of one kind */
        fewer.most_levels = fit->levels - 1;
        any = hwc_fit_levels(&fewer, fit);
    }
    return any;
}

bool hwc_is_told_apart(const struct hwc_levels_fit *fit, unsigned level)
{
    return level == 0 || fit->level[level].low >= HWC_TOLD_APART * fit->level[level - 1].capacity;
}

bool hwc_is_served_beyond(const struct hwc_levels_fit *fit, unsigned level, double cycles)
{
    const struct hwc_fitted_cycles *next = level + 1 < fit->levels ? &fit->level[level + 1].cycles : &fit->memory;

    return cycles > (1 + HWC_FIT_FLOOR) * fit->level[level].cycles.most && cycles >= (1 - HWC_FIT_FLOOR) * next->least;
}
