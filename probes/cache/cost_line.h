/* What a reference costs over a growing quantity: the points of one series, and where they rise. */
#ifndef HWC_COST_LINE_H
#define HWC_COST_LINE_H

#include "array_walk.h"
#include "curve.h"
#include "miss_source.h"
#include "ramp.h"

enum { HWC_LINE_POINTS = 512 };

struct hwc_cost_line {
    const struct hwc_miss_source *source; /* NULL = the time */
    size_t count;
    struct hwc_sized_cost point[HWC_LINE_POINTS]; /* in ascending order */
    int (*measure)(struct hwc_cost_line *line, double at, double *cost, struct hwc_error *error);
    struct hwc_array *array;
};

static inline const struct hwc_witness *hwc_line_witness(const struct hwc_cost_line *line)
{
    return line->source != NULL ? line->source->witness : &hwc_by_clock;
}

/* Measure at `at`, unless that was done before. Further points than there is room for are measured and dropped. */
int hwc_line_ask(struct hwc_cost_line *line, double at, double *cost, struct hwc_error *error);

/* Points in [from, to], `each` to an octave, at multiples of `grain`. */
int hwc_line_fill(struct hwc_cost_line *line, double from, double to, int each, double grain, struct hwc_error *error);

/* A point at `from`, and at each doubling up to `to`. */
int hwc_line_double(struct hwc_cost_line *line, double from, double to, struct hwc_error *error);

/* Measure the points in [from, to] twice more, round by round, and keep the median of each: what disturbs for a while
 * then does not settle any. */
int hwc_line_again(struct hwc_cost_line *line, double from, double to, struct hwc_error *error);

/* The least cost at `at` or beyond. A longer array costs no less: what is more was
 * disturbed. */
double hwc_line_least(const struct hwc_cost_line *line, double at);

/* The points in [from, to]; *first is the first of them. */
size_t hwc_line_between(const struct hwc_cost_line *line, double from, double to, const struct hwc_sized_cost **first);

/* Has the line stopped rising, between its last two points? One that never rose has not. */
bool hwc_line_is_level(const struct hwc_cost_line *line);

/* What a reference may cost at `at` where nothing is outgrown yet. */
struct hwc_limit {
    double cost, misses, apart; /* and of so many misses a pass its part: references are `apart` */
};

static inline double hwc_limit_at(const struct hwc_limit *limit, double at)
{
    return limit->cost + limit->misses * limit->apart / at;
}

/* The last of the first points within the limit; 0 = there is none. */
double hwc_line_within(const struct hwc_cost_line *line, const struct hwc_limit *limit);

/* By halving, the last multiple of `grain` in [fits, not) that is within the limit. */
int hwc_line_last(struct hwc_cost_line *line, double fits, double not, double grain, const struct hwc_limit *limit,
                  double *last, struct hwc_error *error);

/* Add the line's points to a series of the curve. */
int hwc_line_add(const struct hwc_cost_line *line, struct hwc_curve *curve, const char *name, struct hwc_error *error);

#endif
