/* Memory as a cache that the kernel keeps of pages (papi_cache_size.c), where a control group limits it.
 *
 * Claim: the bytes of an array that memory holds, by the pages that the kernel had to bring back from swap, and by the
 * time of a load.
 *
 * Method: that of the caches, with pages for lines: arrays with one load for each page double. Where the cost of a load
 * rises most, memory is outgrown, as nothing costs as much as a page that comes back. By the time, the rise must be no
 * less than what it takes to map a page at first touch, which is part of what it takes to bring one back, and more than
 * caches and TLBs take. Halving then finds the last array of which no more than a few pages come back. The kernel gives
 * up what was not used for longest: of an array that is a page too large, nearly all pages come back in every pass.
 *
 * What can fool it: the program's other pages, and the kernel's tables for them, are held in the same memory: the size
 * is what the limit leaves for an array, and moves by some dozens of pages, as the kernel takes memory by dozens. */
#include <math.h>
#include <stdlib.h>

#include "footprint.h"
#include "line_placement.h"
#include "papi_curves.h"

static const struct {
    double first;     /* bytes of the first array */
    double counts;    /* memory is outgrown where a page comes back for this share of the loads */
    double takes;     /* or a load takes longer by this share of that: caches and TLBs add to it, too */
    double partly;    /* by more, an array has outgrown memory partly */
    double some;      /* by counts, pages come back for this share of the loads, at least */
    unsigned samples; /* single passes: each takes long */
} policy = {.first = 1 << 20, .counts = 0.01, .takes = 0.05, .partly = 0.1, .some = 0.1, .samples = 2};

#define COUNTED "memory misses"

/* What a load cost in one array. */
struct visit {
    double bytes, misses, cycles;
};

struct look {
    struct hwc_lab *lab;
    struct hwc_curve *curve;
    struct hwc_witness counter; /* of no kind if nothing counts */
    struct hwc_miss_source source;
    double mapping_cycles; /* a load that maps its page */
    size_t visits;
    struct visit visit[HWC_LINE_POINTS];
};

/* Of the counts, or the time, of the same walks. */
struct line {
    struct hwc_cost_line cost; /* first: what is asked for its cost holds a pointer to it */
    struct look *look;
};

/* Fresh pages for each array: of what went out and came back before, the kernel thinks otherwise. */
static int visit_pages(struct hwc_lab *lab, double bytes, enum hwc_event event, struct visit *visit,
                       struct hwc_error *error)
{
    uint64_t page = lab->machine->page_bytes;
    struct hwc_steady steady;
    struct hwc_arena arena;
    struct hwc_walk walk;
    int status;

    TRY(lab->machine->ops->arena_open(lab->machine, (uint64_t)bytes, HWC_SPARSE_PAGES, &arena, error));
    hwc_walk_init(&walk);
    status = hwc_walk_pages(lab, &walk, (size_t)(bytes / (double)page), 0, page, 0, error);
    if (status == HWC_OK)
        status = hwc_measure_passes(lab, &arena, &walk, event, policy.samples, &steady, error);
    if (status == HWC_OK)
        *visit = (struct visit){bytes, steady.misses / (double)walk.count, steady.cycles / (double)walk.count};
    hwc_walk_free(&walk);
    hwc_close_arena(lab, &arena);
    return status;
}

static int map_pages(struct hwc_lab *lab, const struct hwc_arena *arena, const struct hwc_walk *walk, double *cycles,
                     struct hwc_error *error)
{
    const struct hwc_experiment experiment = {
        .arena = arena, .event = HWC_PAGE_FAULT, .steps = 2, .step = {{HWC_RELEASE, NULL, 0}, {HWC_MEASURE, walk, 1}}};

    *cycles = INFINITY;
    for (unsigned i = 0; i < lab->settings.samples; i++) {
        struct hwc_sample sample;
        TRY(hwc_lab_sample(lab, &experiment, &sample, error));
        *cycles = fmin(*cycles, sample.reading[0].cycles / (double)walk->count);
    }
    return HWC_OK;
}

/* The least of a few first touches, page by page. */
static int measure_mapping(struct look *look, struct hwc_error *error)
{
    struct hwc_lab *lab = look->lab;
    uint64_t page = lab->machine->page_bytes, bytes = (uint64_t)policy.first;
    struct hwc_arena arena;
    struct hwc_walk walk;
    int status;

    TRY(lab->machine->ops->arena_open(lab->machine, bytes, HWC_BASE_PAGES, &arena, error));
    hwc_walk_init(&walk);
    status = hwc_walk_sequence(&walk, 0, page, (size_t)(bytes / page), error);
    if (status == HWC_OK)
        status = map_pages(lab, &arena, &walk, &look->mapping_cycles, error);
    hwc_walk_free(&walk);
    hwc_close_arena(lab, &arena);
    return status;
}

static int page_cost(struct hwc_cost_line *line, double at, double *cost, struct hwc_error *error)
{
    struct look *look = ((struct line *)line)->look;
    struct visit visit = {0};
    size_t i = 0;

    while (i < look->visits && look->visit[i].bytes != at)
        i++;
    if (i < look->visits)
        visit = look->visit[i];
    else
        TRY(visit_pages(look->lab, at, hwc_event_of(&look->counter), &visit, error));
    if (i == look->visits && i < HWC_LINE_POINTS)
        look->visit[look->visits++] = visit;
    *cost = line->source != NULL ? visit.misses : visit.cycles;
    return HWC_OK;
}

