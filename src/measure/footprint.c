#include "footprint.h"

#include <math.h>
#include <stdlib.h>

#include "sampler.h"
#include "line_placement.h"
#include "steady_state.h"

static const struct {
    size_t long_walk, very_long; /* references */
    double falling;
    unsigned most_passes;
    size_t enough_lines;
    uint64_t lines_per_page;
    uint64_t lines_to_learn, pages_remembered;
    uint64_t lines_apart, entries_per_group;
    size_t flushed_lines;
    size_t most_others;
} policy = {
    /* A long walk is measured over single passes, in which the cost of starting and reading clock or counter vanishes.
     * For a very long one a single pass is enough. */
    .long_walk = 10000,
    .very_long = 200000,
    /* A level that inserts lines at random needs many passes until it holds a walk: passes go on while each has less
     * than this share of the fewest misses so far. */
    .falling = 0.95,
    .most_passes = 48,
    /* Where references are slow, walks of more lines are thinned, but not to fewer lines a page. */
    .enough_lines = 16384,
    .lines_per_page = 4,
    /* Prefetchers detect a stream by several lines of a page, and track some dozens of pages at a time. */
    .lines_to_learn = 8,
    .pages_remembered = 64,
    /* Sparse lines: one line to this many places. */
    .lines_apart = 8,
    /* First-level TLBs have this many entries. */
    .entries_per_group = 16,
    .flushed_lines = 4096,
    /* Of more than twice as many pages as a TLB has entries all miss, whatever filled it: so many need no others before. */
    .most_others = 8192,
};

/* An adaptive level may keep the lines of a long walk and not admit those of the
 * next, which a counter would show: the walk is then flushed. Plateaus of time
 * do not need the flush, which takes longer than they do. */
static bool counts_anything(const struct hwc_lab *lab)
{
    for (unsigned level = 1; level <= HWC_MAX_CACHE_LEVEL; level++)
        if (lab->witness[level].kind == HWC_COUNTER)
            return true;
    return false;
}

bool hwc_is_very_long(size_t references)
{
    return references > policy.very_long;
}

int hwc_measure_passes(struct hwc_lab *lab, const struct hwc_arena *arena, const struct hwc_walk *walk,
                       enum hwc_event event, unsigned samples, struct hwc_steady *steady, struct hwc_error *error)
{
    struct hwc_experiment experiment = {
        .arena = arena, .event = event, .steps = 2, .step = {{HWC_RUN, walk, 2}, {HWC_MEASURE, walk, 1}}};
    bool falling = false;

    *steady = (struct hwc_steady){.cycles = INFINITY, .misses = INFINITY, .counted = event != HWC_NO_EVENT};
    for (unsigned i = 0; i < samples || (falling && i < policy.most_passes); i++) {
        struct hwc_sample sample;
        TRY(hwc_lab_sample(lab, &experiment, &sample, error));
        falling = sample.reading[0].counted && sample.reading[0].count < policy.falling * steady->misses;
        steady->cycles = fmin(steady->cycles, sample.reading[0].cycles);
        steady->misses = fmin(steady->misses, sample.reading[0].count);
        steady->counted = steady->counted && sample.reading[0].counted;
        experiment.step[0].passes = 0; /* warm from the pass before */
    }
    return HWC_OK;
}

bool hwc_is_long_walk(size_t references)
{
    return references > policy.long_walk;
}

unsigned hwc_pages_per_group(const struct hwc_lab *lab)
{
    uint64_t pages = policy.entries_per_group * hwc_smallest_entry(lab->machine) / lab->machine->page_bytes;

    return pages > 1 ? (unsigned)pages : 1;
}

struct hwc_footprint hwc_footprint_of(const struct hwc_lab *lab, uint64_t bytes)
{
    return hwc_spaced_footprint(lab, bytes, lab->known->level[1].fill_bytes);
}

struct hwc_footprint hwc_spaced_footprint(const struct hwc_lab *lab, uint64_t bytes, uint64_t spacing)
{
    bool thinned = hwc_references_are_dear(lab->machine) && !lab->known->hashed;

