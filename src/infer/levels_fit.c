#include "levels_fit.h"

#include <math.h>
#include <string.h>

#include "held_share.h"

enum { TERMS = HWC_MOST_FITTED + 1 };

static const struct {
    double coarse_step, fine_step, reach;
    double least_rise;
    double parameters, gain, bound;
    double full, apart;
    double near;
    size_t neighbours;
} policy = {
    .coarse_step = 1.0 / 2, /* octaves */
    .fine_step = 1.0 / 64,
    .reach = 1.5, /* from a capacity to its bounds, at most */
    /* A level takes longer than the one above by at least this share: less is what translation or alignment adds. */
    .least_rise = 0.15,
    .parameters = 3, /* of a level: its capacity, its spread and its rise */
    /* A further level is there if it explains more of the squared residuals than chance does; a capacity is out of
     * bounds if it explains less than the best by as much as four standard errors. */
    .gain = 16,
    .bound = 16,
    .full = 0.5, /* octaves: as much more than the capacity has the largest footprint, at least */
    .apart = 1, /* each level and those above hold at least twice as much as without it */
    .near = 2,   /* octaves from a capacity, within which points say how well it fits */
    .neighbours = 2,
};

struct fitting {
    struct hwc_held_share share;
    size_t points;
    unsigned spreads; /* the first of those that there are: of levels below the first */
    double octaves[HWC_MOST_DRAWN_POINTS]; /* of the footprint */
    double cycles[HWC_MOST_DRAWN_POINTS], error[HWC_MOST_DRAWN_POINTS];
};

struct hierarchy {
    unsigned levels;
    double capacity[HWC_MOST_FITTED]; /* octaves, ascending */
    unsigned spread[HWC_MOST_FITTED];
    double term[TERMS]; /* cycles of the first level, and what each level's misses add */
    double squares;     /* of the residuals, in standard errors; INFINITY = not possible */
};

/* Solve the normal equations in place, by Cholesky's decomposition. False if they are singular. */
static bool solve(double matrix[TERMS][TERMS], double *vector, unsigned terms)
{
    for (unsigned i = 0; i < terms; i++)
        for (unsigned k = 0; k <= i; k++) {
            double sum = matrix[i][k];
            for (unsigned j = 0; j < k; j++)
                sum -= matrix[i][j] * matrix[k][j];
            if (i == k && sum <= 1e-12 * matrix[i][i])
                return false;
            matrix[i][k] = i == k ? sqrt(sum) : sum / matrix[k][k];
        }
    for (unsigned i = 0; i < terms; i++) {
        for (unsigned k = 0; k < i; k++)
            vector[i] -= matrix[i][k] * vector[k];
        vector[i] /= matrix[i][i];
    }
    for (unsigned i = terms; i-- > 0;) {
        for (unsigned k = i + 1; k < terms; k++)
            vector[i] -= matrix[k][i] * vector[k];
        vector[i] /= matrix[i][i];
    }
    return true;
}

/* What each term is multiplied by at a point. */
static void factors_at(const struct fitting *fitting, const struct hierarchy *hierarchy, size_t point,
                       double factor[TERMS])
{
    factor[0] = 1;
    for (unsigned i = 0; i < hierarchy->levels; i++)
        factor[1 + i] = hwc_miss_share(&fitting->share, hierarchy->spread[i],
                                       fitting->octaves[point] - hierarchy->capacity[i]);
}

static bool solve_terms(const struct fitting *fitting, struct hierarchy *hierarchy, double factors[][TERMS])
{
    double matrix[TERMS][TERMS] = {{0}}, vector[TERMS] = {0};
    unsigned terms = hierarchy->levels + 1;

    for (size_t j = 0; j < fitting->points; j++) {
        double weight = 1 / (fitting->error[j] * fitting->error[j]);
        for (unsigned i = 0; i < terms; i++) {
            for (unsigned k = 0; k <= i; k++)
                matrix[i][k] += factors[j][i] * factors[j][k] * weight;
            vector[i] += factors[j][i] * fitting->cycles[j] * weight;
        }
    }
    if (!solve(matrix, vector, terms))
        return false;
    memcpy(hierarchy->term, vector, sizeof vector);
    return true;
}

/* Does every level take longer than the one above? */
static bool rises(const struct hierarchy *hierarchy)
{
    double cycles = hierarchy->term[0];

    for (unsigned i = 0; i < hierarchy->levels; i++) {
        if (cycles <= 0 || hierarchy->term[1 + i] < policy.least_rise * cycles)
            return false;
        cycles += hierarchy->term[1 + i];
    }
    return cycles > 0;
}

