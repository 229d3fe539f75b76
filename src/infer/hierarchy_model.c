#include "hierarchy_model.h"

#include <math.h>
#include <string.h>

/* A level takes longer than the one above by at least this share: less is what translation or alignment adds. */
static const double least_rise = 0.15;

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

static double miss_share(const struct hwc_fitting *fitting, const struct hwc_hierarchy *hierarchy, unsigned level,
                         double octaves, double cycles)
{
    bool is_last = level + 1 == hierarchy->levels;
    double share = hwc_miss_share(&fitting->share, hierarchy->spread[level], is_last ? hierarchy->rivalry : 0,
                                  octaves - hierarchy->capacity[level]);

    return is_last && hierarchy->loss > 0 ? 1 - (1 - share) / (1 + hierarchy->loss * exp2(octaves) * cycles) : share;
}

void hwc_factors_at(const struct hwc_fitting *fitting, const struct hwc_hierarchy *hierarchy, size_t point,
                    double factor[HWC_TERMS])
{
    factor[0] = 1;
    for (unsigned i = 0; i < hierarchy->levels; i++)
        factor[1 + i] = miss_share(fitting, hierarchy, i, fitting->octaves[point], fitting->cycles[point]);
}

/* Between points, at so many steps from one to the next. */
enum { STEPS = 8 };

double hwc_kept_octaves(const struct hwc_fitting *fitting, const struct hwc_hierarchy *hierarchy, unsigned level)
{
    double most = -INFINITY;

    if (level + 1 < hierarchy->levels || (hierarchy->rivalry == 0 && hierarchy->loss <= 0))
        return 0;
    for (size_t j = 0; j + 1 < fitting->points; j++)
        for (int step = 0; step < STEPS; step++) {
            double way = (double)step / STEPS;
            double octaves = fitting->octaves[j] + way * (fitting->octaves[j + 1] - fitting->octaves[j]);
            double cycles = fitting->cycles[j] + way * (fitting->cycles[j + 1] - fitting->cycles[j]);
            most = fmax(most, octaves + log2(1 - miss_share(fitting, hierarchy, level, octaves, cycles)));
        }
    return most - hierarchy->capacity[level];
}

static bool solve_terms(const struct hwc_fitting *fitting, struct hwc_hierarchy *hierarchy, double factors[][HWC_TERMS])
{
    double matrix[HWC_TERMS][HWC_TERMS] = {{0}}, vector[HWC_TERMS] = {0};
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
static bool rises(const struct hwc_hierarchy *hierarchy)
{
    double cycles = hierarchy->term[0];

    for (unsigned i = 0; i < hierarchy->levels; i++) {
        if (cycles <= 0 || hierarchy->term[1 + i] < least_rise * cycles)
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

void hwc_evaluate(const struct hwc_fitting *fitting, struct hwc_hierarchy *hierarchy)
{
    double factors[HWC_MOST_DRAWN_POINTS][HWC_TERMS];

    hierarchy->squares = INFINITY;
    for (size_t j = 0; j < fitting->points; j++)
        hwc_factors_at(fitting, hierarchy, j, factors[j]);
    if (!solve_terms(fitting, hierarchy, factors) || !rises(hierarchy))
        return;
    hierarchy->squares = 0;
    for (size_t j = 0; j < fitting->points; j++) {
        double residual = hwc_residual_at(fitting, hierarchy, j, factors[j]);
        hierarchy->squares += residual * residual;
    }
}
