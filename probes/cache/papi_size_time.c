/* What papi_cacheSize reads off the time where an event is missing (papi_cache_size.c).
 *
 * Where a level is outgrown, the time of a load rises from that of its hits to that of its misses. Where the step has
 * the corner of an LRU level that is filled evenly (ramp.h), the size is at the corner. Where it has none, because
 * pages lie at random in memory, others use the level, too, or its policy is another, the curve shows where the level
 * ends, but no size: bounds are then those of the hierarchy that references drawn at random show (seen_levels.h),
 * which need no corner. They also tell how many levels there are, and which of them a step is. */
#include <math.h>

#include "papi_curves.h"
#include "seen_levels.h"

static const struct {
    double first;           /* bytes */
    double rises;           /* a longer time differs by this share */
    int each, each_beyond;  /* points to an octave where a level is outgrown */
    double sharp;           /* residual of a step that is worth a closer look */
    double refined_ns;      /* of a pass over the longest array of a step that is looked at closely */
    double least_refined;   /* bytes, however slow */
    double most_again;      /* bytes of an array that is measured again where others work */
    double longest;         /* seconds, after which no further step is looked at closely */
    double most;            /* of what all levels that end add: then the first of them has ended */
    double noise, worst;    /* residual of a corner: in the scatter of hits, and as a share of the step */
} policy = {
    .first = 1024,
    .rises = 0.04,
    .each = 8,
    .each_beyond = 48,
    .sharp = 0.1,
    .refined_ns = 2.5e7,
    .least_refined = 8 << 20,
    .most_again = 8 << 20,
    .longest = 2,
    .most = 0.7, /* where pages fill sets by chance, no more than 0.63 of an array that fits misses */
    .noise = 2,
    .worst = 0.1,
};

/* Bytes between cells; arrays between which a level is outgrown differ by no less than a block. */
enum { STRIDE = 8, GRAIN = 512 };

static double longest_refined(const struct hwc_lab *lab)
{
    return fmax(policy.least_refined, policy.refined_ns / lab->machine->reference_ns * STRIDE);
}

static int measure_again(struct hwc_lab *lab, struct hwc_cost_line *time, double from, double to,
                         struct hwc_error *error)
{
    if (!lab->machine->interference)
        return HWC_OK;
    return hwc_line_again(time, from, fmin(to, policy.most_again), error);
}

static int fill(struct hwc_lab *lab, struct hwc_cost_line *time, double from, double to, int each,
                struct hwc_error *error)
{
    TRY(hwc_line_fill(time, from, to, each, GRAIN, error));
    return measure_again(lab, time, from, to, error);
}

static void fit(const struct hwc_cost_line *time, double from, double to, struct hwc_ramp *ramp)
{
    const struct hwc_sized_cost *points;
    size_t count = hwc_line_between(time, from, to, &points);

    hwc_fit_ramp(points, count, ramp);
}

/* How far the times of arrays that fit stray from their mean. */
static double scatter_of_hits(const struct hwc_cost_line *time, double from, const struct hwc_ramp *ramp)
{
    const struct hwc_sized_cost *points;
    size_t count = hwc_line_between(time, from, 0.95 * ramp->low, &points);
    struct hwc_tally tally = {0};

    for (size_t i = 0; i < count; i++)
        hwc_tally_add(&tally, points[i].cost);
    return count > 1 ? sqrt(tally.squares / (double)(count - 1)) : 0;
}

/* Where others work, times stray. The corner alone, without the far end of the step, which other levels may raise, is
 * one if its points stray from it about as much as those of arrays that fit stray from their mean. */
static void fit_corner(const struct hwc_cost_line *time, double from, struct hwc_ramp *ramp)
{
    struct hwc_ramp corner;
    double step;

    fit(time, from, ramp->capacity * 1.15, &corner);
    step = corner.miss - corner.hit;
    corner.fits = corner.fits || (corner.residual < policy.worst &&
                                  corner.residual * step < policy.noise * scatter_of_hits(time, from, &corner));
    if (corner.fits)
        *ramp = corner;
}

