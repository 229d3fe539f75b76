/* papi_cacheSize: misses and average access time over growing arrays.
 *
 * Claim: curves of the misses of every data cache and TLB that can be counted, and of the time of a load, over
 * arrays that are walked with stride one, of integers and of floating-point numbers; and the sizes that they show.
 *
 * Method: Dongarra et al., ICCS 2004, 2 and 3. Sizes double until all curves are level; between two of them, the
 * largest array without a miss is looked for by halving. Where an event is missing, the time stands in for it,
 * with the formulas of Thomborson and Yu (SPECTS 2000) in the form of ramp.h: the time rises from that of hits to
 * that of misses as the sets overflow one after the other.
 *
 * What can fool it: pages that lie at random in memory, whose sets overflow one by one long before the level is
 * full: the curve then has no corner, and no size is read off it. Prefetchers, which leave few misses to a walk in
 * order: pages and blocks are visited in random order. By the time, a level that is not LRU, or hardly larger than
 * the one above. */
#include <math.h>
#include <stdlib.h>

#include "papi_curves.h"
#include "table.h"

static const struct {
    double first, least_last; /* bytes */
    double pass_ns;           /* of the longest array */
    double rises;             /* a longer time differs by this share */
    int each, each_beyond;    /* points to an octave where a level is outgrown */
} policy = {
    .first = 1024,
    .least_last = 4 << 20,
    .pass_ns = 1e8,
    .rises = 0.04,
    .each = 8,
    .each_beyond = 48,
};

/* Bytes between cells; arrays between which a level is outgrown differ by no less than a block. */
enum { STRIDE = 8, GRAIN = 512, SHORTEST_LINE = 32 };

/* A miss in a pass may be a stranger's. */
static const struct hwc_limit few_misses = {.misses = 2, .apart = STRIDE};

struct look {
    struct hwc_lab *lab;
    struct hwc_curve *curve;
    struct hwc_array large, base; /* on large pages, and on ordinary ones, for translation */
    unsigned sources;
    struct hwc_miss_source source[HWC_MISS_SOURCES];
    struct hwc_cost_line time, line[HWC_MISS_SOURCES];
    double size[HWC_MISS_SOURCES]; /* 0 = unknown */
    const struct look *before; /* the same of another type; NULL = none */
    double last;                   /* bytes of the largest array */
};

static int array_cost(struct hwc_cost_line *line, double at, double *cost, struct hwc_error *error)
{
    return hwc_array_cost(line->array, (uint64_t)at, STRIDE, hwc_line_witness(line), cost, error);
}

/* Stride one visits a page many times in a row, which translation does not notice: one load for each block does. */
static int translation_cost(struct hwc_cost_line *line, double at, double *cost, struct hwc_error *error)
{
    TRY(hwc_array_cost(line->array, (uint64_t)at, GRAIN, hwc_line_witness(line), cost, error));
    *cost *= ceil(at / GRAIN) * STRIDE / at;
    return HWC_OK;
}

static void begin(struct look *look)
{
    look->sources = hwc_miss_sources(look->lab, look->source);
    look->time = (struct hwc_cost_line){.measure = array_cost, .array = &look->large};
    for (unsigned i = 0; i < look->sources; i++) {
        bool of_tlb = look->source[i].of_tlb;
        struct hwc_array *array = of_tlb ? &look->base : &look->large;
        look->line[i] = (struct hwc_cost_line){
            .source = &look->source[i], .measure = of_tlb ? translation_cost : array_cost, .array = array};
    }
}

/* Are all caches counted? A fourth level is rare: it counts if it is counted. */
static bool all_counted(const struct look *look)
{
    for (unsigned i = 0; i < look->sources; i++)
        if (!hwc_is_counted(&look->source[i]) && !look->source[i].of_tlb && look->source[i].level < HWC_MAX_CACHE_LEVEL)
            return false;
    return true;
}

