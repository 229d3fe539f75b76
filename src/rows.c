#include "rows.h"

#include "fit.h"

#define LEAST_STRIDE 256
#define LONGEST_STRIDE (UINT64_C(1) << 20)
#define MOST_ROWS 512
#define ROW_BYTES 1024
#define ARENA_BYTES (UINT64_C(64) << 20)

static int open_rows(struct hwc_lab *lab, const struct hwc_rows_search *search, struct hwc_rows *rows,
                     struct hwc_error *error)
{
    *rows = (struct hwc_rows){.search = search,
                              .witness = &lab->other[search->structure],
                              .spacing = search->least_spacing,
                              .most_width = ROW_BYTES};
    hwc_walk_init(&rows->walk);
    rows->walk.access = HWC_FETCH;
    rows->base = hwc_random_below(&lab->random, 16) * ROW_BYTES;
    return lab->machine->ops->arena_open(lab->machine, ARENA_BYTES, HWC_CODE_PAGES, &rows->arena, error);
}

static void close_rows(struct hwc_lab *lab, struct hwc_rows *rows)
{
    hwc_walk_free(&rows->walk);
    hwc_close_arena(lab, &rows->arena);
}

static int lay_rows(struct hwc_lab *lab, struct hwc_rows *rows, uint64_t stride, size_t count, struct hwc_error *error)
{
    int status = HWC_OK;

    hwc_walk_clear(&rows->walk);
    for (size_t i = 0; i < count; i++)
        for (uint64_t at = 0; at < rows->width && status == HWC_OK; at += rows->spacing)
            status = hwc_walk_append(&rows->walk, rows->base + i * stride + at + i % 2 * rows->moved, error);
    hwc_walk_shuffle(&rows->walk, &lab->random);
    return status;
}

/* A sibling thread takes ways of the cache, and comes and goes. */
#define TRIES 5

static int measure_alone(struct hwc_lab *lab, const struct hwc_rows *rows, double *cycles, struct hwc_error *error)
{
    int status = hwc_lab_need_alone(lab, HWC_WAIT_FOR_BALLOT, error);

    if (status == HWC_OK)
        status = hwc_measure_by(lab, rows->witness, &rows->arena, &rows->walk, lab->settings.samples, cycles, error);
    return status == HWC_OK ? hwc_lab_need_alone(lab, 0, error) : status;
}

/* Of one pass: the count of the event, or cycles. */
static int measure_rows(struct hwc_lab *lab, struct hwc_rows *rows, uint64_t stride, size_t count, double *result,
                        struct hwc_error *error)
{
    int status = lay_rows(lab, rows, stride, count, error);

    if (status == HWC_OK && rows->witness->kind == HWC_COUNTER)
        return hwc_measure_by(lab, rows->witness, &rows->arena, &rows->walk, lab->settings.samples, result, error);
    if (status != HWC_OK)
        return status;
    for (int tries = 1;; tries++) {
        status = measure_alone(lab, rows, result, error);
        if (status != HWC_UNAVAILABLE || tries == TRIES || hwc_lab_is_late(lab))
            return status;
    }
}

int hwc_rows_time_block(struct hwc_lab *lab, struct hwc_rows *rows, uint64_t bytes, uint64_t spacing, double *cycles,
                        struct hwc_error *error)
{
    int status;

    rows->width = bytes;
    rows->spacing = spacing;
    status = measure_rows(lab, rows, bytes, 1, cycles, error);
    rows->spacing = rows->search->least_spacing;
    *cycles /= (double)rows->walk.count;
    return status;
}

static int misses_of_rows(struct hwc_lab *lab, void *context, uint64_t stride, size_t count, double *misses,
                          double *references, struct hwc_error *error)
{
    struct hwc_rows *rows = context;
    int status;

    rows->width = stride / 2 < rows->most_width ? stride / 2 : rows->most_width;
    status = measure_rows(lab, rows, stride, count, misses, error);
    *references = (double)rows->walk.count;
    if (rows->witness->kind != HWC_COUNTER)
        *misses = (*misses - rows->hit_cycles * (double)rows->walk.count) / (rows->miss_cycles - rows->hit_cycles);
    return status;
}