/* First all of the step roughly, then, if it has a corner, where the level is outgrown. */
static int measure_step(struct hwc_lab *lab, struct hwc_cost_line *time, double from, double last,
                        struct hwc_papi_step *step, struct hwc_error *error)
{
    double to = fmin(4 * from, last);

    if (to > longest_refined(lab))
        return HWC_OK;
    TRY(fill(lab, time, from / 2, to, to > policy.most_again ? policy.each / 2 : policy.each, error));
    fit(time, from / 2, to, &step->ramp);
    if (step->ramp.residual > policy.sharp || (lab->machine->interference && step->ramp.capacity > policy.most_again))
        return HWC_OK; /* others use so large a level, too: there is no corner to look for */
    TRY(fill(lab, time, step->ramp.capacity * 0.9, step->ramp.capacity * 1.2, policy.each_beyond, error));
    fit(time, from / 2, to, &step->ramp);
    if (!step->ramp.fits && lab->machine->interference)
        fit_corner(time, from / 2, &step->ramp);
    return HWC_OK;
}

static bool rises(const struct hwc_cost_line *time, double from, double to)
{
    return to <= time->point[time->count - 1].bytes &&
           hwc_line_least(time, to) > (1 + policy.rises) * hwc_line_least(time, from);
}

/* Where the next doubling of the array takes longer, from `from` on; 0 = nowhere. */
static double next_rise(const struct hwc_cost_line *time, double from, double last)
{
    for (double bytes = from; 2 * bytes <= last; bytes *= 2)
        if (rises(time, bytes, 2 * bytes))
            return bytes;
    return 0;
}

static double after_step(const struct hwc_cost_line *time, const struct hwc_papi_step *step)
{
    double end = step->ramp.capacity * (1 + 1 / step->ramp.ways), at = step->from;

    if (!step->ramp.fits)
        return step->to;
    while (at < end)
        at *= 2;
    /* If the level behind begins within this doubling, the next search must not jump over it. */
    return hwc_line_least(time, at) > (1 + policy.rises) * step->ramp.miss ? at / 2 : at;
}

int hwc_papi_find_steps(struct hwc_lab *lab, struct hwc_cost_line *time, struct hwc_papi_sizes *sizes,
                        struct hwc_error *error)
{
    double from = policy.first, begun = hwc_lab_elapsed(lab);

    sizes->steps = 0;
    TRY(measure_again(lab, time, 0, sizes->last, error));
    while (sizes->steps < HWC_PAPI_STEPS && (from = next_rise(time, from, sizes->last)) > 0) {
        struct hwc_papi_step *step = &sizes->step[sizes->steps++];
        double next;
        *step = (struct hwc_papi_step){.from = from, .to = 2 * from};
        if (!lab->machine->live || hwc_lab_elapsed(lab) - begun < policy.longest)
            TRY(measure_step(lab, time, from, sizes->last, step, error));
        next = after_step(time, step);
        from = next > from ? next : 2 * from;
    }
    return HWC_OK;
}

static bool is_size(double size, const struct hwc_papi_step *step)
{
    return size > 0 && fabs(size - step->ramp.capacity) < policy.rises * size;
}

static unsigned level_of_size(const struct hwc_papi_sizes *sizes, const struct hwc_papi_step *step)
{
    for (unsigned i = 0; i < sizes->sources; i++)
        if (!sizes->source[i].of_tlb && is_size(sizes->size[i], step))
            return sizes->source[i].level;
    return 0;
}

/* Which cache level the step is: one that is known to have this size or, unless data of this type may bypass some,
 * the one after the step before. 0 = it cannot be said. */
static unsigned level_of(const struct hwc_papi_sizes *sizes, const struct hwc_papi_step *step, unsigned before)
{
    unsigned level = level_of_size(sizes, step);

    if (level == 0 && sizes->before != NULL)
        return level_of_size(sizes->before, step);
    return level > 0 ? level : before + 1;
}