/* What is not counted may show in the time of the largest arrays only. */
static bool all_level(const struct look *look)
{
    for (unsigned i = 0; i < look->sources; i++)
        if (hwc_is_counted(&look->source[i]) && !hwc_line_is_level(&look->line[i]))
            return false;
    return all_counted(look) || !look->lab->machine->has_clock;
}

static int ask_all(struct look *look, double bytes, struct hwc_error *error)
{
    double cost;

    for (unsigned i = 0; i < look->sources; i++)
        if (hwc_is_counted(&look->source[i]))
            TRY(hwc_line_ask(&look->line[i], bytes, &cost, error));
    return look->lab->machine->has_clock ? hwc_line_ask(&look->time, bytes, &cost, error) : HWC_OK;
}

static double largest_array(const struct look *look)
{
    double most = fmin(policy.pass_ns / look->lab->machine->reference_ns * STRIDE,
                       (double)look->lab->machine->max_arena_bytes / 4);

    return exp2(floor(log2(fmax(most, policy.least_last))));
}

static int grow(struct look *look, struct hwc_error *error)
{
    bool ends = false;

    look->last = policy.first;
    for (uint64_t bytes = (uint64_t)policy.first; !ends && (double)bytes <= largest_array(look); bytes *= 2) {
        look->last = (double)bytes;
        TRY(ask_all(look, look->last, error));
        ends = (look->last >= policy.least_last && all_level(look)) || hwc_lab_overdrawn(look->lab);
    }
    return HWC_OK;
}

/* Where pages lie at random, or a policy keeps others than the last used, misses may show before the level is full:
 * the curve must have the corner of a level that is outgrown. */
static bool has_corner(const struct hwc_cost_line *line, double size)
{
    const struct hwc_sized_cost *points;
    size_t count = hwc_line_between(line, size / 2, 2 * size, &points);
    struct hwc_ramp ramp;

    if (line->source->of_tlb)
        return true;
    if (fmod(size, SHORTEST_LINE) != 0) /* misses cannot begin within a line */
        return false;
    hwc_fit_ramp(points, count, &ramp);
    return ramp.fits && fabs(ramp.capacity - size) < policy.rises * size;
}

static int say_size(struct look *look, unsigned i, struct hwc_error *error)
{
    struct hwc_cost_line *line = &look->line[i];
    double fits = hwc_line_within(line, &few_misses);
    struct hwc_read_off says = hwc_papi_read_off(&look->source[i], look->source[i].of_tlb ? "reach" : "size", "bytes");

    if (fits == 0 || fits >= look->last) {
        hwc_write(says.reason, sizeof says.reason, fits == 0 ? "there are misses even in the smallest array"
                                                             : "there are no misses even in the largest array");
        return hwc_read_off_add(look->curve, &says, error);
    }
    TRY(hwc_line_fill(line, fits, fmin(4 * fits, look->last), policy.each, GRAIN, error));
    TRY(hwc_line_last(line, fits, 2 * fits, look->source[i].of_tlb ? GRAIN : STRIDE, &few_misses, &says.value, error));
    says.known = says.shows = has_corner(line, says.value);
    says.at = says.value;
    if (says.known)
        look->size[i] = says.value;
    else
        hwc_write(says.reason, sizeof says.reason,
                  "misses show from %.0f bytes on, but not as where an LRU level is outgrown by an even walk",
                  says.value);
    return hwc_read_off_add(look->curve, &says, error);
}

static int read_counts(struct look *look, struct hwc_error *error)
{
    for (unsigned i = 0; i < look->sources; i++)
        if (hwc_is_counted(&look->source[i]))
            TRY(say_size(look, i, error));
    return HWC_OK;
}

/* A step of the time that no count explains. */
struct step {
    struct hwc_ramp ramp;
    double from, to;
};

enum { MOST_STEPS = 8 };

