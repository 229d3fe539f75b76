#include "cost_line.h"

#include <math.h>
#include <string.h>

#include "statistics.h"

static const struct {
    double alike; /* costs that differ by this share are the same */
} policy = {.alike = 0.04};

/* The first point at or beyond. */
static size_t place_of(const struct hwc_cost_line *line, double at)
{
    size_t i = 0;

    while (i < line->count && line->point[i].bytes < at)
        i++;
    return i;
}

static void insert(struct hwc_cost_line *line, size_t place, double at, double cost)
{
    if (line->count == HWC_LINE_POINTS)
        return;
    memmove(&line->point[place + 1], &line->point[place], (line->count - place) * sizeof line->point[0]);
    line->point[place] = (struct hwc_sized_cost){at, cost};
    line->count++;
}

int hwc_line_ask(struct hwc_cost_line *line, double at, double *cost, struct hwc_error *error)
{
    size_t place = place_of(line, at);

    if (place < line->count && line->point[place].bytes == at) {
        *cost = line->point[place].cost;
        return HWC_OK;
    }
    TRY(line->measure(line, at, cost, error));
    insert(line, place, at, *cost);
    return HWC_OK;
}

int hwc_line_fill(struct hwc_cost_line *line, double from, double to, int each, double grain, struct hwc_error *error)
{
    double cost;

    for (int i = 0; from * exp2((double)i / each) <= to; i++) {
        double at = round(from * exp2((double)i / each) / grain) * grain;
        if (at > 0 && at <= to)
            TRY(hwc_line_ask(line, at, &cost, error));
    }
    return HWC_OK;
}

int hwc_line_double(struct hwc_cost_line *line, double from, double to, struct hwc_error *error)
{
    double cost;

    for (int i = 0; ldexp(from, i) <= to; i++)
        TRY(hwc_line_ask(line, ldexp(from, i), &cost, error));
    return HWC_OK;
}

int hwc_line_again(struct hwc_cost_line *line, double from, double to, struct hwc_error *error)
{
    enum { ROUNDS = 2 };
    double cost[HWC_LINE_POINTS][ROUNDS + 1];
    const struct hwc_sized_cost *first;
    size_t count = hwc_line_between(line, from, to, &first), begin = (size_t)(first - line->point), end = begin + count;

    for (int round = 0; round < ROUNDS; round++)
        for (size_t i = begin; i < end; i++)
            TRY(line->measure(line, line->point[i].bytes, &cost[i][round], error));
    for (size_t i = begin; i < end; i++) {
        cost[i][ROUNDS] = line->point[i].cost;
        line->point[i].cost = hwc_median(cost[i], ROUNDS + 1);
    }
    return HWC_OK;
}

double hwc_line_least(const struct hwc_cost_line *line, double at)
{
    double least = INFINITY;

    for (size_t i = place_of(line, at); i < line->count; i++)
        least = fmin(least, line->point[i].cost);
    return least;
}

size_t hwc_line_between(const struct hwc_cost_line *line, double from, double to, const struct hwc_sized_cost **first)
{
    size_t begin = place_of(line, from), end = begin;

    while (end < line->count && line->point[end].bytes <= to)
        end++;
    *first = &line->point[begin];
    return end - begin;
}

bool hwc_line_is_level(const struct hwc_cost_line *line)
{
    const struct hwc_sized_cost *last = &line->point[line->count - 1];

    if (line->count < 2 || last->cost <= (1 + policy.alike) * line->point[0].cost)
        return false;
    return last->cost <= (1 + policy.alike) * last[-1].cost;
}

double hwc_line_within(const struct hwc_cost_line *line, const struct hwc_limit *limit)
{
    double last = 0;

    for (size_t i = 0; i < line->count && line->point[i].cost <= hwc_limit_at(limit, line->point[i].bytes); i++)
        last = line->point[i].bytes;
    return last;
}

int hwc_line_last(struct hwc_cost_line *line, double fits, double not, double grain, const struct hwc_limit *limit,
                  double *last, struct hwc_error *error)
{
    while (not - fits > grain) {
        double at = floor((fits + not) / 2 / grain) * grain, cost;
        TRY(hwc_line_ask(line, at, &cost, error));
        if (cost <= hwc_limit_at(limit, at))
            fits = at;
        else
            not = at;
    }
    *last = fits;
    return HWC_OK;
}

int hwc_line_add(const struct hwc_cost_line *line, struct hwc_curve *curve, const char *name, struct hwc_error *error)
{
    const struct hwc_witness *witness = hwc_line_witness(line);
    struct hwc_series *series;

    TRY(hwc_series_add(curve, name, line->source != NULL ? "per load" : "cycles", &series, error));
    series->witness = witness->kind;
    if (hwc_counts_events(witness))
        hwc_write(series->how, sizeof series->how, witness->factor != 1 ? "%s, of which each miss counts %.3g" : "%s",
                  witness->counter, witness->factor);
    for (size_t i = 0; i < line->count; i++)
        TRY(hwc_point_add(series, line->point[i].bytes, line->point[i].cost, error));
    return HWC_OK;
}
