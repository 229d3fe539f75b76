#include "ramp.h"

#include <math.h>

static const struct {
    int most_ways, steps;
    double worst_residual; /* of the step */
    double worse;          /* a capacity is possible while the squares exceed the least by so many variances */
    int parameters;        /* hit, step, capacity and ways */
} policy = {.most_ways = 32, .steps = 512, .worst_residual = 0.02, .worse = 25, .parameters = 4};

/* The share of lines that miss. */
static double share_of(double bytes, double capacity, double ways)
{
    return fmin(1, fmax(0, (ways + 1) * (bytes - capacity) / bytes));
}

struct line {
    double hit, step, squares;
};

/* The least squares of hit + step * share. */
static struct line fit_line(const struct hwc_sized_cost *points, size_t count, double capacity, double ways)
{
    double n = (double)count, x = 0, y = 0, xx = 0, xy = 0;
    struct line line = {0};

    for (size_t i = 0; i < count; i++) {
        double share = share_of(points[i].bytes, capacity, ways);
        x += share;
        y += points[i].cost;
        xx += share * share;
        xy += share * points[i].cost;
    }
    line.step = n * xx - x * x > 0 ? (n * xy - x * y) / (n * xx - x * x) : 0;
    line.hit = (y - line.step * x) / n;
    for (size_t i = 0; i < count; i++) {
        double share = share_of(points[i].bytes, capacity, ways);
        line.squares += pow(points[i].cost - line.hit - line.step * share, 2);
    }
    return line;
}

/* The best number of ways for a capacity. */
static struct line fit_ways(const struct hwc_sized_cost *points, size_t count, double capacity, double *ways)
{
    struct line best = {.squares = INFINITY};

    for (int a = 1; a <= policy.most_ways; a++) {
        struct line line = fit_line(points, count, capacity, a);
        if (line.step <= 0 || line.squares >= best.squares)
            continue;
        best = line;
        *ways = a;
    }
    return best;
}

/* Look through [from, to]; those that fit about as well as the best bound it. */
static void search(const struct hwc_sized_cost *points, size_t count, double from, double to, struct hwc_ramp *ramp)
{
    double squares[512], least = INFINITY, step = (to - from) / policy.steps;

    for (int i = 0; i < policy.steps; i++) {
        double ways = 1, capacity = from + i * step;
        struct line line = fit_ways(points, count, capacity, &ways);
        squares[i] = line.squares;
        if (line.squares >= least)
            continue;
        least = line.squares;
        *ramp = (struct hwc_ramp){.hit = line.hit, .miss = line.hit + line.step, .capacity = capacity, .ways = ways,
                                  .residual = sqrt(line.squares / (double)count) / line.step};
    }
    ramp->low = ramp->high = ramp->capacity;
    for (int i = 0; i < policy.steps; i++) {
        if (squares[i] > least * (1 + policy.worse / ((double)count - policy.parameters)))
            continue;
        ramp->low = fmin(ramp->low, from + (i - 1) * step);
        ramp->high = fmax(ramp->high, from + (i + 1) * step);
    }
}

void hwc_fit_ramp(const struct hwc_sized_cost *points, size_t count, struct hwc_ramp *ramp)
{
    struct hwc_ramp rough = {0};

    *ramp = rough;
    if (count <= (size_t)policy.parameters)
        return;
    search(points, count, points[0].bytes, points[count - 1].bytes, &rough);
    *ramp = rough;
    if (!(rough.high > rough.low))
        return;
    search(points, count, rough.low, rough.high, ramp);
    ramp->fits = ramp->residual < policy.worst_residual;
}

double hwc_roundest(double low, double high, double *power)
{
    for (*power = ldexp(1, 62); *power >= 1; *power /= 2)
        if (ceil(low / *power) * *power <= high)
            return ceil(low / *power) * *power;
    *power = 0;
    return high;
}
