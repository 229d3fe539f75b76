#include "hierarchy_model.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Octaves from a capacity, within which points say how well it fits. */
static const double near = 2;

/* Solve the normal equations in place, by Cholesky's decomposition. False if they are singular. */
static bool solve(double matrix[HWC_TERMS][HWC_TERMS], double *vector, unsigned terms)
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

bool hwc_loses_lines(const struct hwc_hierarchy *hierarchy)
{
    return hierarchy->loss[HWC_LAST_LOSES] > 0 || hierarchy->loss[HWC_ABOVE_LOSES] > 0;
}

unsigned hwc_first_loser(const struct hwc_hierarchy *hierarchy)
{
    return hierarchy->levels > HWC_LOSERS ? hierarchy->levels - HWC_LOSERS : 0;
}

static struct hwc_share_of share_by(const struct hwc_hierarchy *hierarchy, unsigned level)
{
    unsigned loser = hierarchy->levels - 1 - level;

    return (struct hwc_share_of){.capacity = hierarchy->capacity[level],
                                 .spread = hierarchy->spread[level],
                                 .rivalry = loser == HWC_LAST_LOSES ? hierarchy->rivalry : 0,
                                 .loss = loser < HWC_LOSERS ? hierarchy->loss[loser] : 0,
                                 .leaves_room = hierarchy->leaves_room};
}

/* The share that misses: more than fit, or no longer there when they come back. Where lost lines leave room, only the
 * others compete for it. */
static double share_of(const struct hwc_fitting *fitting, const struct hwc_share_of *of, double octaves, double round)
{
    double there = of->loss > 0 ? 1 / (1 + of->loss * round) : 1;
    double competing = octaves + (of->leaves_room ? log2(there) : 0);
    double share = hwc_miss_share(&fitting->share, of->spread, of->rivalry, competing - of->capacity);

    return 1 - (1 - share) * there;
}

static double miss_share(const struct hwc_fitting *fitting, const struct hwc_hierarchy *hierarchy, unsigned level,
                         double octaves, double round)
{
    const struct hwc_share_of of = share_by(hierarchy, level);

    return share_of(fitting, &of, octaves, round);
}

static bool are_alike(const struct hwc_share_of *one, const struct hwc_share_of *other)
{
    return one->capacity == other->capacity && one->loss == other->loss && one->spread == other->spread &&
           one->rivalry == other->rivalry && one->leaves_room == other->leaves_room;
}

/* Where they are kept: any place will do, if the same ones have the same. */
static unsigned place_of(const struct hwc_share_of *of)
{
    unsigned kind = (of->spread * HWC_RIVALRIES + of->rivalry) * 2 + of->leaves_room;
    uint64_t bits[2];

    memcpy(bits, (const double[2]){of->capacity, of->loss}, sizeof bits);
    bits[0] = (bits[0] ^ bits[1] * 3 ^ kind) * UINT64_C(0x9e3779b97f4a7c15);
    return (unsigned)(bits[0] >> 32) % HWC_FACTORS_KEPT;
}

static const double *kept_factors(const struct hwc_fitting *fitting, const struct hwc_hierarchy *hierarchy,
                                  unsigned level)
{
    const struct hwc_share_of of = share_by(hierarchy, level);
    struct hwc_factors *kept = &fitting->kept[place_of(&of)];

    if (kept->filled && are_alike(&kept->of, &of))
        return kept->at;
    for (size_t j = 0; j < fitting->points; j++)
        kept->at[j] = share_of(fitting, &of, fitting->octaves[j], fitting->round[j]);
    kept->of = of;
    kept->filled = true;
    return kept->at;
}

/* What the level above the last one keeps is there whatever the last one loses. */
static void allow_for_above(const struct hwc_hierarchy *hierarchy, double factor[HWC_TERMS])
{
    unsigned levels = hierarchy->levels;

    if (levels > 1 && hierarchy->loss[HWC_ABOVE_LOSES] > 0)
        factor[levels] = fmin(factor[levels], factor[levels - 1]);
}

