/* What papi_cacheBlock reads off the time where an event is missing (papi_cache_block.c).
 *
 * While the stride is less than a line of b bytes, the time of a load rises by stride / b of what a miss takes,
 * and no further from there on. An array that a level does not hold, but the next does, takes what misses of this level
 * and of those above take; an array that the level holds takes the latter alone. Over strides that double, their
 * difference doubles, too, until the line is reached, and then stays. (Thomborson and Yu, SPECTS 2000, have the same
 * cases in closed formulas for two caches and a TLB.) Further on, prefetchers, which may follow strides of a few lines,
 * can make it rise again. */
#include <math.h>

#include "papi_curves.h"

static const struct {
    double longest_line, most_elements, rises, shows, doubles, stays, grows;
} policy = {
    .longest_line = 512,
    .most_elements = 64,
    .rises = 0.04,
    .shows = 0.1, /* of a step */
    .doubles = 1.6, .stays = 1.4, /* from one stride to the next: at least, at most */
    .grows = 1.2, /* at least, before */
};

enum { FIRST = 8, STRIDES = 8 };

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

/* An array that a level does not hold; as short as can be where no more than bounds are known. */
static double array_beyond(const struct look *look, unsigned i)
{
    double low, high;

    hwc_papi_bounds(look->sizes, &look->source[i], "size", &low, &high);
    return high > 0 ? exp2(ceil(log2(high)) + (high > low ? 0 : 1)) : 0;
}

/* What the level surely holds. */
static double least_size(const struct look *look, unsigned i)
{
    double low, high;

    hwc_papi_bounds(look->sizes, &look->source[i], "size", &low, &high);
    return low;
}

/* The time of a load at strides of 8, 16, ... bytes in an array of so many. */
static int time_strides(struct look *look, double bytes, struct hwc_cost_line *line, double time[STRIDES],
                        struct hwc_error *error)
{
    *line = (struct hwc_cost_line){.measure = stride_time, .array = look->large};
    look->large->used = (uint64_t)bytes;
    TRY(hwc_line_double(line, FIRST, bytes, error));
    if (look->lab->machine->interference)
        TRY(hwc_line_again(line, FIRST, 2 * policy.longest_line, error));
    for (int i = 0; i < STRIDES; i++)
        time[i] = line->point[i].cost;
    return HWC_OK;
}

/* The same of an array that the first cache holds, for any stride. */
static int time_hits(struct look *look, double time[STRIDES], struct hwc_error *error)
{
    double hit;

    TRY(hwc_array_cost(look->large, (uint64_t)policy.longest_line, FIRST, &hwc_by_clock, &hit, error));
    for (int i = 0; i < STRIDES; i++)
        time[i] = hit;
    return HWC_OK;
}

/* The stride up to which what the level adds doubles; 0 = none stands out. */
static double line_of(const double time[STRIDES], const double above[STRIDES])
{
    for (int i = 1; i + 1 < STRIDES; i++) {
        double before = time[i - 1] - above[i - 1], here = time[i] - above[i], after = time[i + 1] - above[i + 1];
        if (before <= 0 || here < policy.grows * before)
            return 0;
        if (after < policy.stays * here)
            return here >= policy.doubles * before && here > policy.rises * time[i] ? FIRST * exp2(i) : 0;
    }
    return 0;
}

/* The array beyond the largest cache before; 0 = there is none. */
static double array_above(const struct look *look, unsigned i)
{
    double bytes = 0;

    for (unsigned k = 0; k < i; k++)
        bytes = fmax(bytes, look->source[k].of_tlb ? 0 : array_beyond(look, k));
    return bytes;
}

/* Does the next cache hold this array? One of which nothing is known may be memory. */
static bool next_holds(const struct look *look, unsigned i, double bytes)
{
    double least = i + 1 < look->sources && !look->source[i + 1].of_tlb ? least_size(look, i + 1) : 0;

    return least == 0 || bytes <= least;
}

static int say(struct look *look, struct hwc_read_off *says, double value, const char *reason, struct hwc_error *error)
{
    return hwc_papi_say(look->curve, says, value, reason, error);
}