static int grow(struct hwc_cost_line *line, const struct hwc_machine *machine, struct hwc_error *error)
{
    double page = (double)machine->page_bytes, cost;
    double last = floor((double)machine->max_paged_bytes / page) * page;

    TRY(hwc_line_double(line, policy.first, last, error));
    return hwc_line_ask(line, last, &cost, error);
}

/* The point before which the cost rises most; 0 = it never rises. */
static size_t steepest(const struct hwc_cost_line *line)
{
    size_t most = 0;
    double rise = 0;

    for (size_t i = 1; i < line->count; i++)
        if (line->point[i].cost - line->point[i - 1].cost > rise) {
            rise = line->point[i].cost - line->point[i - 1].cost;
            most = i;
        }
    return most;
}

static bool is_outgrown(const struct look *look, const struct hwc_cost_line *line, double low, double high)
{
    return high - low > (line->source != NULL ? policy.some : look->mapping_cycles);
}

/* What a load costs before the cost rises most: an array that hardly outgrows memory may rise by a part of it only. */
static double cost_before(const struct hwc_cost_line *line, size_t after)
{
    const struct hwc_sized_cost *point = line->point;
    double before = point[after - 2].cost, next = point[after - 1].cost;

    return next - before > policy.partly * (point[after].cost - before) ? before : next;
}

/* The last array that memory holds; 0 = it does not show. */
static int find_size(const struct look *look, struct hwc_cost_line *line, double *size, struct hwc_error *error)
{
    double page = (double)look->lab->machine->page_bytes;
    size_t after = steepest(line);
    double low, high, fits;
    struct hwc_limit limit;

    *size = 0;
    if (after < 2)
        return HWC_OK;
    low = cost_before(line, after);
    high = line->point[after].cost;
    if (!is_outgrown(look, line, low, high))
        return HWC_OK;
    limit = (struct hwc_limit){
        .cost = low + (line->source != NULL ? policy.counts : policy.takes) * (high - low)};
    fits = hwc_line_within(line, &limit);
    return hwc_line_last(line, fits, fmin(2 * fits, line->point[line->count - 1].bytes), page, &limit, size, error);
}

static int say(struct look *look, const char *name, const char *series, double size, const char *reason,
               struct hwc_error *error)
{
    struct hwc_read_off says = hwc_read_off_of(name, "bytes", series);

    if (size > 0)
        hwc_read_off_show_at(&says, size);
    return hwc_papi_say(look->curve, &says, size, reason, error);
}

static int read_line(struct look *look, struct hwc_cost_line *line, const char *name, const char *series,
                     const char *reason, struct hwc_error *error)
{
    double size;

    TRY(grow(line, look->lab->machine, error));
    TRY(find_size(look, line, &size, error));
    TRY(hwc_line_add(line, look->curve, series, error));
    return say(look, name, series, size, reason, error);
}

static int read_counts(struct look *look, struct line *line, struct hwc_error *error)
{
    struct hwc_event_source source;

    look->lab->machine->ops->event_source(look->lab->machine, HWC_MAJOR_FAULT, 0, &source);
    if (!source.available)
        return say(look, "memory size", "", 0, source.reason, error);
    look->counter = hwc_by_event(HWC_MAJOR_FAULT);
    hwc_write(look->counter.counter, sizeof look->counter.counter, "%s", source.counter);
    look->source = (struct hwc_miss_source){.of = "memory", .level = 1, .witness = &look->counter};
    line->cost.source = &look->source;
    return read_line(look, &line->cost, "memory size", COUNTED,
                     "no array was so large that its pages had to be brought back", error);
}

static int read_times(struct look *look, struct line *line, struct hwc_error *error)
{
    if (!look->lab->machine->has_clock)
        return HWC_OK;
    TRY(measure_mapping(look, error));
    return read_line(look, &line->cost, "memory size by time", HWC_PAPI_PAGE_TIME,
                     "no load takes as long as a page from swap", error);
}

static int measure(struct look *look, struct line lines[2], struct hwc_error *error)
{
    if (look->lab->machine->paging_reason != NULL)
        return say(look, "memory size", "", 0, look->lab->machine->paging_reason, error);
    for (int i = 0; i < 2; i++)
        lines[i] = (struct line){.cost.measure = page_cost, .look = look};
    look->counter = (struct hwc_witness){.kind = HWC_NO_WITNESS};
    TRY(read_counts(look, &lines[0], error));
    return read_times(look, &lines[1], error);
}

int hwc_papi_measure_memory(struct hwc_lab *lab, struct hwc_curves *curves, struct hwc_error *error)
{
    struct look *look;
    struct line *lines;
    int status = HWC_NO_MEMORY;

    if (lab->machine->max_paged_bytes == 0 && lab->machine->paging_reason == NULL)
        return HWC_OK;
    look = calloc(1, sizeof *look);
    lines = calloc(2, sizeof *lines);
    if (look == NULL || lines == NULL) {
        status = hwc_fail(error, HWC_NO_MEMORY, "no memory for a curve");
    } else {
        look->lab = lab;
        status = hwc_curve_add(curves, HWC_PAPI_SIZE, "memory", "array size", "bytes", &look->curve, error);
        if (status == HWC_OK)
            status = measure(look, lines, error);
    }
    free(look);
    free(lines);
    return status;
}
