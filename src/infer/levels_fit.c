#include "levels_fit.h"

#include <math.h>
#include <string.h>

#include "hierarchy_model.h"

static const struct {
    double coarse_step, fine_step, reach;
    double parameters, gain, bound;
    double full, apart, between, precise;
    double near;
    double hint;
    int least_loss, most_loss, loss_step;
    size_t neighbours;
} policy = {
    .coarse_step = 1.0 / 2, /* octaves */
    .fine_step = 1.0 / 64,
    .reach = 1.5, /* from a capacity to its bounds, at most */
    .parameters = 3, /* of a level: its capacity, its spread and its rise */
    /* A further level is there if it explains more of the squared residuals than chance does; a capacity is out of
     * bounds if it explains less than the best by as much as four standard errors. */
    .gain = 16,
    .bound = 16,
    .full = 0.5, /* octaves: as much more than the capacity has the largest footprint, at least */
    .between = 1.0 / 16, /* octaves, by which what is kept differs where rivalry lies between two that are tried */
    .precise = 0.15, /* a share of the cycles: a level takes half as long again as the one above, or longer */
    .apart = 1, /* each level and those above hold at least twice as much as without it */
    .near = 2,   /* octaves from a capacity, within which points say how well it fits */
    .hint = 4, /* what explains the points better by two standard errors is possible */
    /* In octaves: 0 if half of the lines are gone when a footprint of the capacity comes back from memory. */
    .least_loss = -9,
    .most_loss = 3,
    .loss_step = 2,
    .neighbours = 2,
};

/* Are the capacities in order and apart, and is each exceeded by some footprint? */
static bool in_order(const struct hwc_fitting *fitting, const struct hwc_hierarchy *hierarchy, unsigned level)
{
    const double *capacity = hierarchy->capacity;

    return (level == 0 || capacity[level - 1] + policy.apart <= capacity[level]) &&
           (level + 1 == hierarchy->levels || capacity[level] + policy.apart <= capacity[level + 1]) &&
           capacity[level] <= fitting->octaves[fitting->points - 1] - policy.full;
}

static void keep_better(const struct hwc_fitting *fitting, struct hwc_hierarchy *tried, struct hwc_hierarchy *best)
{
    hwc_evaluate(fitting, tried);
    if (tried->squares < best->squares)
        *best = *tried;
}

/* A level that cores share has at least this many ways. One of fewer that is full little by little, with rivals, looks
 * much like two levels. */
enum { SHARED_WAYS = 8 };

static bool may_have_rivals(unsigned spread)
{
    return spread == HWC_SPREAD_EVENLY || hwc_spread_ways(spread) >= SHARED_WAYS;
}

/* Try this spread, at the last level with every rivalry that there may be; at others, that of the last stays. */
static void try_spread(const struct hwc_fitting *fitting, struct hwc_hierarchy *best, struct hwc_hierarchy *tried,
                       bool is_last)
{
    unsigned first = is_last ? 0 : tried->rivalry, end = first + 1;

    if (is_last && may_have_rivals(tried->spread[tried->levels - 1]))
        end = fitting->rivalries;
    for (tried->rivalry = first; tried->rivalry < end; tried->rivalry++)
        keep_better(fitting, tried, best);
    tried->rivalry = first;
}

/* Try every spread at this capacity. The first level goes by virtual addresses, which are contiguous. */
static void try_spreads(const struct hwc_fitting *fitting, struct hwc_hierarchy *best, unsigned level, double capacity)
{
    struct hwc_hierarchy tried = *best;
    unsigned spreads = level == 0 ? HWC_SPREAD_EVENLY + 1 : fitting->spreads;

    tried.capacity[level] = capacity;
    if (!in_order(fitting, &tried, level))
        return;
    for (tried.spread[level] = 0; tried.spread[level] < spreads; tried.spread[level]++)
        try_spread(fitting, best, &tried, level > 0 && level + 1 == tried.levels);
}

/* More or less loss at the last level, by this many octaves. */
static void try_losses(const struct hwc_fitting *fitting, struct hwc_hierarchy *best, double octaves)
{
    double loss = best->loss;

    for (int side = -1; side <= 1 && loss > 0; side += 2) {
        struct hwc_hierarchy tried = *best;
        tried.loss = loss * exp2(side * octaves);
        keep_better(fitting, &tried, best);
    }
}