static void move_rows(void *context, uint64_t distance)
{
    struct hwc_rows *rows = context;
    uint64_t least = rows->search->least_spacing;

    rows->moved = distance;
    rows->spacing = 2 * distance < least ? least : 2 * distance;
}

struct geometry {
    uint64_t line_bytes, period_bytes;
    size_t ways;
};

static int find_line(struct hwc_lab *lab, struct hwc_rows *rows, const struct hwc_fit *fit, struct geometry *found,
                     struct hwc_error *error)
{
    uint64_t most = found->period_bytes / 2;
    size_t count = rows->search->behind_another ? 2 * found->ways : hwc_too_many(found->ways);
    int status;

    rows->most_width = found->period_bytes < rows->search->widest ? found->period_bytes : rows->search->widest;
    status = hwc_fit_parting(lab, fit, found->period_bytes, count, UINT64_C(2) * HWC_CELL_BYTES, most + 1,
                             &found->line_bytes, error);
    if (status == HWC_OK && found->line_bytes > most)
        return hwc_fail(error, HWC_UNAVAILABLE, "no distance up to %llu bytes parts competing rows",
                        (unsigned long long)most);
    return status;
}

/* A row wider than the period takes several lines of a set: then narrower ones. */
static int find_ways(struct hwc_lab *lab, struct hwc_rows *rows, const struct hwc_fit *fit, struct geometry *found,
                     struct hwc_error *error)
{
    int status;

    for (;; rows->most_width /= 4) {
        status = hwc_fit_ways(lab, fit, LEAST_STRIDE, rows->search->first_stride, LONGEST_STRIDE, &found->ways,
                              &found->period_bytes, error);
        if (status != HWC_OK || found->period_bytes > 2 * rows->most_width ||
            rows->most_width <= rows->search->least_spacing)
            return status;
    }
}

static int find_geometry(struct hwc_lab *lab, struct hwc_rows *rows, struct geometry *found, struct hwc_error *error)
{
    const struct hwc_fit fit = {.misses = misses_of_rows,
                                .move = move_rows,
                                .context = rows,
                                .counted = rows->witness->kind == HWC_COUNTER,
                                .most_bytes = rows->arena.bytes - rows->base - ROW_BYTES,
                                .most = MOST_ROWS};
    int status = find_ways(lab, rows, &fit, found, error);

    return status == HWC_OK ? find_line(lab, rows, &fit, found, error) : status;
}

static int measure(struct hwc_lab *lab, void *context, struct hwc_ballot *ballot, struct hwc_error *error)
{
    const struct hwc_rows_search *search = context;
    struct geometry found = {0};
    struct hwc_rows rows;
    int status = open_rows(lab, search, &rows, error);

    if (status == HWC_OK)
        status = search->prepare(lab, &rows, error);
    if (status == HWC_OK)
        status = find_geometry(lab, &rows, &found, error);
    if (status == HWC_OK && search->check != NULL)
        status = search->check(lab, &rows, found.ways, error);
    close_rows(lab, &rows);
    if (status != HWC_OK)
        return status;
    for (int q = 0; q < HWC_ROWS_QUESTIONS; q++)
        ballot->cast[q] = true;
    ballot->value[HWC_ROWS_LINE] = (int64_t)found.line_bytes;
    ballot->value[HWC_ROWS_SIZE] = (int64_t)(found.ways * found.period_bytes);
    ballot->value[HWC_ROWS_WAYS] = (int64_t)found.ways;
    return HWC_OK;
}

int hwc_rows_vote(struct hwc_lab *lab, struct hwc_rows_search *search,
                  struct hwc_finding *const findings[HWC_ROWS_QUESTIONS],
                  struct hwc_result results[HWC_ROWS_QUESTIONS], struct hwc_error *error)
{
    static const char *const units[HWC_ROWS_QUESTIONS] = {"bytes", "bytes", "ways"};
    const struct hwc_witness *witness = &lab->other[search->structure];

    if (witness->kind != HWC_NO_WITNESS)
        return hwc_findings_by_vote(lab, measure, search, witness, HWC_ROWS_QUESTIONS, units, findings, results, error);
    hwc_findings_unknown(findings, HWC_ROWS_QUESTIONS,
                         "nothing counts instruction-cache misses here, and there is no clock");
    return HWC_OK;
}
