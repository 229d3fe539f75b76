/* papi_cacheBlock: misses and average access time over strides that double, in an array of fixed size.
 *
 * Claim: lines, associativities and the pages that TLB entries cover.
 *
 * Method: Dongarra et al., ICCS 2004, 2, with its three cases for an array of N bytes that is larger than the
 * level: while the stride is less than a line, misses double with it; from a line on, every load misses; once the
 * N / stride elements are no more than the ways of a set, none does. A pass over fewer elements is repeated, so
 * that the number of loads stays the same: costs are for each load. As strides are powers of two, they show the
 * ways as one: the number of elements is then refined, at strides that are sure to keep to one set. Where an event
 * is missing, the time stands in for it, over an array that the level in question is too small for but the next is
 * not: every line size is a kink of it, and every associativity a step.
 *
 * What can fool it: pages that lie at random in memory, and hashed indices: elements a stride apart then share no
 * set, which shows in strides that disagree. */
#include <math.h>
#include <stdlib.h>

#include "papi_curves.h"
#include "table.h"

static const struct {
    double times;          /* the array, in the largest level's bytes */
    double most;           /* bytes of it */
    double reached;        /* the share of the most misses that a stride of a line has, and half a line has not */
    double most_elements, cache_elements; /* of one set of a TLB, or a cache */
    int strides;           /* that must agree */
} policy = {.times = 4, .most = 1 << 28, .reached = 0.75, .most_elements = 256, .cache_elements = 20, .strides = 3};

enum { FIRST = 8 };

struct look {
    struct hwc_lab *lab;
    struct hwc_curve *curve;
    const struct hwc_curve *sizes; /* papi_cacheSize of the type */
    struct hwc_array large, base;
    double bytes; /* of the array */
    unsigned sources;
    struct hwc_miss_source source[HWC_MISS_SOURCES];
    struct hwc_cost_line time, line[HWC_MISS_SOURCES];
};

/* What an array must exceed. */
static double size_of(const struct look *look, unsigned i)
{
    double entries = hwc_papi_known(look->sizes, &look->source[i], "entries"), low, reach;

    hwc_papi_bounds(look->sizes, &look->source[i], look->source[i].of_tlb ? "reach" : "size", &low, &reach);
    return reach > 0 ? reach : entries * (double)look->lab->machine->page_bytes;
}

static double round_up(double bytes)
{
    return exp2(ceil(log2(bytes)));
}

static double largest_size(const struct look *look, bool of_tlb)
{
    double largest = 0;

    for (unsigned i = 0; i < look->sources; i++)
        if (look->source[i].of_tlb == of_tlb)
            largest = fmax(largest, size_of(look, i));
    return largest;
}

/* Pages are visited alike by all strides below a block: the fewest loads that visit all do. */
static int stride_cost(struct hwc_cost_line *line, double at, double *cost, struct hwc_error *error)
{
    double stride = line->source != NULL && line->source->of_tlb ? fmax(at, 512) : at;

    TRY(hwc_array_cost(line->array, line->array->used, (uint64_t)stride, hwc_line_witness(line), cost, error));
    *cost *= at / stride;
    return HWC_OK;
}

static int measure_strides(struct hwc_cost_line *line, double bytes, struct hwc_error *error)
{
    line->array->used = (uint64_t)bytes;
    return hwc_line_double(line, FIRST, bytes, error);
}

/* The first stride at which nearly every load misses, if half of it has half the misses; 0 = there is none. */
static double first_full(const struct hwc_cost_line *line)
{
    double most = 0;

    for (size_t i = 0; i < line->count; i++)
        most = fmax(most, line->point[i].cost);
    for (size_t i = 1; i < line->count && most > 0; i++)
        if (line->point[i].cost >= policy.reached * most)
            return line->point[i - 1].cost >= (1 - policy.reached) * most ? line->point[i].bytes : 0;
    return 0;
}

static int say(struct look *look, struct hwc_read_off *says, double value, double at, const char *reason,
               struct hwc_error *error)
{
    if (value > 0)
        hwc_read_off_show_at(says, at);
    return hwc_papi_say(look->curve, says, value, reason, error);
}

/* Elements of one set: the cost of so many, `apart` bytes from each other. */
static int element_cost(struct hwc_cost_line *line, double at, double *cost, struct hwc_error *error)
{
    return hwc_array_cost(line->array, (uint64_t)at, line->array->used, hwc_line_witness(line), cost, error);
}

/* How many elements so far apart go without a miss; 0 = it does not show. */
static int count_elements(struct hwc_array *array, const struct hwc_miss_source *source, double apart, double *ways,
                          struct hwc_error *error)
{
    double most = fmin(policy.most_elements, floor((double)array->arena.bytes / apart)), cost = 0, last = 0;
    const struct hwc_limit none = {.misses = 0.5, .apart = apart};
    struct hwc_cost_line line = {.source = source, .measure = element_cost, .array = array};

    array->used = (uint64_t)apart;
    *ways = 0;
    if (most < 2)
        return HWC_OK;
    TRY(hwc_line_ask(&line, most * apart, &cost, error));
    if (cost <= hwc_limit_at(&none, most * apart))
        return HWC_OK;
    TRY(hwc_line_last(&line, 0, most * apart, apart, &none, &last, error));
    *ways = last / apart;
    return HWC_OK;
}