/* Move one capacity at a time, from `first` to before `end`, until no move is better. */
static void move(const struct hwc_fitting *fitting, struct hwc_hierarchy *hierarchy, double step, unsigned first,
                 unsigned end)
{
    for (bool better = true; better;) {
        double before = hierarchy->squares;
        for (unsigned level = first; level < end; level++) {
            double capacity = hierarchy->capacity[level];
            try_spreads(fitting, hierarchy, level, capacity - step);
            try_spreads(fitting, hierarchy, level, capacity);
            try_spreads(fitting, hierarchy, level, capacity + step);
        }
        try_losses(fitting, hierarchy, 2 * step);
        better = hierarchy->squares < before - 0.01;
    }
}

static void refine(const struct hwc_fitting *fitting, struct hwc_hierarchy *hierarchy)
{
    double step = policy.coarse_step;

    while (step >= policy.fine_step) {
        move(fitting, hierarchy, step, 0, hierarchy->levels);
        step /= 2;
    }
}

/* Refine what was tried, if it is possible, and keep it if it is better. */
static void begin_from(const struct hwc_fitting *fitting, struct hwc_hierarchy *tried, struct hwc_hierarchy *best)
{
    hwc_evaluate(fitting, tried);
    if (tried->squares < INFINITY)
        refine(fitting, tried);
    if (tried->squares < best->squares)
        *best = *tried;
}

static struct hwc_hierarchy inserted(const struct hwc_hierarchy *hierarchy, double capacity)
{
    struct hwc_hierarchy more = *hierarchy;
    unsigned at = more.levels++;

    for (; at > 0 && more.capacity[at - 1] > capacity; at--) {
        more.capacity[at] = more.capacity[at - 1];
        more.spread[at] = more.spread[at - 1];
    }
    more.capacity[at] = capacity;
    more.spread[at] = HWC_SPREAD_EVENLY;
    more.spread[0] = HWC_SPREAD_EVENLY;
    return more;
}

/* The best hierarchy with one level more. */
static struct hwc_hierarchy with_one_more(const struct hwc_fitting *fitting, const struct hwc_hierarchy *hierarchy)
{
    double last = fitting->octaves[fitting->points - 1] - policy.full;
    double capacity = fitting->octaves[0];
    struct hwc_hierarchy best = {.squares = INFINITY};

    while (capacity <= last) {
        struct hwc_hierarchy tried = inserted(hierarchy, capacity);
        capacity += policy.coarse_step;
        begin_from(fitting, &tried, &best);
    }
    return best;
}

static struct hwc_hierarchy removed(const struct hwc_hierarchy *hierarchy, unsigned level)
{
    struct hwc_hierarchy fewer = *hierarchy;

    fewer.levels--;
    for (unsigned i = level; i < fewer.levels; i++) {
        fewer.capacity[i] = fewer.capacity[i + 1];
        fewer.spread[i] = fewer.spread[i + 1];
    }
    fewer.spread[0] = HWC_SPREAD_EVENLY;
    return fewer;
}

/* The best hierarchy with one level less: adding levels one by one may have led to a worse one. */
static void try_one_less(const struct hwc_fitting *fitting, const struct hwc_hierarchy *hierarchy,
                         struct hwc_hierarchy *best)
{
    for (unsigned level = 0; level < hierarchy->levels; level++) {
        struct hwc_hierarchy tried = removed(hierarchy, level);
        begin_from(fitting, &tried, best);
    }
}

/* The mean square of residuals: more than 1 if points stray further than their errors. */
static double misfit_of(const struct hwc_fitting *fitting, const struct hwc_hierarchy *hierarchy)
{
    double freedom = (double)fitting->points - 1 - policy.parameters * hierarchy->levels;

    return fmax(1, hierarchy->squares / fmax(freedom, 1));
}

/* The same near a level's capacity. */
static double misfit_near(const struct hwc_fitting *fitting, const struct hwc_hierarchy *hierarchy, unsigned level)
{
    double squares = 0, points = 0, factor[HWC_TERMS];

    for (size_t j = 0; j < fitting->points; j++) {
        double residual;
        if (fabs(fitting->octaves[j] - hierarchy->capacity[level]) > policy.near)
            continue;
        hwc_factors_at(fitting, hierarchy, j, factor);
        residual = hwc_residual_at(fitting, hierarchy, j, factor);
        squares += residual * residual;
        points++;
    }
    return fmax(1, squares / fmax(points - policy.parameters, 1));
}

/* Cycles of a reference that the level serves; beyond the last one, memory. */
static double cycles_of(const struct hwc_hierarchy *hierarchy, unsigned level)
{
    double cycles = 0;

    for (unsigned i = 0; i <= level; i++)
        cycles += hierarchy->term[i];
    return cycles;
}

static void take_in(struct hwc_fitted_cycles *cycles, double value)
{
    cycles->least = fmin(cycles->least, value);
    cycles->most = fmax(cycles->most, value);
}