void hwc_factors_at(const struct hwc_fitting *fitting, const struct hwc_hierarchy *hierarchy, size_t point,
                    double factor[HWC_TERMS])
{
    factor[0] = 1;
    for (unsigned i = 0; i < hierarchy->levels; i++)
        factor[1 + i] = miss_share(fitting, hierarchy, i, fitting->octaves[point], fitting->round[point]);
    allow_for_above(hierarchy, factor);
}

/* hwc_factors_at of all points. */
static void all_factors(const struct hwc_fitting *fitting, const struct hwc_hierarchy *hierarchy,
                        double factors[][HWC_TERMS])
{
    for (unsigned i = 0; i < hierarchy->levels; i++) {
        const double *at = kept_factors(fitting, hierarchy, i);
        for (size_t j = 0; j < fitting->points; j++)
            factors[j][1 + i] = at[j];
    }
    for (size_t j = 0; j < fitting->points; j++) {
        factors[j][0] = 1;
        allow_for_above(hierarchy, factors[j]);
    }
}

/* Between points, at so many steps from one to the next. */
enum { STEPS = 8 };

double hwc_kept_octaves(const struct hwc_fitting *fitting, const struct hwc_hierarchy *hierarchy, unsigned level)
{
    double most = -INFINITY;

    if (level + 1 < hierarchy->levels || (hierarchy->rivalry == 0 && hierarchy->loss[HWC_LAST_LOSES] <= 0))
        return 0;
    for (size_t j = 0; j + 1 < fitting->footprints; j++)
        for (int step = 0; step < STEPS; step++) {
            double way = (double)step / STEPS;
            double octaves = fitting->octaves[j] + way * (fitting->octaves[j + 1] - fitting->octaves[j]);
            double cycles = fitting->cycles[j] + way * (fitting->cycles[j + 1] - fitting->cycles[j]);
            double share = miss_share(fitting, hierarchy, level, octaves, exp2(octaves) * cycles);
            most = fmax(most, octaves + log2(1 - share));
        }
    return most - hierarchy->capacity[level];
}

double hwc_hierarchy_cycles(const struct hwc_hierarchy *hierarchy, unsigned level)
{
    double cycles = 0;

    for (unsigned i = 0; i <= level; i++)
        cycles += hierarchy->term[i];
    return cycles;
}

static bool solve_terms(const struct hwc_fitting *fitting, struct hwc_hierarchy *hierarchy, double factors[][HWC_TERMS])
{
    double matrix[HWC_TERMS][HWC_TERMS] = {{0}}, vector[HWC_TERMS] = {0};
    unsigned terms = hierarchy->levels + 1;

    for (size_t j = 0; j < fitting->points; j++) {
        for (unsigned i = 0; i < terms; i++) {
            double weighted = factors[j][i] * fitting->weight[j];
            for (unsigned k = 0; k <= i; k++)
                matrix[i][k] += weighted * factors[j][k];
            vector[i] += weighted * fitting->cycles[j];
        }
    }
    if (!solve(matrix, vector, terms))
        return false;
    memcpy(hierarchy->term, vector, sizeof vector);
    return true;
}

/* Does every level take longer than the one above? */
static bool rises(const struct hwc_hierarchy *hierarchy)
{
    double cycles = hierarchy->term[0];

    for (unsigned i = 0; i < hierarchy->levels; i++) {
        if (cycles <= 0 || hierarchy->term[1 + i] < HWC_LEAST_RISE * cycles)
            return false;
        cycles += hierarchy->term[1 + i];
    }
    return cycles > 0;
}

double hwc_residual_at(const struct hwc_fitting *fitting, const struct hwc_hierarchy *hierarchy, size_t point,
                       const double factor[HWC_TERMS])
{
    double residual = fitting->cycles[point];

    for (unsigned i = 0; i <= hierarchy->levels; i++)
        residual -= hierarchy->term[i] * factor[i];
    return residual / fitting->error[point];
}

