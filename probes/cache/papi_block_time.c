/* What papi_cacheBlock reads off the time where an event is missing (papi_cache_block.c).
 *
 * While the stride is less than a line of b bytes, the time of a load rises by stride / b of what a miss takes,
 * and no further from there on. Over strides that double, D(s) = t(2 s) - t(s) doubles, too, until the line is
 * reached: the kink 2 D(b / 2) - D(b) is what the misses take that lines of b bytes bring. An array that a level
 * does not hold, but the next does, has the kinks of this level and of those above; an array that the level holds
 * has theirs alone. (Thomborson and Yu, SPECTS 2000, have the same cases in closed formulas for two caches and a
 * TLB.) */
#include <math.h>

#include "papi_curves.h"

static const struct {
    double longest_line, most_elements, rises, shows, clear;
} policy = {
    .longest_line = 512,
    .most_elements = 64,
    .rises = 0.04,
    .shows = 0.1, /* of a step */
    .clear = 2,   /* times as large as any other */
};

enum { FIRST = 8, KINKS = 8 };

struct look {
    struct hwc_lab *lab;
    struct hwc_curve *curve;
    const struct hwc_curve *sizes;
    struct hwc_array *large, *base;
    unsigned sources;
    struct hwc_miss_source source[HWC_MISS_SOURCES];
};

static double known(const struct look *look, unsigned i, const char *what)
{
    return hwc_papi_known(look->sizes, &look->source[i], what);
}

static int stride_time(struct hwc_cost_line *line, double at, double *cost, struct hwc_error *error)
{
    return hwc_array_cost(line->array, line->array->used, (uint64_t)at, &hwc_by_clock, cost, error);
}

static int element_time(struct hwc_cost_line *line, double at, double *cost, struct hwc_error *error)
{
    return hwc_array_cost(line->array, (uint64_t)at, line->array->used, &hwc_by_clock, cost, error);
}

static double twice(double size)
{
    return exp2(1 + ceil(log2(size)));
}

/* What lines of 16, 32, ... bytes add, in an array of so many bytes. */
static int find_kinks(struct look *look, double bytes, struct hwc_cost_line *line, double kinks[KINKS],
                      struct hwc_error *error)
{
    *line = (struct hwc_cost_line){.measure = stride_time, .array = look->large};
    look->large->used = (uint64_t)bytes;
    TRY(hwc_line_double(line, FIRST, bytes, error));
    for (int i = 0; i < KINKS; i++) {
        const struct hwc_sized_cost *at = &line->point[i + 1];
        kinks[i] = 2 * (at[0].cost - at[-1].cost) - (at[1].cost - at[0].cost);
    }
    return HWC_OK;
}

/* The line size at which the kinks differ most from those of the smaller array; 0 = none stands out. */
static double line_of(const double kinks[KINKS], const double above[KINKS])
{
    double most = 0, next = 0, line = 0;

    for (int i = 0; FIRST * exp2(i + 1) <= policy.longest_line; i++) {
        double kink = kinks[i] - above[i];
        if (kink > most) {
            next = most;
            most = kink;
            line = FIRST * exp2(i + 1);
        } else {
            next = fmax(next, fabs(kink));
        }
    }
    return most > policy.clear * next ? line : 0;
}

/* The cache level before, of those with a known size. */
static double size_above(const struct look *look, unsigned i)
{
    double size = 0;

    for (unsigned k = 0; k < i; k++)
        size = fmax(size, look->source[k].of_tlb ? 0 : known(look, k, "size"));
    return size;
}

static int say(struct look *look, struct hwc_read_off *says, double value, const char *reason, struct hwc_error *error)
{
    says->known = value > 0;
    says->value = value;
    if (!says->known)
        hwc_write(says->reason, sizeof says->reason, "%s", reason);
    return hwc_read_off_add(look->curve, says, error);
}