/* How far from its best value can a capacity be? Its neighbours adapt. The cycles of all that is possible, here and in
 * the next level, are taken in. The bound lies a step beyond: spreads lie between those that are tried. */
static double bound_of(const struct hwc_fitting *fitting, const struct hwc_hierarchy *best, unsigned at, double step,
                       struct hwc_fitted_cycles *here, struct hwc_fitted_cycles *next)
{
    double most = best->squares + policy.bound * misfit_near(fitting, best, at), capacity = best->capacity[at];
    struct hwc_hierarchy moved = *best;
    double bound = step < 0 ? INFINITY : -INFINITY, beyond = 2 * step;
    bool rivals = fitting->rivalries > 1 && at + 1 == best->levels;

    for (; fabs(capacity - best->capacity[at]) < policy.reach && moved.squares <= most; capacity += step) {
        double kept = capacity + hwc_kept_octaves(fitting, &moved, at);
        bound = step < 0 ? fmin(bound, kept) : fmax(bound, kept);
        take_in(here, cycles_of(&moved, at));
        take_in(next, cycles_of(&moved, at + 1));
        moved.squares = INFINITY;
        try_spreads(fitting, &moved, at, capacity + step);
        if (moved.squares == INFINITY) {
            beyond = step;
            break;
        }
        if (at > 0)
            move(fitting, &moved, 2 * policy.fine_step, at - 1, at);
        if (at + 1 < moved.levels)
            move(fitting, &moved, 2 * policy.fine_step, at + 1, at + 2);
        try_spreads(fitting, &moved, at, capacity + step);
        try_losses(fitting, &moved, 4 * policy.fine_step);
    }
    return exp2(bound + beyond + (rivals ? copysign(policy.between, step) : 0));
}

/* The bounds of a level, and the cycles of all that is possible there and in the next. */
static void bound(const struct hwc_fitting *fitting, const struct hwc_hierarchy *hierarchy, unsigned level,
                  struct hwc_fitted_level *bounds, struct hwc_fitted_cycles *cycles)
{
    bounds->low = bound_of(fitting, hierarchy, level, -policy.fine_step, &cycles[level], &cycles[level + 1]);
    bounds->high = bound_of(fitting, hierarchy, level, policy.fine_step, &cycles[level], &cycles[level + 1]);
}

/* The best hierarchy whose last level others put lines out of all the time. */
static struct hwc_hierarchy with_loss(const struct hwc_fitting *fitting, const struct hwc_hierarchy *hierarchy)
{
    double last = hierarchy->capacity[hierarchy->levels - 1];
    double cycles = cycles_of(hierarchy, hierarchy->levels);
    struct hwc_hierarchy best = {.squares = INFINITY};

    for (int octaves = policy.least_loss; octaves <= policy.most_loss; octaves += policy.loss_step) {
        struct hwc_hierarchy tried = *hierarchy;
        tried.loss = exp2(octaves - last) / cycles;
        begin_from(fitting, &tried, &best);
    }
    return best;
}

/* What loss would explain better is possible, too: then hits of the last level take less than it seems, and the level
 * above ends earlier. */
static void allow_loss(const struct hwc_fitting *fitting, const struct hwc_hierarchy *hierarchy,
                       struct hwc_levels_fit *fit, struct hwc_fitted_cycles *cycles)
{
    struct hwc_hierarchy other;

    if (fitting->rivalries == 1)
        return;
    other = with_loss(fitting, hierarchy);
    if (!(other.squares < hierarchy->squares - policy.hint))
        return;
    for (unsigned i = 0; i < hierarchy->levels; i++) {
        struct hwc_fitted_level lossy = {0};
        bound(fitting, &other, i, &lossy, cycles);
        fit->level[i].low = fmin(fit->level[i].low, lossy.low);
        fit->level[i].high = fmax(fit->level[i].high, lossy.high);
    }
}

static void report(const struct hwc_fitting *fitting, const struct hwc_hierarchy *hierarchy, struct hwc_levels_fit *fit)
{
    struct hwc_fitted_cycles cycles[HWC_MOST_FITTED + 1];

    for (unsigned i = 0; i <= hierarchy->levels; i++) {
        double value = cycles_of(hierarchy, i);
        cycles[i] = (struct hwc_fitted_cycles){value, value, value};
    }
    *fit = (struct hwc_levels_fit){.levels = hierarchy->levels};
    for (unsigned i = 0; i < hierarchy->levels; i++) {
        fit->level[i].capacity = exp2(hierarchy->capacity[i] + hwc_kept_octaves(fitting, hierarchy, i));
        bound(fitting, hierarchy, i, &fit->level[i], cycles);
    }
    allow_loss(fitting, hierarchy, fit, cycles);
    for (unsigned i = 0; i < hierarchy->levels; i++)
        fit->level[i].cycles = cycles[i];
    fit->memory = cycles[hierarchy->levels];
}