/* First all of the step roughly, then where the level is outgrown. */
static int measure_step(struct look *look, double from, struct step *step, struct hwc_error *error)
{
    double to = fmin(4 * from, look->last);
    const struct hwc_sized_cost *points;
    size_t count;

    *step = (struct step){.from = from, .to = 2 * from};
    TRY(hwc_line_fill(&look->time, from / 2, to, policy.each, GRAIN, error));
    count = hwc_line_between(&look->time, from / 2, to, &points);
    hwc_fit_ramp(points, count, &step->ramp);
    TRY(hwc_line_fill(&look->time, step->ramp.capacity * 0.9, step->ramp.capacity * 1.2, policy.each_beyond, GRAIN,
                      error));
    count = hwc_line_between(&look->time, from / 2, to, &points);
    hwc_fit_ramp(points, count, &step->ramp);
    return HWC_OK;
}

/* Where the next doubling of the array takes longer, from `from` on; 0 = nowhere. */
static double next_rise(const struct look *look, double from)
{
    const struct hwc_sized_cost *points;

    for (double bytes = from; 2 * bytes <= look->last; bytes *= 2) {
        size_t count = hwc_line_between(&look->time, bytes, 2 * bytes, &points);
        if (points[count - 1].cost > (1 + policy.rises) * points[0].cost)
            return bytes;
    }
    return 0;
}

static double after_step(const struct look *look, const struct step *step)
{
    double end = step->ramp.capacity * (1 + 1 / step->ramp.ways), at = step->from;
    const struct hwc_sized_cost *points;

    if (!step->ramp.fits)
        return step->to;
    while (at < end)
        at *= 2;
    /* If the level behind begins within this doubling, the next search must not jump over it. */
    if (hwc_line_between(&look->time, at, at, &points) > 0 && points[0].cost > (1 + policy.rises) * step->ramp.miss)
        return at / 2;
    return at;
}

static int find_steps(struct look *look, struct step *steps, unsigned *count, struct hwc_error *error)
{
    double from = policy.first;

    *count = 0;
    while (*count < MOST_STEPS && (from = next_rise(look, from)) > 0) {
        double next;
        TRY(measure_step(look, from, &steps[*count], error));
        next = after_step(look, &steps[(*count)++]);
        from = next > from ? next : 2 * from;
    }
    return HWC_OK;
}

static bool is_size(double size, const struct step *step)
{
    return size > 0 && fabs(size - step->ramp.capacity) < policy.rises * size;
}

static unsigned level_of_size(const struct look *look, const struct step *step)
{
    for (unsigned i = 0; i < look->sources; i++)
        if (!look->source[i].of_tlb && is_size(look->size[i], step))
            return look->source[i].level;
    return 0;
}

/* Which cache level the step is: one that is known to have this size or, unless data of this type may bypass some,
 * the one after the step before. 0 = it cannot be said. */
static unsigned level_of(const struct look *look, const struct step *step, unsigned before)
{
    unsigned level = level_of_size(look, step);

    if (level == 0 && look->before != NULL)
        return level_of_size(look->before, step);
    return level > 0 ? level : before + 1;
}

static const struct hwc_miss_source *cache_source(const struct look *look, unsigned level)
{
    for (unsigned i = 0; i < look->sources; i++)
        if (!look->source[i].of_tlb && look->source[i].level == level)
            return &look->source[i];
    return NULL;
}

/* Misses as they follow from the time. */
static int add_from_time(struct look *look, const struct step *step, const struct hwc_miss_source *source,
                         struct hwc_error *error)
{
    const struct hwc_ramp *ramp = &step->ramp;
    struct hwc_series *series;
    char name[48];

    hwc_write(name, sizeof name, "%s misses", source->of);
    TRY(hwc_series_add(look->curve, name, "share of lines", &series, error));
    series->witness = hwc_by_clock.kind;
    hwc_write(series->how, sizeof series->how,
              "from the time: what a load takes beyond %.2f cycles of a hit, divided by the %.2f that misses add",
              ramp->hit, ramp->miss - ramp->hit);
    for (size_t i = 0; i < look->time.count; i++)
        TRY(hwc_point_add(series, look->time.point[i].bytes,
                          fmin(1, fmax(0, (look->time.point[i].cost - ramp->hit) / (ramp->miss - ramp->hit))), error));
    return HWC_OK;
}