static int say_line(struct look *look, unsigned i, struct hwc_error *error)
{
    struct hwc_read_off says = hwc_papi_read_off(&look->source[i], "line size", "bytes");
    double kinks[KINKS], above[KINKS] = {0}, smaller = size_above(look, i), bytes = twice(known(look, i, "size"));
    struct hwc_cost_line line;

    if (smaller > 0)
        TRY(find_kinks(look, twice(smaller), &line, above, error));
    TRY(find_kinks(look, bytes, &line, kinks, error));
    hwc_write(says.series, sizeof says.series, "%s, array of %.0f KiB", HWC_PAPI_TIME, bytes / 1024);
    TRY(hwc_line_add(&line, look->curve, says.series, error));
    says.at = line_of(kinks, above);
    says.shows = says.at > 0;
    return say(look, &says, says.at, "no line size stands out in the time over strides", error);
}

/* The numbers of elements, so far apart, after which the time of a load rises. */
static int find_steps(struct look *look, double apart, unsigned most, double *steps, unsigned *count,
                      struct hwc_error *error)
{
    struct hwc_cost_line line = {.measure = element_time, .array = look->large};
    double before, cost;

    *count = 0;
    look->large->used = (uint64_t)apart;
    TRY(hwc_line_ask(&line, apart, &before, error));
    for (double n = 2; n <= policy.most_elements && n * apart <= (double)look->large->arena.bytes; n++) {
        TRY(hwc_line_ask(&line, n * apart, &cost, error));
        if (cost > (1 + policy.rises) * before && *count < most)
            steps[(*count)++] = n - 1;
        before = fmax(before, cost);
    }
    return HWC_OK;
}

/* Of as many caches as have a known size, and as many steps, each is the other's. */
static int say_ways(struct look *look, double apart, unsigned caches, struct hwc_error *error)
{
    double steps[HWC_MISS_SOURCES + 1] = {0}, again[HWC_MISS_SOURCES + 1] = {0};
    unsigned count, more, next = 0;
    bool agree;

    TRY(find_steps(look, apart, HWC_MISS_SOURCES + 1, steps, &count, error));
    TRY(find_steps(look, 2 * apart, HWC_MISS_SOURCES + 1, again, &more, error));
    agree = count == caches && more == caches;
    for (unsigned i = 0; i < count && agree; i++)
        agree = steps[i] == again[i];
    for (unsigned i = 0; i < look->sources; i++) {
        struct hwc_read_off says = hwc_papi_read_off(&look->source[i], "associativity", "ways");
        if (look->source[i].of_tlb || known(look, i, "size") == 0)
            continue;
        says.series[0] = '\0';
        if (!hwc_is_counted(&look->source[i]))
            TRY(say(look, &says, agree ? steps[next] : 0,
                    "the time over elements of one set does not show a step for each cache", error));
        next++;
    }
    return HWC_OK;
}

static int read_caches(struct look *look, struct hwc_error *error)
{
    unsigned caches = 0, open = 0;
    double largest = 0;

    for (unsigned i = 0; i < look->sources; i++) {
        double size = look->source[i].of_tlb ? 0 : known(look, i, "size");
        largest = fmax(largest, size);
        caches += size > 0;
        if (size == 0 || hwc_is_counted(&look->source[i]))
            continue;
        open++;
        TRY(say_line(look, i, error));
    }
    return open > 0 ? say_ways(look, exp2(ceil(log2(largest))), caches, error) : HWC_OK;
}

/* Half as many pages again as the TLB has entries, against half of them, further and further apart: the first
 * distance at which they take longer is what an entry covers. */
static int find_page(struct look *look, double entries, double *page, struct hwc_error *error)
{
    double smallest = fmin(4096, (double)look->lab->machine->page_bytes);
    double fit, more;

    for (*page = smallest; 2 * entries * *page <= (double)look->base->arena.bytes; *page *= 2) {
        TRY(hwc_array_page_cost(look->base, (size_t)(entries / 2), (uint64_t)*page, &hwc_by_clock, &fit, error));
        TRY(hwc_array_page_cost(look->base, (size_t)(entries * 3 / 2), (uint64_t)*page, &hwc_by_clock, &more, error));
        if (more > (1 + policy.rises) * fit)
            return HWC_OK;
    }
    *page = 0;
    return HWC_OK;
}