/* Where pages lie changes a point's value by about as much as its neighbours': together they have enough arenas to say
 * how much. */
static double placement_error(const struct hwc_drawn_curve *curve, size_t point)
{
    size_t first = point > policy.neighbours ? point - policy.neighbours : 0;
    double squares = 0, freedom = 0;

    for (size_t k = first; k < curve->points && k <= point + policy.neighbours; k++) {
        squares += curve->cycles[k].squares / (curve->cycles[k].mean * curve->cycles[k].mean);
        freedom += curve->cycles[k].readings - 1;
    }
    return freedom > 0 ? curve->cycles[point].mean * sqrt(squares / freedom) : 0;
}

double hwc_drawn_error(const struct hwc_drawn_curve *curve, size_t point)
{
    double one = fmax(placement_error(curve, point), curve->reading[point]);

    return one / sqrt(curve->cycles[point].readings);
}

static void prepare(const struct hwc_drawn_curve *curve, struct hwc_fitting *fitting)
{
    hwc_held_share_init(&fitting->share);
    fitting->points = curve->points;
    fitting->spreads = HWC_SPREADS;
    fitting->rivalries = 1;
    while (fitting->spreads > HWC_SPREAD_EVENLY + 1 && hwc_spread_ways(fitting->spreads - 1) < curve->least_ways)
        fitting->spreads--;
    for (size_t j = 0; j < curve->points; j++) {
        fitting->octaves[j] = log2(curve->bytes[j]);
        fitting->cycles[j] = curve->cycles[j].mean;
        fitting->error[j] = hypot(HWC_FIT_FLOOR * fitting->cycles[j], hwc_drawn_error(curve, j));
    }
}

/* The same levels, with rivals at the last one. */
static struct hwc_hierarchy with_rivals(const struct hwc_fitting *fitting, const struct hwc_hierarchy *hierarchy)
{
    struct hwc_hierarchy tried = *hierarchy;

    refine(fitting, &tried);
    return tried;
}

/* Where points stray from the last level's, or another level is there for them only, rivals may be why. */
static unsigned allow_rivals(struct hwc_fitting *fitting, struct hwc_hierarchy *found, unsigned levels)
{
    struct hwc_hierarchy same, fewer, more;

    if (levels < 2)
        return levels;
    fitting->rivalries = HWC_RIVALRIES;
    same = with_rivals(fitting, &found[levels]);
    fewer = with_rivals(fitting, &found[levels - 1]);
    more = with_one_more(fitting, &fewer);
    if (more.squares < same.squares)
        same = more;
    if (levels > 2 && fewer.rivalry > 0 && fewer.squares - same.squares <= policy.gain * misfit_of(fitting, &same)) {
        found[levels - 1] = fewer;
        return levels - 1;
    }
    if (same.rivalry > 0 && same.squares < found[levels].squares - policy.gain)
        found[levels] = same;
    return levels;
}

/* Could no further level hide between two footprints, because no points in between are precise? It and those above hold
 * at least twice as much as without it. */
static bool are_bridged(const struct hwc_fitting *fitting, double from, double to)
{
    double last = from;

    for (size_t j = 0; j < fitting->points && fitting->octaves[j] < to; j++) {
        if (fitting->octaves[j] <= from || fitting->error[j] > policy.precise * fitting->cycles[j])
            continue;
        if (fitting->octaves[j] - last > policy.apart)
            return false;
        last = fitting->octaves[j];
    }
    return to - last <= policy.apart;
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
    struct hwc_fitting fitting;
    struct hwc_hierarchy found[HWC_MOST_FITTED + 1] = {{0}};
    unsigned most = 0, levels;

    *fit = (struct hwc_levels_fit){0};
    if (curve->points < 3)
        return false;
    prepare(curve, &fitting);
    hwc_evaluate(&fitting, &found[0]);
    for (; most < HWC_MOST_FITTED; most++) {
        found[most + 1] = with_one_more(&fitting, &found[most]);
        if (!(found[most + 1].squares < found[most].squares - policy.gain))
            break;
    }
    for (levels = most; levels > 0; levels--)
        try_one_less(&fitting, &found[levels], &found[levels - 1]);
    levels = most;
    while (levels > 0 && found[levels - 1].squares - found[most].squares <=
                             policy.gain * (most - levels + 1) * misfit_of(&fitting, &found[most]))
        levels--;
    if (curve->rivals)
        levels = allow_rivals(&fitting, found, levels);
    report(&fitting, &found[levels], fit);
    fit->told = levels_told(&fitting, fit);
    return levels > 0;
}