/* In standard errors. */
static double residual_at(const struct fitting *fitting, const struct hierarchy *hierarchy, size_t point,
                          const double factor[TERMS])
{
    double residual = fitting->cycles[point];

    for (unsigned i = 0; i <= hierarchy->levels; i++)
        residual -= hierarchy->term[i] * factor[i];
    return residual / fitting->error[point];
}

static void evaluate(const struct fitting *fitting, struct hierarchy *hierarchy)
{
    double factors[HWC_MOST_DRAWN_POINTS][TERMS];

    hierarchy->squares = INFINITY;
    for (size_t j = 0; j < fitting->points; j++)
        factors_at(fitting, hierarchy, j, factors[j]);
    if (!solve_terms(fitting, hierarchy, factors) || !rises(hierarchy))
        return;
    hierarchy->squares = 0;
    for (size_t j = 0; j < fitting->points; j++) {
        double residual = residual_at(fitting, hierarchy, j, factors[j]);
        hierarchy->squares += residual * residual;
    }
}

/* Are the capacities in order and apart, and is each exceeded by some footprint? */
static bool in_order(const struct fitting *fitting, const struct hierarchy *hierarchy, unsigned level)
{
    const double *capacity = hierarchy->capacity;

    return (level == 0 || capacity[level - 1] + policy.apart <= capacity[level]) &&
           (level + 1 == hierarchy->levels || capacity[level] + policy.apart <= capacity[level + 1]) &&
           capacity[level] <= fitting->octaves[fitting->points - 1] - policy.full;
}

/* Try every spread at this capacity. The first level goes by virtual addresses, which are contiguous. */
static void try_spreads(const struct fitting *fitting, struct hierarchy *best, unsigned level, double capacity)
{
    struct hierarchy tried = *best;
    unsigned spreads = level == 0 ? HWC_SPREAD_EVENLY + 1 : fitting->spreads;

    tried.capacity[level] = capacity;
    if (!in_order(fitting, &tried, level))
        return;
    for (tried.spread[level] = 0; tried.spread[level] < spreads; tried.spread[level]++) {
        evaluate(fitting, &tried);
        if (tried.squares < best->squares)
            *best = tried;
    }
}

/* Move one capacity at a time, from `first` to before `end`, until no move is better. */
static void move(const struct fitting *fitting, struct hierarchy *hierarchy, double step, unsigned first, unsigned end)
{
    for (bool better = true; better;) {
        double before = hierarchy->squares;
        for (unsigned level = first; level < end; level++) {
            double capacity = hierarchy->capacity[level];
            try_spreads(fitting, hierarchy, level, capacity - step);
            try_spreads(fitting, hierarchy, level, capacity);
            try_spreads(fitting, hierarchy, level, capacity + step);
        }
        better = hierarchy->squares < before - 0.01;
    }
}

static void refine(const struct fitting *fitting, struct hierarchy *hierarchy)
{
    double step = policy.coarse_step;

    while (step >= policy.fine_step) {
        move(fitting, hierarchy, step, 0, hierarchy->levels);
        step /= 2;
    }
}

static struct hierarchy inserted(const struct hierarchy *hierarchy, double capacity)
{
    struct hierarchy more = *hierarchy;
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
static struct hierarchy with_one_more(const struct fitting *fitting, const struct hierarchy *hierarchy)
{
    double last = fitting->octaves[fitting->points - 1] - policy.full;
    double capacity = fitting->octaves[0];
    struct hierarchy best = {.squares = INFINITY};

    while (capacity <= last) {
        struct hierarchy tried = inserted(hierarchy, capacity);
        capacity += policy.coarse_step;
        evaluate(fitting, &tried);
        if (tried.squares < INFINITY)
            refine(fitting, &tried);
        if (tried.squares < best.squares)
            best = tried;
    }
    return best;
}

static struct hierarchy removed(const struct hierarchy *hierarchy, unsigned level)
{
    struct hierarchy fewer = *hierarchy;