/* Of a cache level that is not counted; else NULL. */
static const struct hwc_miss_source *open_source(const struct hwc_papi_sizes *sizes, unsigned level)
{
    for (unsigned i = 0; i < sizes->sources; i++)
        if (!sizes->source[i].of_tlb && sizes->source[i].level == level && !hwc_is_counted(&sizes->source[i]))
            return &sizes->source[i];
    return NULL;
}

/* Misses as they follow from the time. */
static int add_from_time(const struct hwc_cost_line *time, const struct hwc_ramp *ramp,
                         const struct hwc_miss_source *source, struct hwc_curve *curve, struct hwc_error *error)
{
    struct hwc_series *series;
    char name[48];

    hwc_write(name, sizeof name, "%s misses", source->of);
    TRY(hwc_series_add(curve, name, "share of lines", &series, error));
    series->witness = hwc_by_clock.kind;
    hwc_write(series->how, sizeof series->how,
              "from the time: what a load takes beyond %.2f cycles of a hit, divided by the %.2f that misses add",
              ramp->hit, ramp->miss - ramp->hit);
    for (size_t i = 0; i < time->count; i++)
        TRY(hwc_point_add(series, time->point[i].bytes,
                          fmin(1, fmax(0, (time->point[i].cost - ramp->hit) / (ramp->miss - ramp->hit))), error));
    return HWC_OK;
}

static int say_step(const struct hwc_cost_line *time, struct hwc_papi_sizes *sizes, const struct hwc_papi_step *step,
                    const struct hwc_miss_source *source, struct hwc_curve *curve, struct hwc_error *error)
{
    struct hwc_read_off says = hwc_papi_read_off(source, "size", "bytes");

    hwc_papi_round(&step->ramp, &says);
    if (says.known)
        sizes->size[source - sizes->source] = says.value;
    if (step->ramp.fits)
        TRY(add_from_time(time, &step->ramp, source, curve, error));
    return hwc_read_off_add(curve, &says, error);
}

static bool all_fit(const struct hwc_papi_sizes *sizes)
{
    for (unsigned i = 0; i < sizes->steps; i++)
        if (!sizes->step[i].ramp.fits)
            return false;
    return true;
}

/* Each step is a level of its own. */
static int say_each(const struct hwc_cost_line *time, struct hwc_papi_sizes *sizes, struct hwc_curve *curve,
                    struct hwc_error *error)
{
    for (unsigned i = 0, level = 0; i < sizes->steps; i++) {
        const struct hwc_miss_source *source;
        level = level_of(sizes, &sizes->step[i], level);
        source = open_source(sizes, level);
        if (source != NULL)
            TRY(say_step(time, sizes, &sizes->step[i], source, curve, error));
    }
    return HWC_OK;
}

/* The step with a corner that lies within a level's bounds; NULL = there is none. */
static const struct hwc_papi_step *corner_of(const struct hwc_papi_sizes *sizes, const struct hwc_fitted_level *level)
{
    for (unsigned i = 0; i < sizes->steps; i++)
        if (sizes->step[i].ramp.fits && sizes->step[i].ramp.high >= level->low &&
            sizes->step[i].ramp.low <= level->high)
            return &sizes->step[i];
    return NULL;
}

/* A level of which the curve shows no more than that it ends. */
static int say_bounds(const struct hwc_miss_source *source, double low, double high, const char *reason,
                      struct hwc_curve *curve, struct hwc_error *error)
{
    struct hwc_read_off says = hwc_papi_read_off(source, "size", "bytes");

    hwc_write(says.series, sizeof says.series, "%s", HWC_PAPI_TIME);
    hwc_read_off_show_at(&says, sqrt(low * high));
    hwc_read_off_bound(&says, low, high, reason);
    return hwc_read_off_add(curve, &says, error);
}

/* Data of a type may bypass a level, or the core may hide its misses. */
static int say_seen(const struct hwc_cost_line *time, const struct hwc_fitted_level *level,
                    const struct hwc_miss_source *source, struct hwc_curve *curve, struct hwc_error *error)
{
    if (!rises(time, level->low / 2, level->high))
        return HWC_OK;
    return say_bounds(source, level->low, level->high,
                      "the time rises without a corner (pages at random places, other users, or a policy other than "
                      "LRU); bounds by references drawn at random", curve, error);
}