    while (thinned && bytes / spacing > policy.enough_lines &&
           2 * spacing * policy.lines_per_page <= lab->machine->page_bytes)
        spacing *= 2;
    return (struct hwc_footprint){.lines = bytes > spacing ? (size_t)(bytes / spacing) : 1,
                                  .line_bytes = spacing,
                                  .pages = HWC_LARGE_PAGES,
                                  .pages_per_group = hwc_pages_per_group(lab),
                                  .access = HWC_LOAD};
}

void hwc_close_footprint(struct hwc_lab *lab, struct hwc_arena *arena, struct hwc_walk *walk)
{
    hwc_walk_free(walk);
    lab->machine->ops->arena_close(lab->machine, arena);
}

/* A scattered walk visits every other line of a page. */
static unsigned rounds_of(const struct hwc_lab *lab, const struct hwc_footprint *footprint)
{
    uint64_t per_page = lab->machine->page_bytes / (2 * footprint->line_bytes);

    if (per_page <= policy.lines_to_learn || footprint->lines / per_page < policy.pages_remembered)
        return 1;
    return (unsigned)(per_page / policy.lines_to_learn);
}

static int lay_out(struct hwc_lab *lab, const struct hwc_footprint *footprint, struct hwc_walk *walk,
                   struct hwc_error *error)
{
    TRY(hwc_walk_spaced_shuffle(walk, footprint->lines, footprint->line_bytes,
                                footprint->pages_per_group * lab->machine->page_bytes, &lab->random, error));
    return hwc_walk_in_rounds(walk, footprint->line_bytes, rounds_of(lab, footprint), error);
}

int hwc_open_footprint(struct hwc_lab *lab, const struct hwc_footprint *footprint, struct hwc_arena *arena,
                       struct hwc_walk *walk, struct hwc_error *error)
{
    uint64_t bytes = HWC_SPACED_SHUFFLE * (footprint->lines + 1) * footprint->line_bytes;
    int status;

    TRY(lab->machine->ops->arena_open(lab->machine, bytes, footprint->pages, arena, error));
    hwc_walk_init(walk);
    status = lay_out(lab, footprint, walk, error);
    walk->access = footprint->access;
    if (status != HWC_OK)
        hwc_close_footprint(lab, arena, walk);
    return status;
}

int hwc_open_sparse(struct hwc_lab *lab, size_t lines, uint64_t spacing, struct hwc_arena *arena,
                    struct hwc_walk *walk, struct hwc_error *error)
{
    const struct hwc_footprint footprint = {lines, policy.lines_apart * spacing, HWC_LARGE_PAGES,
                                            hwc_pages_per_group(lab), HWC_LOAD};

    TRY(hwc_open_footprint(lab, &footprint, arena, walk, error));
    hwc_walk_jitter(walk, policy.lines_apart * spacing, spacing, &lab->random);
    return HWC_OK;
}

int hwc_measure_laid_out(struct hwc_lab *lab, const struct hwc_arena *arena, const struct hwc_walk *walk,
                         enum hwc_event event, unsigned samples, struct hwc_steady *steady, struct hwc_error *error)
{
    if (!hwc_is_long_walk(walk->count))
        return hwc_measure_steady(lab, arena, walk, event, samples, steady, error);
    TRY(hwc_measure_passes(lab, arena, walk, event, hwc_is_very_long(walk->count) ? 1 : 3, steady, error));
    return counts_anything(lab) ? hwc_leave_nothing(lab, arena, walk, error) : HWC_OK;
}

int hwc_measure_footprint(struct hwc_lab *lab, const struct hwc_footprint *footprint, enum hwc_event event,
                          unsigned samples, struct hwc_steady *steady, struct hwc_error *error)
{
    struct hwc_arena arena;
    struct hwc_walk walk;
    int status;

    TRY(hwc_open_footprint(lab, footprint, &arena, &walk, error));
    status = hwc_measure_laid_out(lab, &arena, &walk, event, samples, steady, error);
    hwc_close_footprint(lab, &arena, &walk);
    return status;
}

/* Append a line of every page that was not seen yet. */
static int append_unseen(struct hwc_lab *lab, const struct hwc_arena *arena, const struct hwc_walk *walk, bool *seen,
                         struct hwc_walk *lines, struct hwc_error *error)
{
    uint64_t page = hwc_smallest_entry(lab->machine);

