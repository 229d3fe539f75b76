#include "levels_bounds.h"

#include <math.h>

#include "hierarchy_search.h"

static const struct {
    double reach, bound, between, beyond;
    double loss_step, loss_reach;
} policy = {
    .reach = 1.5, /* octaves from a capacity to its bounds, at most */
    /* What explains the points less than the best by as much as four standard errors is out of bounds. */
    .bound = 16,
    .between = 1.0 / 16, /* octaves, by which what is kept differs where rivalry lies between two that are tried */
    .beyond = 2 * HWC_FINE_STEP, /* octaves: spreads lie between those that are tried */
    .loss_step = 0.5, /* octaves */
    .loss_reach = 8, /* beyond, a loss is none, or all */
};

static void take_in(struct hwc_fitted_cycles *cycles, double value)
{
    cycles->least = fmin(cycles->least, value);
    cycles->most = fmax(cycles->most, value);
}

/* Cycles of the level, or beyond the last one, of memory. */
static struct hwc_fitted_cycles *cycles_of(struct hwc_levels_fit *fit, unsigned level)
{
    return level < fit->levels ? &fit->level[level].cycles : &fit->memory;
}

/* Bytes that a level and those above keep. */
static double kept_by(const struct hwc_fitting *fitting, const struct hwc_hierarchy *hierarchy, unsigned level)
{
    return exp2(hierarchy->capacity[level] + hwc_kept_octaves(fitting, hierarchy, level));
}

/* The squares beyond which a hierarchy does not explain the points, near a level's capacity. */
static double most_squares(const struct hwc_fitting *fitting, const struct hwc_hierarchy *best, unsigned level)
{
    return best->squares + policy.bound * hwc_misfit_near(fitting, best, level);
}

/* The other levels, and losses, adapt to where a level's capacity was put. */
static void adapt(const struct hwc_fitting *fitting, struct hwc_hierarchy *moved, unsigned at)
{
    double capacity = moved->capacity[at];

    if (at > 0)
        hwc_move_capacities(fitting, moved, 2 * HWC_FINE_STEP, at - 1, at);
    if (at + 1 < moved->levels)
        hwc_move_capacities(fitting, moved, 2 * HWC_FINE_STEP, at + 1, at + 2);
    hwc_try_spreads(fitting, moved, at, capacity);
    hwc_try_losses(fitting, moved, 4 * HWC_FINE_STEP);
}

/* How far from its best value can a capacity be? The cycles of all that is possible, here and in the next level, are
 * taken in. */
static double bound_of(const struct hwc_fitting *fitting, const struct hwc_hierarchy *best, unsigned at, double step,
                       struct hwc_levels_fit *fit)
{
    double bound = step < 0 ? INFINITY : -INFINITY, beyond = copysign(policy.beyond, step);
    double capacity = best->capacity[at], most = most_squares(fitting, best, at);
    struct hwc_hierarchy moved = *best;
    bool rivals = fitting->rivalries > 1 && at + 1 == best->levels;

    for (; fabs(capacity - best->capacity[at]) < policy.reach && moved.squares <= most; capacity += step) {
        double kept = capacity + hwc_kept_octaves(fitting, &moved, at);
        bound = step < 0 ? fmin(bound, kept) : fmax(bound, kept);
        take_in(cycles_of(fit, at), hwc_hierarchy_cycles(&moved, at));
        take_in(cycles_of(fit, at + 1), hwc_hierarchy_cycles(&moved, at + 1));
        moved.squares = INFINITY;
        hwc_try_spreads(fitting, &moved, at, capacity + step);
        if (moved.squares == INFINITY) {
            beyond = step;
            break;
        }
        adapt(fitting, &moved, at);
    }
    return exp2(bound + beyond + (rivals ? copysign(policy.between, step) : 0));
}

/* The bounds of a level, and the cycles of all that is possible there and in the next. */
static void bound(const struct hwc_fitting *fitting, const struct hwc_hierarchy *best, unsigned level,
                  struct hwc_levels_fit *fit)
{
    struct hwc_fitted_level *bounds = &fit->level[level];

    bounds->low = fmin(bounds->low, bound_of(fitting, best, level, -HWC_FINE_STEP, fit));
    bounds->high = fmax(bounds->high, bound_of(fitting, best, level, HWC_FINE_STEP, fit));
}

static void set_values(const struct hwc_fitting *fitting, const struct hwc_hierarchy *best, struct hwc_levels_fit *fit)
{
    for (unsigned i = 0; i <= fit->levels; i++) {
        cycles_of(fit, i)->value = hwc_hierarchy_cycles(best, i);
        take_in(cycles_of(fit, i), cycles_of(fit, i)->value);
    }
    for (unsigned i = 0; i < fit->levels; i++)
        fit->level[i].capacity = kept_by(fitting, best, i);
}