static int say_level(struct hwc_lab *lab, const struct hwc_cost_line *time, struct hwc_papi_sizes *sizes,
                     unsigned level, struct hwc_curve *curve, struct hwc_error *error)
{
    const struct hwc_levels_fit *seen = &lab->known->fit;
    const struct hwc_papi_step *step = corner_of(sizes, &seen->level[level - 1]);
    const struct hwc_miss_source *source = open_source(sizes, level);

    if (source == NULL)
        return HWC_OK;
    if (step != NULL && level <= seen->told)
        return say_step(time, sizes, step, source, curve, error);
    return level <= seen->told ? say_seen(time, &seen->level[level - 1], source, curve, error) : HWC_OK;
}

/* The last array that takes no longer than the first beyond `from`, to a point less, and the first that takes most of
 * what is added in the end: of the lines of this one, most miss the first of the levels that end between the two. */
static bool find_rest(const struct hwc_cost_line *time, double from, double *low, double *high)
{
    double hit = hwc_line_least(time, from), top = hwc_line_least(time, time->point[time->count - 1].bytes);

    *low = *high = 0;
    for (size_t i = 1; i < time->count; i++) {
        double cost = hwc_line_least(time, time->point[i].bytes);
        if (cost <= (1 + policy.rises) * hit)
            *low = time->point[i - 1].bytes;
        if (*high == 0 && cost >= hit + policy.most * (top - hit))
            *high = time->point[i].bytes;
    }
    return *low > from && *high > *low && top > (1 + policy.rises) * hit;
}

/* The first step beyond; NULL = none. */
static const struct hwc_papi_step *step_beyond(const struct hwc_papi_sizes *sizes, double from)
{
    for (unsigned i = 0; i < sizes->steps; i++)
        if (sizes->step[i].to > from)
            return &sizes->step[i];
    return NULL;
}

/* The level after those that are told, if the curve goes on to rise: the curve alone tells its size, or bounds it. */
static int say_rest(struct hwc_lab *lab, const struct hwc_cost_line *time, struct hwc_papi_sizes *sizes,
                    struct hwc_curve *curve, struct hwc_error *error)
{
    static const char reason[] = "the time rises without a corner, and not level by level; smaller arrays take the time "
                                 "of hits, larger ones mostly that of misses";
    unsigned told = lab->known->fit.told;
    const struct hwc_miss_source *source = open_source(sizes, told + 1);
    const struct hwc_papi_sizes *by = sizes->before != NULL ? sizes->before : sizes;
    double from = told > 0 ? 1.2 * lab->known->fit.level[told - 1].high : policy.first;
    const struct hwc_papi_step *step = step_beyond(sizes, from);
    size_t i = source != NULL ? (size_t)(source - sizes->source) : 0;

    if (source == NULL || sizes->size[i] > 0)
        return HWC_OK;
    if (by == sizes && step != NULL && step->ramp.fits)
        return say_step(time, sizes, step, source, curve, error);
    if (by == sizes && !find_rest(time, from, &sizes->low[i], &sizes->high[i]))
        sizes->high[i] = 0;
    if (by->high[i] == 0 || !rises(time, by->low[i], by->high[i]))
        return HWC_OK;
    return say_bounds(source, by->low[i], by->high[i], reason, curve, error);
}

int hwc_papi_say_steps(struct hwc_lab *lab, const struct hwc_cost_line *time, struct hwc_papi_sizes *sizes,
                       struct hwc_curve *curve, struct hwc_error *error)
{
    if (all_fit(sizes))
        return say_each(time, sizes, curve, error);
    TRY(hwc_see_levels_once(lab, error));
    for (unsigned level = 1; level <= lab->known->fit.levels; level++)
        TRY(say_level(lab, time, sizes, level, curve, error));
    return say_rest(lab, time, sizes, curve, error);
}
