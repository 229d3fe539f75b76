#include "excess.h"

#include <math.h>

void sim_excess_init(struct sim_excess *excess, const double *values, unsigned count, double references)
{
    double square = 0;

    *excess = (struct sim_excess){.references = references};
    for (unsigned i = 0; i < count; i++) {
        excess->mean += values[i] / count;
        square += values[i] * values[i] / count;
    }
    excess->variance = fmax(0, square - excess->mean * excess->mean);
}

void sim_excess_add_outlier(struct sim_excess *excess, double value, double share)
{
    if (excess->outliers < SIM_MOST_OUTLIERS)
        excess->outlier[excess->outliers++] = value;
    excess->outlier_share = share;
}

void sim_excess_scale(struct sim_excess *excess, double usual, double outliers)
{
    excess->mean *= usual;
    excess->variance *= usual * usual;
    for (unsigned i = 0; i < excess->outliers; i++)
        excess->outlier[i] *= outliers;
}

/* By Knuth's product of uniforms, or where many are expected, as they are spread then. */
static uint64_t draw_poisson(double expected, struct hwc_random *random)
{
    double limit = exp(-expected), product;
    uint64_t count = 0;

    if (expected > 30)
        return (uint64_t)fmax(0, round(expected + sqrt(expected) * hwc_random_normal(random)));
    product = hwc_random_unit(random);
    while (product > limit) {
        product *= hwc_random_unit(random);
        count++;
    }
    return count;
}

/* Marsaglia and Tsang, "A simple method for generating gamma variables" (2000), for a scale of 1. */
static double draw_gamma(double shape, struct hwc_random *random)
{
    double d, c;

    if (shape < 1)
        return draw_gamma(shape + 1, random) * pow(1 - hwc_random_unit(random), 1 / shape);
    d = shape - 1.0 / 3;
    c = 1 / sqrt(9 * d);
    for (;;) {
        double x = hwc_random_normal(random), v = pow(1 + c * x, 3);
        if (v > 0 && log(1 - hwc_random_unit(random)) < x * x / 2 + d - d * v + d * log(v))
            return d * v;
    }
}

/* One-sided where a normal distribution would reach below zero. */
static double draw_usual(double mean, double variance, struct hwc_random *random)
{
    if (variance <= 0)
        return mean;
    if (mean > 0 && mean * mean < 16 * variance)
        return draw_gamma(mean * mean / variance, random) * variance / mean;
    return mean + sqrt(variance) * hwc_random_normal(random);
}

double sim_excess_draw(const struct sim_excess *excess, double references, struct hwc_random *random)
{
    double values = references / excess->references;
    double usual = values * (1 - excess->outliers * excess->outlier_share);
    double sum = draw_usual(usual * excess->mean, usual * excess->variance, random);
    uint64_t late;

    if (excess->outliers == 0)
        return sum;
    late = draw_poisson(values * excess->outliers * excess->outlier_share, random);
    for (; late > 0; late--)
        sum += excess->outlier[hwc_random_below(random, excess->outliers)];
    return sum;
}