static int say_step(struct look *look, const struct step *step, const struct hwc_miss_source *source,
                    struct hwc_error *error)
{
    struct hwc_read_off says = hwc_papi_read_off(source, "size", "bytes");

    hwc_papi_round(&step->ramp, &says);
    if (says.known)
        look->size[source - look->source] = says.value;
    if (step->ramp.fits)
        TRY(add_from_time(look, step, source, error));
    return hwc_read_off_add(look->curve, &says, error);
}

static int say_steps(struct look *look, const struct step *steps, unsigned count, struct hwc_error *error)
{
    for (unsigned i = 0, level = 0; i < count; i++) {
        const struct hwc_miss_source *source;
        level = level_of(look, &steps[i], level);
        source = cache_source(look, level);
        if (source != NULL && !hwc_is_counted(source))
            TRY(say_step(look, &steps[i], source, error));
    }
    return HWC_OK;
}

static int add_lines(struct look *look, struct hwc_error *error)
{
    char name[48];

    if (look->time.count > 0)
        TRY(hwc_line_add(&look->time, look->curve, HWC_PAPI_TIME, error));
    for (unsigned i = 0; i < look->sources; i++) {
        hwc_write(name, sizeof name, "%s misses", look->source[i].of);
        if (hwc_is_counted(&look->source[i]))
            TRY(hwc_line_add(&look->line[i], look->curve, name, error));
    }
    return HWC_OK;
}

static int measure(struct look *look, struct hwc_error *error)
{
    struct step steps[MOST_STEPS];
    unsigned count = 0;

    begin(look);
    TRY(grow(look, error));
    TRY(read_counts(look, error));
    if (look->lab->machine->has_clock && !all_counted(look))
        TRY(find_steps(look, steps, &count, error));
    TRY(add_lines(look, error));
    TRY(say_steps(look, steps, count, error));
    if (look->large.type != HWC_INTEGER)
        return HWC_OK; /* pages are translated alike for all types */
    return hwc_papi_read_entries(look->lab, &look->base, look->curve, error);
}

static int look_once(struct look *look, enum hwc_type type, struct hwc_error *error)
{
    uint64_t bytes = (uint64_t)largest_array(look);
    int status;

    TRY(hwc_array_open(&look->large, look->lab, bytes, HWC_LARGE_PAGES, type, error));
    status = hwc_array_open(&look->base, look->lab, bytes, HWC_BASE_PAGES, type, error);
    if (status == HWC_OK) {
        status = measure(look, error);
        hwc_array_close(&look->base);
    }
    hwc_array_close(&look->large);
    return status;
}

static int look_at_both(struct hwc_lab *lab, struct hwc_curves *curves, struct look looks[2],
                        struct hwc_error *error)
{
    static const enum hwc_type types[] = {HWC_INTEGER, HWC_FLOAT};

    for (int i = 0; i < 2; i++) {
        looks[i].lab = lab;
        looks[i].before = i > 0 ? &looks[0] : NULL;
        TRY(hwc_curve_add(curves, HWC_PAPI_SIZE, hwc_papi_type(types[i]), "array size", "bytes",
                          &looks[i].curve, error));
        TRY(look_once(&looks[i], types[i], error));
    }
    return HWC_OK;
}

int hwc_papi_measure_sizes(struct hwc_lab *lab, struct hwc_curves *curves, struct hwc_error *error)
{
    struct look *looks = calloc(2, sizeof *looks);
    int status;

    if (looks == NULL)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory for curves");
    status = look_at_both(lab, curves, looks, error);
    free(looks);
    return status;
}

static int run(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    TRY(hwc_papi_measure_sizes(lab, &profile->curves, error));
    return hwc_papi_measure_memory(lab, &profile->curves, error);
}

const struct hwc_probe hwc_probe_papi_cache_size = {
    .name = "papi_cache_size",
    .summary = "misses and access time over growing arrays, and the sizes that they show",
    .source = "Dongarra et al., ICCS 2004, 2 and 3",
    .on_request = true,
    .run = run,
};