static int page_time(struct hwc_cost_line *line, double at, double *cost, struct hwc_error *error)
{
    return hwc_array_page_cost(line->array, (size_t)at, line->array->used, &hwc_by_clock, cost, error);
}

/* The pages, all of one set, after which the time rises; `above`: so many fill a set of the level above. 0 = they
 * are no more than those. */
static int find_tlb_ways_once(struct look *look, double entries, double page, double above, double *ways,
                              struct hwc_error *error)
{
    struct hwc_cost_line line = {.measure = page_time, .array = look->base};
    struct hwc_limit limit = {0};
    double low, high;

    *ways = 0;
    look->base->used = (uint64_t)exp2(ceil(log2(entries * page)));
    if (1.5 * entries * (double)look->base->used > (double)look->base->arena.bytes)
        return HWC_OK;
    TRY(hwc_line_ask(&line, above + 1, &low, error));
    TRY(hwc_line_ask(&line, floor(1.5 * entries), &high, error));
    if (high <= (1 + policy.rises) * low)
        return HWC_OK;
    limit.cost = low + policy.shows * (high - low);
    return hwc_line_last(&line, above + 1, floor(1.5 * entries), 1, &limit, ways, error);
}

/* Where others may work here, twice: HWC_PAPI_MOVES if the second rise is elsewhere. */
static int find_tlb_ways(struct look *look, double entries, double page, double above, double *ways,
                         struct hwc_error *error)
{
    double again;

    TRY(find_tlb_ways_once(look, entries, page, above, ways, error));
    if (!look->lab->machine->interference || *ways == 0)
        return HWC_OK;
    TRY(find_tlb_ways_once(look, entries, page, above, &again, error));
    if (fabs(again - *ways) > 0)
        *ways = HWC_PAPI_MOVES;
    return HWC_OK;
}

/* `above`: the ways of the level above; 0 = there is none, less: they are not known. */
static int read_tlb(struct look *look, unsigned i, double above, struct hwc_error *error)
{
    struct hwc_read_off size = hwc_papi_read_off(&look->source[i], "page size", "bytes");
    struct hwc_read_off associativity = hwc_papi_read_off(&look->source[i], "associativity", "ways");
    double entries = known(look, i, "entries"), page, ways = 0;

    size.series[0] = associativity.series[0] = '\0';
    TRY(find_page(look, entries, &page, error));
    if (page > 0 && above >= 0)
        TRY(find_tlb_ways(look, entries, page, above, &ways, error));
    TRY(say(look, &size, page, "no distance of pages shows it in the time", error));
    return say(look, &associativity, fmax(ways, 0),
               ways < 0 ? hwc_papi_moves : "the time over pages of one set shows no step of its own", error);
}

static int read_tlbs(struct look *look, struct hwc_error *error)
{
    double above = 0, ways;

    for (unsigned i = 0; i < look->sources; i++) {
        if (!look->source[i].of_tlb)
            continue;
        if (!hwc_is_counted(&look->source[i]) && known(look, i, "entries") >= 2)
            TRY(read_tlb(look, i, above, error));
        ways = hwc_papi_known(look->curve, &look->source[i], "associativity");
        above = above < 0 || ways == 0 ? -1 : fmax(above, ways);
    }
    return HWC_OK;
}

int hwc_papi_block_by_time(struct hwc_lab *lab, struct hwc_curve *curve, const struct hwc_curve *sizes,
                           struct hwc_array *large, struct hwc_array *base, struct hwc_error *error)
{
    struct look look = {.lab = lab, .curve = curve, .sizes = sizes, .large = large, .base = base};

    look.sources = hwc_miss_sources(lab, look.source);
    TRY(read_caches(&look, error));
    return large->type == HWC_INTEGER ? read_tlbs(&look, error) : HWC_OK;
}
