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
    double most_live;         /* bytes of it, where time passes; what is larger, other probes see in less */
    double rises;             /* a longer time differs by this share */
    int each;                 /* points to an octave where a level is outgrown */
} policy = {
    .first = 1024,
    .least_last = 4 << 20,
    .pass_ns = 5e7,
    .most_live = 64 << 20,
    .rises = 0.04,
    .each = 8,
};

/* Bytes between cells; arrays between which a level is outgrown differ by no less than a block. */
enum { STRIDE = 8, GRAIN = 512, SHORTEST_LINE = 32 };

/* A miss in a pass may be a stranger's. */
static const struct hwc_limit few_misses = {.misses = 2, .apart = STRIDE};

struct look {
    struct hwc_lab *lab;
    struct hwc_curve *curve;
    struct hwc_array large, base; /* on large pages, and on ordinary ones, for translation */
    struct hwc_papi_sizes of;
    struct hwc_cost_line time, line[HWC_MISS_SOURCES];
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
    look->of.sources = hwc_miss_sources(look->lab, look->of.source);
    look->time = (struct hwc_cost_line){.measure = array_cost, .array = &look->large};
    for (unsigned i = 0; i < look->of.sources; i++) {
        bool of_tlb = look->of.source[i].of_tlb;
        struct hwc_array *array = of_tlb ? &look->base : &look->large;
        look->line[i] = (struct hwc_cost_line){
            .source = &look->of.source[i], .measure = of_tlb ? translation_cost : array_cost, .array = array};
    }
}

/* Are all caches counted? A fourth level is rare: it counts if it is counted. */
static bool all_counted(const struct look *look)
{
    for (unsigned i = 0; i < look->of.sources; i++) {
        const struct hwc_miss_source *source = &look->of.source[i];
        if (!hwc_is_counted(source) && !source->of_tlb && source->level < HWC_MAX_CACHE_LEVEL)
            return false;
    }
    return true;
}

/* What is not counted may show in the time of the largest arrays only. */
static bool all_level(const struct look *look)
{
    for (unsigned i = 0; i < look->of.sources; i++)
        if (hwc_is_counted(&look->of.source[i]) && !hwc_line_is_level(&look->line[i]))
            return false;
    return all_counted(look) || !look->lab->machine->has_clock;
}

static int ask_all(struct look *look, double bytes, struct hwc_error *error)
{
    double cost;

    for (unsigned i = 0; i < look->of.sources; i++)
        if (hwc_is_counted(&look->of.source[i]))
            TRY(hwc_line_ask(&look->line[i], bytes, &cost, error));
    return look->lab->machine->has_clock ? hwc_line_ask(&look->time, bytes, &cost, error) : HWC_OK;
}

static double largest_array(const struct look *look)
{
    double most = fmin(policy.pass_ns / look->lab->machine->reference_ns * STRIDE,
                       (double)look->lab->machine->max_arena_bytes / 4);

    if (look->lab->machine->live)
        most = fmin(most, policy.most_live);
    return exp2(floor(log2(fmax(most, policy.least_last))));
}

static int grow(struct look *look, struct hwc_error *error)
{
    bool ends = false;

    look->of.last = policy.first;
    for (uint64_t bytes = (uint64_t)policy.first; !ends && (double)bytes <= largest_array(look); bytes *= 2) {
        look->of.last = (double)bytes;
        TRY(ask_all(look, look->of.last, error));
        ends = (look->of.last >= policy.least_last && all_level(look)) || hwc_lab_overdrawn(look->lab);
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
    const struct hwc_miss_source *source = &look->of.source[i];
    double fits = hwc_line_within(line, &few_misses), size;
    struct hwc_read_off says = hwc_papi_read_off(source, source->of_tlb ? "reach" : "size", "bytes");

    if (fits == 0 || fits >= look->of.last)
        return hwc_papi_say(look->curve, &says, 0, fits == 0 ? "there are misses even in the smallest array"
                                                             : "there are no misses even in the largest array", error);
    TRY(hwc_line_fill(line, fits, fmin(4 * fits, look->of.last), policy.each, GRAIN, error));
    TRY(hwc_line_last(line, fits, 2 * fits, source->of_tlb ? GRAIN : STRIDE, &few_misses, &size, error));
    if (has_corner(line, size)) {
        hwc_read_off_show_at(&says, look->of.size[i] = size);
        return hwc_papi_say(look->curve, &says, size, "", error);
    }
    hwc_write(says.reason, sizeof says.reason,
              "misses show from %.0f bytes on, but not as where an LRU level is outgrown by an even walk", size);
    return hwc_read_off_add(look->curve, &says, error);
}

static int read_counts(struct look *look, struct hwc_error *error)
{
    for (unsigned i = 0; i < look->of.sources; i++)
        if (hwc_is_counted(&look->of.source[i]))
            TRY(say_size(look, i, error));
    return HWC_OK;
}

static int add_lines(struct look *look, struct hwc_error *error)
{
    char name[48];

    if (look->time.count > 0)
        TRY(hwc_line_add(&look->time, look->curve, HWC_PAPI_TIME, error));
    for (unsigned i = 0; i < look->of.sources; i++) {
        hwc_write(name, sizeof name, "%s misses", look->of.source[i].of);
        if (hwc_is_counted(&look->of.source[i]))
            TRY(hwc_line_add(&look->line[i], look->curve, name, error));
    }
    return HWC_OK;
}

static int measure(struct look *look, struct hwc_error *error)
{
    bool by_time;

    begin(look);
    by_time = look->lab->machine->has_clock && !all_counted(look);
    TRY(grow(look, error));
    TRY(read_counts(look, error));
    if (by_time)
        TRY(hwc_papi_find_steps(look->lab, &look->time, &look->of, error));
    TRY(add_lines(look, error));
    if (by_time)
        TRY(hwc_papi_say_steps(look->lab, &look->time, &look->of, look->curve, error));
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
        looks[i].of.before = i > 0 ? &looks[0].of : NULL;
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