void hwc_bound_levels(const struct hwc_fitting *fitting, const struct hwc_hierarchy *best, struct hwc_levels_fit *fit)
{
    *fit = (struct hwc_levels_fit){.levels = best->levels,
                                   .told = fit->told,
                                   .others = best->rivalry > 0 || hwc_loses_lines(best)};
    for (unsigned i = 0; i <= best->levels; i++)
        *cycles_of(fit, i) = (struct hwc_fitted_cycles){.least = INFINITY, .most = -INFINITY};
    set_values(fitting, best, fit);
    for (unsigned i = 0; i < best->levels; i++) {
        fit->level[i].low = INFINITY;
        bound(fitting, best, i, fit);
    }
}

/* Take in all of a hierarchy that is possible. */
static void take_in_all(const struct hwc_fitting *fitting, const struct hwc_hierarchy *possible,
                        struct hwc_levels_fit *fit)
{
    for (unsigned i = 0; i <= fit->levels; i++)
        take_in(cycles_of(fit, i), hwc_hierarchy_cycles(possible, i));
    for (unsigned i = 0; i < fit->levels; i++) {
        double kept = kept_by(fitting, possible, i);
        fit->level[i].low = fmin(fit->level[i].low, kept * exp2(-policy.beyond));
        fit->level[i].high = fmax(fit->level[i].high, kept * exp2(policy.beyond));
    }
}

/* How much more, or less, may a level lose? The last levels and the other loss adapt. */
static void vary_loss(const struct hwc_fitting *fitting, const struct hwc_hierarchy *lossy, unsigned loser, double most,
                      double step, struct hwc_levels_fit *fit)
{
    struct hwc_hierarchy moved = *lossy;

    moved.holds[loser] = true;
    for (double octaves = step; fabs(octaves) <= policy.loss_reach; octaves += step) {
        moved.loss[loser] = lossy->loss[loser] * exp2(octaves);
        hwc_evaluate(fitting, &moved);
        hwc_move_capacities(fitting, &moved, 2 * HWC_FINE_STEP, hwc_first_loser(&moved), moved.levels);
        if (!(moved.squares <= most))
            break;
        take_in_all(fitting, &moved, fit);
    }
}

/* All that losses may be, from these on, up to so many squares. */
static void vary_losses(const struct hwc_fitting *fitting, const struct hwc_hierarchy *lossy, double most,
                        struct hwc_levels_fit *fit)
{
    for (unsigned loser = 0; loser < HWC_LOSERS; loser++) {
        double here;
        if (lossy->loss[loser] <= 0)
            continue;
        here = fmin(most, most_squares(fitting, lossy, lossy->levels - 1 - loser));
        vary_loss(fitting, lossy, loser, here, -policy.loss_step, fit);
        vary_loss(fitting, lossy, loser, here, policy.loss_step, fit);
    }
}

/* What a level of few ways does not hold as its sets fill, one after the other, looks much like losses. */
static bool may_be_few_ways(const struct hwc_fitting *fitting)
{
    unsigned fewest = hwc_spread_ways(fitting->spreads - 1);

    return fewest > 0 && fewest < HWC_FEW_WAYS;
}

/* What the kind of losses that explains the points less well makes possible, if it explains them, too. */
static void take_in_other(const struct hwc_fitting *fitting, const struct hwc_hierarchy *best,
                          const struct hwc_hierarchy *other, double most, struct hwc_levels_fit *fit)
{
    double possible = fmin(most, best->squares + policy.bound * hwc_misfit(fitting, best));

    if (!(other->squares <= possible))
        return;
    take_in_all(fitting, other, fit);
    vary_losses(fitting, other, possible, fit);
}

/* Lost lines may have left room, or none, as well. */
static void allow_other_kind(const struct hwc_fitting *fitting, const struct hwc_hierarchy *lossy,
                             struct hwc_levels_fit *fit)
{
    const struct hwc_hierarchy other = hwc_with_losses(fitting, lossy, !lossy->leaves_room);

    take_in_other(fitting, lossy, &other, INFINITY, fit);
}

void hwc_allow_losses(const struct hwc_fitting *fitting, const struct hwc_hierarchy *without,
                      struct hwc_levels_fit *fit)
{
    struct hwc_hierarchy kept, left, lossy, other;

    if (hwc_loses_lines(without)) {
        vary_losses(fitting, without, INFINITY, fit);
        allow_other_kind(fitting, without, fit);
        return;
    }
    kept = hwc_with_losses(fitting, without, false);
    left = hwc_with_losses(fitting, without, true);
    lossy = kept.squares <= left.squares ? kept : left;
    other = kept.squares <= left.squares ? left : kept;
    if (!(lossy.squares < without->squares))
        return;
    if (lossy.squares < without->squares - policy.bound && !may_be_few_ways(fitting))
        hwc_bound_levels(fitting, &lossy, fit);
    else
        take_in_all(fitting, &lossy, fit);
    /* Where losses are not certain, those are possible that explain the points at least as well as none. */
    vary_losses(fitting, &lossy, without->squares, fit);
    take_in_other(fitting, &lossy, &other, without->squares, fit);
}