static bool has_same_losses(const struct hwc_hierarchy *one, const struct hwc_hierarchy *other)
{
    bool same = one->leaves_room == other->leaves_room;

    for (unsigned i = 0; i < HWC_LOSERS; i++)
        same = same && one->loss[i] == other->loss[i];
    return same;
}

static bool has_same_levels(const struct hwc_hierarchy *one, const struct hwc_hierarchy *other)
{
    bool same = one->levels == other->levels && one->rivalry == other->rivalry && has_same_losses(one, other);

    for (unsigned i = 0; same && i < one->levels; i++)
        same = one->capacity[i] == other->capacity[i] && one->spread[i] == other->spread[i];
    return same;
}

/* Where what was found of it is kept: any place will do, if the same one has the same. */
static struct hwc_hierarchy *place_of_tried(const struct hwc_fitting *fitting, const struct hwc_hierarchy *hierarchy)
{
    uint64_t bits[HWC_MOST_FITTED + HWC_LOSERS] = {0};
    uint64_t hash = (hierarchy->levels * HWC_RIVALRIES + hierarchy->rivalry) * 2 + hierarchy->leaves_room;

    memcpy(bits, hierarchy->capacity, hierarchy->levels * sizeof bits[0]);
    memcpy(bits + HWC_MOST_FITTED, hierarchy->loss, sizeof hierarchy->loss);
    for (unsigned i = 0; i < hierarchy->levels; i++)
        hash = hash * HWC_SPREADS + hierarchy->spread[i];
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) {
        hash = (hash ^ bits[i]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    return &fitting->tried[hash % HWC_TRIED_KEPT];
}

static void evaluate(const struct hwc_fitting *fitting, struct hwc_hierarchy *hierarchy)
{
    double factors[HWC_MOST_POINTS][HWC_TERMS];

    hierarchy->squares = INFINITY;
    all_factors(fitting, hierarchy, factors);
    if (!solve_terms(fitting, hierarchy, factors) || !rises(hierarchy))
        return;
    hierarchy->squares = 0;
    for (size_t j = 0; j < fitting->points; j++) {
        double residual = hwc_residual_at(fitting, hierarchy, j, factors[j]);
        hierarchy->squares += residual * residual;
    }
}

void hwc_evaluate(const struct hwc_fitting *fitting, struct hwc_hierarchy *hierarchy)
{
    struct hwc_hierarchy *tried = place_of_tried(fitting, hierarchy);

    if (has_same_levels(tried, hierarchy)) {
        memcpy(hierarchy->term, tried->term, sizeof tried->term);
        hierarchy->squares = tried->squares;
        return;
    }
    evaluate(fitting, hierarchy);
    *tried = *hierarchy;
}

/* A level has a capacity, a spread and a rise. */
enum { LEVEL_PARAMETERS = 3 };

double hwc_scatter(const struct hwc_fitting *fitting, const struct hwc_hierarchy *hierarchy)
{
    double freedom = (double)fitting->points - 1 - LEVEL_PARAMETERS * (double)hierarchy->levels;

    return hierarchy->squares / fmax(freedom, 1);
}

double hwc_misfit(const struct hwc_fitting *fitting, const struct hwc_hierarchy *hierarchy)
{
    return fmax(1, hwc_scatter(fitting, hierarchy));
}

double hwc_misfit_near(const struct hwc_fitting *fitting, const struct hwc_hierarchy *hierarchy, unsigned level)
{
    double squares = 0, points = 0, factor[HWC_TERMS];

    for (size_t j = 0; j < fitting->points; j++) {
        double residual;
        if (fabs(fitting->octaves[j] - hierarchy->capacity[level]) > near)
            continue;
        hwc_factors_at(fitting, hierarchy, j, factor);
        residual = hwc_residual_at(fitting, hierarchy, j, factor);
        squares += residual * residual;
        points++;
    }
    return fmax(1, squares / fmax(points - LEVEL_PARAMETERS, 1));
}
