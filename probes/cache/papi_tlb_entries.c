/* The entries of the data TLBs, over growing numbers of pages with one load to each (papi_cache_size.c). The first
 * cache keeps all of the lines, so that the time is that of translation; counts need not care for that. */
#include "papi_curves.h"

#include <math.h>

static const struct {
    double rises;             /* a longer time differs by this share */
    double shows;             /* misses show by this share of what they add */
    size_t pages, timed_pages;
} policy = {.rises = 0.04, .shows = 0.03, .pages = 4096, .timed_pages = 256};

struct look {
    struct hwc_lab *lab;
    struct hwc_array *array;
    struct hwc_curve *curve;
    unsigned sources;
    struct hwc_miss_source source[HWC_MISS_SOURCES];
    double entries[HWC_MISS_SOURCES]; /* 0 = unknown */
    struct hwc_cost_line time;
};

static int page_cost(struct hwc_cost_line *line, double at, double *cost, struct hwc_error *error)
{
    uint64_t page = line->array->lab->machine->page_bytes;

    return hwc_array_page_cost(line->array, (size_t)(at / (double)page), page, hwc_line_witness(line), cost, error);
}

static int grow_pages(struct hwc_cost_line *line, size_t most, struct hwc_error *error)
{
    double page = (double)line->array->lab->machine->page_bytes;

    return hwc_line_double(line, page, fmin((double)most * page, (double)line->array->arena.bytes), error);
}

static int say_entries(struct look *look, unsigned i, double bytes, struct hwc_error *error)
{
    double page = (double)look->lab->machine->page_bytes;
    struct hwc_read_off says = hwc_papi_read_off(&look->source[i], "entries", "entries");
    const char *reason = "the time of a load shows no further step while the first cache keeps a line of each page";

    hwc_write(says.series, sizeof says.series, "%s",
              hwc_is_counted(&look->source[i]) ? hwc_papi_page_series(&look->source[i]) : HWC_PAPI_PAGE_TIME);
    look->entries[i] = fmax(bytes, 0) / page;
    if (bytes > 0)
        hwc_read_off_show_at(&says, bytes);
    else if (bytes < 0)
        reason = hwc_papi_moves;
    else if (hwc_is_counted(&look->source[i]))
        reason = "its misses do not begin between one page and the most that were visited";
    return hwc_papi_say(look->curve, &says, look->entries[i], reason, error);
}

static int count_entries(struct look *look, unsigned i, struct hwc_error *error)
{
    double page = (double)look->lab->machine->page_bytes, last = 0;
    const struct hwc_limit few = {.misses = 2, .apart = page};
    struct hwc_cost_line counted = {.source = &look->source[i], .measure = page_cost, .array = look->array};
    struct hwc_cost_line *line = &counted;
    double fits;

    TRY(grow_pages(line, policy.pages, error));
    fits = hwc_line_within(line, &few);
    if (fits > 0 && fits < line->point[line->count - 1].bytes)
        TRY(hwc_line_last(line, fits, 2 * fits, page, &few, &last, error));
    TRY(hwc_line_add(line, look->curve, hwc_papi_page_series(&look->source[i]), error));
    return say_entries(look, i, last, error);
}

/* The place in [from, 2 from) from which on the time of a load rises; 0 = it does not. */
static int find_rise(struct hwc_cost_line *line, double from, double *bytes, struct hwc_error *error)
{
    double page = (double)line->array->lab->machine->page_bytes, low, high;

    *bytes = 0;
    TRY(hwc_line_ask(line, from, &low, error));
    TRY(hwc_line_ask(line, 2 * from, &high, error));
    if (high > (1 + policy.rises) * low) {
        const struct hwc_limit limit = {.cost = low + policy.shows * (high - low)};
        TRY(hwc_line_last(line, from, 2 * from, page, &limit, bytes, error));
    }
    return HWC_OK;
}

/* Others take entries, and time: where they may work here, a rise is looked for once more, and counts if it is where it
 * was. */
static int confirm(const struct look *look, double from, double *bytes, struct hwc_error *error)
{
    struct hwc_cost_line again = {.measure = page_cost, .array = look->array};
    double bytes_again;

    if (!look->lab->machine->interference || *bytes == 0)
        return HWC_OK;
    TRY(find_rise(&again, from, &bytes_again, error));
    *bytes = hwc_papi_confirmed(*bytes, bytes_again);
    return HWC_OK;
}

/* The next place from which on the time of a load rises, 0, or HWC_PAPI_MOVES; *from: from where to look, and then from
 * where on for the next. */
static int next_entries(struct look *look, double *from, double *bytes, struct hwc_error *error)
{
    struct hwc_cost_line *line = &look->time;

    *bytes = 0;
    for (; 2 * *from <= line->point[line->count - 1].bytes && *bytes == 0; *from *= 2) {
        TRY(find_rise(line, *from, bytes, error));
        TRY(confirm(look, *from, bytes, error));
    }
    return HWC_OK;
}

static bool is_counted_tlb(const struct look *look, double bytes)
{
    double pages = bytes / (double)look->lab->machine->page_bytes;

    for (unsigned i = 0; i < look->sources; i++)
        if (look->source[i].of_tlb && hwc_is_counted(&look->source[i]) && look->entries[i] == pages)
            return true;
    return false;
}

/* The steps of the time that no count explains are those of the TLBs that are not counted, in their order. */
static int time_entries(struct look *look, struct hwc_error *error)
{
    double from = 2 * (double)look->lab->machine->page_bytes, bytes;

    TRY(grow_pages(&look->time, policy.timed_pages, error));
    for (unsigned i = 0; i < look->sources; i++) {
        if (!look->source[i].of_tlb || hwc_is_counted(&look->source[i]))
            continue;
        do
            TRY(next_entries(look, &from, &bytes, error));
        while (bytes > 0 && is_counted_tlb(look, bytes));
        TRY(say_entries(look, i, bytes, error));
    }
    return hwc_line_add(&look->time, look->curve, HWC_PAPI_PAGE_TIME, error);
}

static int read_entries(struct look *look, struct hwc_error *error)
{
    bool all = true;

    look->sources = hwc_miss_sources(look->lab, look->source);
    look->time = (struct hwc_cost_line){.measure = page_cost, .array = look->array};
    for (unsigned i = 0; i < look->sources; i++) {
        if (look->source[i].of_tlb && hwc_is_counted(&look->source[i]))
            TRY(count_entries(look, i, error));
        all = all && (!look->source[i].of_tlb || hwc_is_counted(&look->source[i]));
    }
    return all || !look->lab->machine->has_clock ? HWC_OK : time_entries(look, error);
}

int hwc_papi_read_entries(struct hwc_lab *lab, struct hwc_array *array, struct hwc_curve *curve,
                          struct hwc_error *error)
{
    struct look look = {.lab = lab, .array = array, .curve = curve};

    return read_entries(&look, error);
}