static int say_line(struct look *look, unsigned i, struct hwc_error *error)
{
    struct hwc_read_off says = hwc_papi_read_off(&look->source[i], "line size", "bytes");
    double smaller = array_above(look, i), bytes = array_beyond(look, i);
    double time[STRIDES], above[STRIDES];
    struct hwc_cost_line line;
    double line_bytes;

    if (!next_holds(look, i, bytes) || bytes > (double)look->large->arena.bytes)
        return say(look, &says, 0, "no array is surely beyond this level and held by the next", error);
    TRY(smaller > 0 ? time_strides(look, smaller, &line, above, error) : time_hits(look, above, error));
    TRY(time_strides(look, bytes, &line, time, error));
    hwc_write(says.series, sizeof says.series, "%s, array of %.0f KiB", HWC_PAPI_TIME, bytes / 1024);
    TRY(hwc_line_add(&line, look->curve, says.series, error));
    line_bytes = line_of(time, above);
    if (line_bytes > 0)
        hwc_read_off_show_at(&says, line_bytes);
    return say(look, &says, line_bytes, "no line size stands out in the time over strides", error);
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

/* Elements of one set lie as far apart as these caches are large: how many steps agree? */
static int steps_that_agree(struct look *look, double apart, double *steps, unsigned *count, struct hwc_error *error)
{
    double again[HWC_MISS_SOURCES + 1] = {0};
    unsigned more, alike = 0;

    TRY(find_steps(look, apart, HWC_MISS_SOURCES + 1, steps, count, error));
    TRY(find_steps(look, 2 * apart, HWC_MISS_SOURCES + 1, again, &more, error));
    while (alike < *count && alike < more && steps[alike] == again[alike])
        alike++;
    *count = alike == *count && alike == more ? alike : 0;
    return HWC_OK;
}

/* Of as many caches as have a known size, and as many steps, each is the other's. */
static int say_ways(struct look *look, double apart, unsigned caches, struct hwc_error *error)
{
    double steps[HWC_MISS_SOURCES + 1] = {0};
    unsigned count, next = 0;

    TRY(steps_that_agree(look, apart, steps, &count, error));
    for (unsigned i = 0; i < look->sources; i++) {
        struct hwc_read_off says = hwc_papi_read_off(&look->source[i], "associativity", "ways");
        if (look->source[i].of_tlb || known(look, i, "size") == 0)
            continue;
        says.series[0] = '\0';
        if (!hwc_is_counted(&look->source[i]))
            TRY(say(look, &says, count == caches ? steps[next] : 0,
                    "the time over elements of one set does not show a step for each cache", error));
        next++;
    }
    return HWC_OK;
}

/* As many elements, each at another place of its page, take longer: translation does. */
static int translation_rises(struct look *look, double apart, double elements, bool *does, struct hwc_error *error)
{
    double fit, more;

    TRY(hwc_array_page_cost(look->large, (size_t)elements, (uint64_t)apart, &hwc_by_clock, &fit, error));
    TRY(hwc_array_page_cost(look->large, (size_t)elements + 1, (uint64_t)apart, &hwc_by_clock, &more, error));
    *does = more > (1 + policy.rises) * fit;
    return HWC_OK;
}

/* Where others have no size, the first step alone is certain: no element goes to a further level while the first cache
 * keeps them all. */
static int say_first_ways(struct look *look, struct hwc_error *error)
{
    struct hwc_read_off says = hwc_papi_read_off(&look->source[0], "associativity", "ways");
    double apart = exp2(ceil(log2(array_beyond(look, 0)))), steps[2] = {0}, again[2] = {0};
    unsigned count, more;
    bool translated = false;

    says.series[0] = '\0';
    TRY(find_steps(look, apart, 1, steps, &count, error));
    TRY(find_steps(look, 2 * apart, 1, again, &more, error));
    if (count == 0 || more == 0 || steps[0] != again[0])
        return say(look, &says, 0, "the time over elements of one set shows no step at two distances alike", error);
    TRY(translation_rises(look, apart, steps[0], &translated, error));
    return say(look, &says, translated ? 0 : steps[0],
               "translating the elements' pages takes longer at the same number", error);
}

static int read_caches(struct look *look, struct hwc_error *error)
{
    unsigned caches = 0, open = 0;
    bool all_known = true;
    double largest = 0;

    for (unsigned i = 0; i < look->sources; i++) {
        double size = look->source[i].of_tlb ? 0 : known(look, i, "size");
        if (look->source[i].of_tlb || array_beyond(look, i) == 0)
            continue;
        all_known = all_known && size > 0;
        largest = fmax(largest, size);
        caches++;
        if (hwc_is_counted(&look->source[i]))
            continue;
        open++;
        TRY(say_line(look, i, error));
    }
    if (open > 0 && all_known)
        return say_ways(look, exp2(ceil(log2(largest))), caches, error);
    return open > 0 && array_beyond(look, 0) > 0 && !hwc_is_counted(&look->source[0]) ? say_first_ways(look, error)
                                                                                      : HWC_OK;
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
    *ways = hwc_papi_confirmed(*ways, again);
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