    for (size_t i = 0; i < walk->count; i++) {
        uint64_t at = walk->offsets[i] / page;
        if (seen[at] || (at + 1) * page > arena->bytes)
            continue;
        seen[at] = true;
        TRY(hwc_walk_append(lines, at * page + hwc_line_in_page(lab, lines->count), error));
    }
    return HWC_OK;
}

/* A line of every page that a walk visits, in the order of its first visits. */
static int list_pages(struct hwc_lab *lab, const struct hwc_arena *arena, const struct hwc_walk *walk,
                      struct hwc_walk *lines, struct hwc_error *error)
{
    bool *seen = calloc((size_t)(arena->bytes / hwc_smallest_entry(lab->machine)) + 1, sizeof *seen);
    int status;

    if (seen == NULL)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory to look at pages");
    status = append_unseen(lab, arena, walk, seen, lines, error);
    free(seen);
    return status;
}

static int append_moved(struct hwc_walk *walk, const struct hwc_walk *lines, size_t from, size_t to, uint64_t moved,
                        struct hwc_error *error)
{
    for (size_t i = from; i < to; i++)
        TRY(hwc_walk_append(walk, lines->offsets[i] ^ moved, error));
    return HWC_OK;
}

/* The end of the lines that share a group with the one at `from`. */
static size_t end_of_group(const struct hwc_walk *lines, size_t from, uint64_t group_bytes)
{
    size_t end = from;

    while (end < lines->count && lines->offsets[end] / group_bytes == lines->offsets[from] / group_bytes)
        end++;
    return end;
}

/* Two lines of each page, half a page apart: both in one visit to the page's group, or each in one of its own. All pages
 * lie between two visits to a page, and groups come in the walk's order: a TLB that does not hold all misses alike. */
static int order_lines(struct hwc_lab *lab, const struct hwc_walk *lines, uint64_t group_bytes,
                       struct hwc_walk *together, struct hwc_walk *apart, struct hwc_error *error)
{
    uint64_t half = hwc_smallest_entry(lab->machine) / 2;

    TRY(append_moved(apart, lines, 0, lines->count, 0, error));
    TRY(append_moved(apart, lines, 0, lines->count, half, error));
    for (size_t from = 0, end = 0; from < lines->count; from = end) {
        end = end_of_group(lines, from, group_bytes);
        TRY(append_moved(together, lines, from, end, 0, error));
        TRY(append_moved(together, lines, from, end, half, error));
        hwc_walk_reorder(together, 2 * from, 2 * (end - from), &lab->random);
    }
    return HWC_OK;
}

/* What a reference takes that hits, and needs no translation. */
static int time_hit(struct hwc_lab *lab, const struct hwc_arena *arena, const struct hwc_walk *lines, unsigned samples,
                    double *cycles, struct hwc_error *error)
{
    struct hwc_walk one;
    int status;

    hwc_walk_init(&one);
    status = hwc_walk_append(&one, lines->offsets[0], error);
    if (status == HWC_OK)
        status = hwc_measure_by(lab, &hwc_by_clock, arena, &one, samples, cycles, error);
    hwc_walk_free(&one);
    return status;
}

/* Go through as many other pages, so that the next walk fills the TLB in its own order, as the first one did: where
 * entries go first in, first out, and another order filled it, as few as the pages too many miss, over and over. */
static int leave_no_entry(struct hwc_lab *lab, size_t pages, struct hwc_error *error)
{
    uint64_t page = hwc_smallest_entry(lab->machine);
    struct hwc_arena arena;
    struct hwc_walk walk;
    int status;

    if (pages > policy.most_others)
        return HWC_OK;
    TRY(lab->machine->ops->arena_open(lab->machine, pages * page, HWC_LARGE_PAGES, &arena, error));
    hwc_walk_init(&walk);
    status = hwc_walk_pages(lab, &walk, pages, 0, page, 0, error);
    if (status == HWC_OK)
        status = hwc_lab_run(lab, &arena, &walk, 1, error);
    hwc_close_footprint(lab, &arena, &walk);
    return status;
}

static int time_from_no_entry(struct hwc_lab *lab, const struct hwc_arena *arena, const struct hwc_walk *walk,
                              unsigned samples, double *cycles, struct hwc_error *error)
{
    struct hwc_steady steady = {0};

    TRY(leave_no_entry(lab, walk->count / 2, error));
    TRY(hwc_measure_laid_out(lab, arena, walk, HWC_NO_EVENT, samples, &steady, error));
    *cycles = steady.cycles;
    return HWC_OK;
}