    fewer.levels--;
    for (unsigned i = level; i < fewer.levels; i++) {
        fewer.capacity[i] = fewer.capacity[i + 1];
        fewer.spread[i] = fewer.spread[i + 1];
    }
    fewer.spread[0] = HWC_SPREAD_EVENLY;
    return fewer;
}

/* The best hierarchy with one level less: adding levels one by one may have led to a worse one. */
static void try_one_less(const struct fitting *fitting, const struct hierarchy *hierarchy, struct hierarchy *best)
{
    for (unsigned level = 0; level < hierarchy->levels; level++) {
        struct hierarchy tried = removed(hierarchy, level);
        evaluate(fitting, &tried);
        if (tried.squares < INFINITY)
            refine(fitting, &tried);
        if (tried.squares < best->squares)
            *best = tried;
    }
}

/* The mean square of residuals: more than 1 if points stray further than their errors. */
static double misfit_of(const struct fitting *fitting, const struct hierarchy *hierarchy)
{
    double freedom = (double)fitting->points - 1 - policy.parameters * hierarchy->levels;

    return fmax(1, hierarchy->squares / fmax(freedom, 1));
}

/* The same near a level's capacity. */
static double misfit_near(const struct fitting *fitting, const struct hierarchy *hierarchy, unsigned level)
{
    double squares = 0, points = 0, factor[TERMS];

    for (size_t j = 0; j < fitting->points; j++) {
        double residual;
        if (fabs(fitting->octaves[j] - hierarchy->capacity[level]) > policy.near)
            continue;
        factors_at(fitting, hierarchy, j, factor);
        residual = residual_at(fitting, hierarchy, j, factor);
        squares += residual * residual;
        points++;
    }
    return fmax(1, squares / fmax(points - policy.parameters, 1));
}

/* Cycles of a reference that the level serves; beyond the last one, memory. */
static double cycles_of(const struct hierarchy *hierarchy, unsigned level)
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
static double bound_of(const struct fitting *fitting, const struct hierarchy *best, unsigned at, double step,
                       struct hwc_fitted_cycles *here, struct hwc_fitted_cycles *next)
{
    double most = best->squares + policy.bound * misfit_near(fitting, best, at), capacity = best->capacity[at];
    struct hierarchy moved = *best;

    for (; fabs(capacity - best->capacity[at]) < policy.reach && moved.squares <= most; capacity += step) {
        take_in(here, cycles_of(&moved, at));
        take_in(next, cycles_of(&moved, at + 1));
        moved.squares = INFINITY;
        try_spreads(fitting, &moved, at, capacity + step);
        if (moved.squares == INFINITY)
            break;
        if (at > 0)
            move(fitting, &moved, 2 * policy.fine_step, at - 1, at);
        if (at + 1 < moved.levels)
            move(fitting, &moved, 2 * policy.fine_step, at + 1, at + 2);
        try_spreads(fitting, &moved, at, capacity + step);
    }
    return exp2(capacity + step);
}

static void report(const struct fitting *fitting, const struct hierarchy *hierarchy, struct hwc_levels_fit *fit)
{
    struct hwc_fitted_cycles cycles[HWC_MOST_FITTED + 1];

    for (unsigned i = 0; i <= hierarchy->levels; i++) {
        double value = cycles_of(hierarchy, i);
        cycles[i] = (struct hwc_fitted_cycles){value, value, value};
    }
    *fit = (struct hwc_levels_fit){.levels = hierarchy->levels};
    for (unsigned i = 0; i < hierarchy->levels; i++)
        fit->level[i] = (struct hwc_fitted_level){
            .capacity = exp2(hierarchy->capacity[i]),
            .low = bound_of(fitting, hierarchy, i, -policy.fine_step, &cycles[i], &cycles[i + 1]),
            .high = bound_of(fitting, hierarchy, i, policy.fine_step, &cycles[i], &cycles[i + 1]),
        };
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

static void prepare(const struct hwc_drawn_curve *curve, struct fitting *fitting)
{
    hwc_held_share_init(&fitting->share);
    fitting->points = curve->points;
    fitting->spreads = HWC_SPREADS;
    while (fitting->spreads > HWC_SPREAD_EVENLY + 1 && hwc_spread_ways(fitting->spreads - 1) < curve->least_ways)
        fitting->spreads--;
    for (size_t j = 0; j < curve->points; j++) {
        fitting->octaves[j] = log2(curve->bytes[j]);
        fitting->cycles[j] = curve->cycles[j].mean;
        fitting->error[j] = hypot(HWC_FIT_FLOOR * fitting->cycles[j], hwc_drawn_error(curve, j));
    }
}

bool hwc_fit_levels(const struct hwc_drawn_curve *curve, struct hwc_levels_fit *fit)
{
    struct fitting fitting;
    struct hierarchy found[HWC_MOST_FITTED + 1] = {{0}};
    unsigned most = 0, levels;

    *fit = (struct hwc_levels_fit){0};
    if (curve->points < 3)
        return false;
    prepare(curve, &fitting);
    evaluate(&fitting, &found[0]);
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
    report(&fitting, &found[levels], fit);
    return levels > 0;
}