/* Further apart, as many elements share a set, too, if the first did; as far as there is room for them. */
static int agree_on_ways(struct look *look, unsigned i, double *ways, struct hwc_error *error)
{
    struct hwc_array *array = look->line[i].array;
    double apart = round_up(size_of(look, i)), again;

    TRY(count_elements(array, &look->source[i], apart, ways, error));
    for (int k = 1; k < policy.strides && *ways > 0; k++) {
        if (ldexp((*ways + 1) * apart, k) > (double)array->arena.bytes)
            break;
        TRY(count_elements(array, &look->source[i], ldexp(apart, k), &again, error));
        if (again != *ways)
            *ways = -1;
    }
    return HWC_OK;
}

static int say_ways(struct look *look, unsigned i, struct hwc_error *error)
{
    struct hwc_read_off says = hwc_papi_read_off(&look->source[i], "associativity", "ways");
    double ways;

    TRY(agree_on_ways(look, i, &ways, error));
    return say(look, &says, ways, ways > 0 ? look->bytes / ways : 0,
               ways < 0 ? "strides disagree: elements that far apart share no set" : "no number of elements shows it",
               error);
}

static int read_counted(struct look *look, unsigned i, struct hwc_error *error)
{
    struct hwc_cost_line *line = &look->line[i];
    bool of_tlb = look->source[i].of_tlb;
    struct hwc_read_off says = hwc_papi_read_off(&look->source[i], of_tlb ? "page size" : "line size", "bytes");
    char name[48];
    double full;

    if (size_of(look, i) == 0)
        return HWC_OK;
    TRY(measure_strides(line, look->bytes, error));
    hwc_write(name, sizeof name, "%s misses", look->source[i].of);
    TRY(hwc_line_add(line, look->curve, name, error));
    full = first_full(line);
    TRY(say(look, &says, full, full, "no stride shows where every load begins to miss", error));
    return say_ways(look, i, error);
}

static void begin(struct look *look)
{
    look->sources = hwc_miss_sources(look->lab, look->source);
    look->time = (struct hwc_cost_line){.measure = stride_cost, .array = &look->large};
    for (unsigned i = 0; i < look->sources; i++)
        look->line[i] = (struct hwc_cost_line){.source = &look->source[i], .measure = stride_cost,
                                               .array = look->source[i].of_tlb ? &look->base : &look->large};
    look->bytes = fmin(policy.times * round_up(fmax(largest_size(look, false), largest_size(look, true))),
                       fmin(policy.most, (double)look->lab->machine->max_arena_bytes / 4));
}

static int read_counts(struct look *look, struct hwc_error *error)
{
    for (unsigned i = 0; i < look->sources; i++)
        if (hwc_is_counted(&look->source[i]))
            TRY(read_counted(look, i, error));
    return HWC_OK;
}

static int read_curve(struct look *look, struct hwc_error *error)
{
    if (look->lab->machine->has_clock) {
        TRY(measure_strides(&look->time, look->bytes, error));
        TRY(hwc_line_add(&look->time, look->curve, HWC_PAPI_TIME, error));
    }
    TRY(read_counts(look, error));
    return look->lab->machine->has_clock ? hwc_papi_block_by_time(look->lab, look->curve, look->sizes, &look->large,
                                                                  &look->base, error)
                                         : HWC_OK;
}

/* The elements of one set lie up to four times as far apart as the largest level is large. */
static double span_of(const struct look *look, bool of_tlb, double elements)
{
    double bytes = fmax(look->bytes, 4 * elements * round_up(fmax(largest_size(look, of_tlb), 1)));

    return fmin(bytes, (double)look->lab->machine->max_arena_bytes / 4);
}

static int look_once(struct look *look, enum hwc_type type, struct hwc_error *error)
{
    int status;

    begin(look);
    TRY(hwc_array_open(&look->large, look->lab, (uint64_t)span_of(look, false, policy.cache_elements), HWC_LARGE_PAGES,
                       type, error));
    status = hwc_array_open(&look->base, look->lab, (uint64_t)span_of(look, true, policy.most_elements),
                            HWC_SPARSE_PAGES, type, error);
    if (status == HWC_OK) {
        status = read_curve(look, error);
        hwc_array_close(&look->base);
    }
    hwc_array_close(&look->large);
    return status;
}

/* The sizes come from the curves of papi_cacheSize: if it was not asked for, it is measured now. */
static int look_at(struct hwc_lab *lab, struct hwc_profile *profile, enum hwc_type type, struct look *look,
                   struct hwc_error *error)
{
    const char *name = hwc_papi_type(type);

    if (hwc_curve_find(&profile->curves, HWC_PAPI_SIZE, name) == NULL)
        TRY(hwc_papi_measure_sizes(lab, &profile->curves, error));
    *look = (struct look){.lab = lab, .sizes = hwc_curve_find(&profile->curves, HWC_PAPI_SIZE, name)};
    TRY(hwc_curve_add(&profile->curves, HWC_PAPI_BLOCK, name, "stride", "bytes", &look->curve, error));
    return look_once(look, type, error);
}

static int run(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    struct look *look = calloc(1, sizeof *look);
    int status;

    if (look == NULL)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory for a curve");
    status = look_at(lab, profile, HWC_INTEGER, look, error);
    if (status == HWC_OK)
        status = look_at(lab, profile, HWC_FLOAT, look, error);
    free(look);
    return status;
}

const struct hwc_probe hwc_probe_papi_cache_block = {
    .name = "papi_cache_block",
    .summary = "misses and access time over growing strides: lines, associativities and the pages of TLBs",
    .source = "Dongarra et al., ICCS 2004, 2 and 3",
    .on_request = true,
    .run = run,
};