/* What translating each page once takes: the same lines, so that caches serve them alike, with every page translated
 * once a pass and twice. It is no more than what all but hits take with each page translated once: where a TLB nearly
 * holds the pages, the other order may miss twice where this one hits. */
static int time_orders(struct hwc_lab *lab, const struct hwc_arena *arena, const struct hwc_walk *lines,
                       uint64_t group_bytes, struct hwc_walk *together, struct hwc_walk *apart, unsigned samples,
                       double *cycles, struct hwc_error *error)
{
    double hit = 0, once = 0, twice = 0;

    TRY(order_lines(lab, lines, group_bytes, together, apart, error));
    TRY(time_from_no_entry(lab, arena, together, samples, &once, error));
    TRY(time_from_no_entry(lab, arena, apart, samples, &twice, error));
    TRY(time_hit(lab, arena, lines, samples, &hit, error));
    *cycles = fmax(fmin(twice - once, once - hit * (double)together->count), 0);
    return HWC_OK;
}

/* What translating its pages takes in a pass over the walk. */
static int time_translation(struct hwc_lab *lab, const struct hwc_arena *arena, const struct hwc_walk *walk,
                            uint64_t group_bytes, unsigned samples, double *cycles, struct hwc_error *error)
{
    struct hwc_walk lines, together, apart;
    int status;

    hwc_walk_init(&lines);
    hwc_walk_init(&together);
    hwc_walk_init(&apart);
    *cycles = 0;
    status = list_pages(lab, arena, walk, &lines, error);
    if (status == HWC_OK && lines.count > 1)
        status = time_orders(lab, arena, &lines, group_bytes, &together, &apart, samples, cycles, error);
    hwc_walk_free(&lines);
    hwc_walk_free(&together);
    hwc_walk_free(&apart);
    return status;
}

int hwc_time_data(struct hwc_lab *lab, const struct hwc_footprint *footprint, unsigned samples, double *cycles,
                  struct hwc_error *error)
{
    struct hwc_steady steady = {0};
    struct hwc_arena arena;
    struct hwc_walk walk;
    double translation = 0;
    int status;

    TRY(hwc_open_footprint(lab, footprint, &arena, &walk, error));
    status = hwc_measure_laid_out(lab, &arena, &walk, HWC_NO_EVENT, samples, &steady, error);
    if (status == HWC_OK)
        status = time_translation(lab, &arena, &walk, footprint->pages_per_group * lab->machine->page_bytes,
                                  samples, &translation, error);
    hwc_close_footprint(lab, &arena, &walk);
    *cycles = steady.cycles - rounds_of(lab, footprint) * translation;
    return status;
}

static int time_after_flush(struct hwc_lab *lab, const struct hwc_arena *arena, const struct hwc_walk *walk,
                            double *cycles, struct hwc_error *error)
{
    const struct hwc_experiment experiment = {
        .arena = arena, .event = HWC_NO_EVENT, .steps = 2, .step = {{HWC_FLUSH, walk, 1}, {HWC_MEASURE, walk, 1}}};

    *cycles = INFINITY;
    for (unsigned i = 0; i < lab->settings.samples; i++) {
        struct hwc_sample sample;
        TRY(hwc_lab_sample(lab, &experiment, &sample, error));
        *cycles = fmin(*cycles, sample.reading[0].cycles);
    }
    return HWC_OK;
}

int hwc_time_flushed(struct hwc_lab *lab, uint64_t spacing, double *cycles, struct hwc_error *error)
{
    struct hwc_arena arena;
    struct hwc_walk walk;
    double translation = 0;
    int status;

    TRY(hwc_open_sparse(lab, policy.flushed_lines, spacing, &arena, &walk, error));
    status = time_after_flush(lab, &arena, &walk, cycles, error);
    if (status == HWC_OK)
        status = time_translation(lab, &arena, &walk, hwc_pages_per_group(lab) * lab->machine->page_bytes,
                                  lab->settings.samples, &translation, error);
    *cycles = (*cycles - translation) / (double)policy.flushed_lines;
    hwc_close_footprint(lab, &arena, &walk);
    return status;
}
