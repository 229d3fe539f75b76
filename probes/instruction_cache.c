/* Line size, size and associativity of the first instruction cache.
 *
 * Claim: bytes of a line, of the cache, and lines of a set.
 *
 * Method: AMP (ISPASS 2001, 3.7 to 3.9): blocks of code at chosen places are
 * executed, primed and again, counting. Its blocks are macros of 1 KiB that a
 * compiler laid out; these are chains of jumps, emitted where they are wanted.
 * So many rows of code, a stride apart, fit beside each other (hwc_fit_ways):
 * their number at long strides is the associativity, the shortest such stride
 * the period, and the size is their product. The line is the least distance
 * by which rows that compete must be moved to part (hwc_fit_parting).
 *
 * What can fool it: by the clock, predictors that run ahead and fetch early:
 * timed rows go on by returns that no predictor foresees (native/code.h).
 * Branch target buffers and decoded-instruction caches have conflicts of their
 * own at the same strides, which cost less: rows are wide, so that the two are
 * told apart, and one row more must make most of its fetches miss. A policy
 * that is not close to LRU shows no such step to the clock. Period and size
 * suppose that the index is taken from address bits as they are. */
#include <math.h>

#include "fit.h"
#include "table.h"

enum question { LINE, SIZE, WAYS, QUESTIONS };

#define LEAST_STRIDE 256
/* No longer than need be: at long strides branch target buffers and TLBs have conflicts, too. */
#define FIRST_STRIDE 4096
#define LONGEST_STRIDE (UINT64_C(1) << 20)
#define MOST_ROWS 512
/* A row is half a stride wide, at most this; its fetches lie this far apart:
 * a long line, as several to a line would share its miss. */
#define ROW_BYTES 1024
#define FETCH_BYTES 128
#define ARENA_BYTES (UINT64_C(64) << 20)

struct rows {
    const struct hwc_witness *witness;
    struct hwc_arena arena;
    struct hwc_walk walk;
    uint64_t base, width, spacing;
    uint64_t most_width;
    uint64_t moved; /* every other row, by so much */
    double hit_cycles, miss_cycles; /* clock: a fetch that the cache serves, and one that the next level does */
};

static int open_rows(struct hwc_lab *lab, struct rows *rows, struct hwc_error *error)
{
    *rows = (struct rows){.witness = &lab->other[HWC_L1I], .spacing = FETCH_BYTES, .most_width = ROW_BYTES};
    hwc_walk_init(&rows->walk);
    rows->walk.access = HWC_FETCH;
    rows->base = hwc_random_below(&lab->random, 16) * ROW_BYTES;
    return lab->machine->ops->arena_open(lab->machine, ARENA_BYTES, HWC_CODE_PAGES, &rows->arena, error);
}

static void close_rows(struct hwc_lab *lab, struct rows *rows)
{
    hwc_walk_free(&rows->walk);
    hwc_close_arena(lab, &rows->arena);
}

static int lay_rows(struct hwc_lab *lab, struct rows *rows, uint64_t stride, size_t count, struct hwc_error *error)
{
    int status = HWC_OK;

    hwc_walk_clear(&rows->walk);
    for (size_t i = 0; i < count; i++)
        for (uint64_t at = 0; at < rows->width && status == HWC_OK; at += rows->spacing)
            status = hwc_walk_append(&rows->walk, rows->base + i * stride + at + i % 2 * rows->moved, error);
    hwc_walk_shuffle(&rows->walk, &lab->random);
    return status;
}

/* Of one pass: the count of the event, or cycles. */
static int measure_rows(struct hwc_lab *lab, struct rows *rows, uint64_t stride, size_t count, double *result,
                        struct hwc_error *error)
{
    int status = lay_rows(lab, rows, stride, count, error);

    if (status != HWC_OK)
        return status;
    return hwc_measure_by(lab, rows->witness, &rows->arena, &rows->walk, lab->settings.samples, result, error);
}

static int misses_of_rows(struct hwc_lab *lab, void *context, uint64_t stride, size_t count, double *misses,
                          double *references, struct hwc_error *error)
{
    struct rows *rows = context;
    int status;

    rows->width = stride / 2 < rows->most_width ? stride / 2 : rows->most_width;
    status = measure_rows(lab, rows, stride, count, misses, error);
    *references = (double)rows->walk.count;
    if (rows->witness->kind != HWC_COUNTER)
        *misses = (*misses - rows->hit_cycles * (double)rows->walk.count) / (rows->miss_cycles - rows->hit_cycles);
    return status;
}

/* By the clock: what a fetch takes in a block that surely fits, and the first
 * two doublings from which on it takes longer. Of fewer fetches than a hundred
 * or so, predictors foresee some after all. */
#define FETCHES_AT_LEAST 128
#define SMALLEST_BLOCK 2048
#define LARGEST_BLOCK (UINT64_C(4) << 20)
#define SLOWER 1.15
/* Branch target buffers and decoded-instruction caches cost less than a miss, which waits for the second level as a
 * load does, nearly. */
#define OF_DATA 0.7

static double least_miss(const struct hwc_lab *lab, double hit)
{
    const struct hwc_witness *data = &lab->witness[1];

    return fmax(SLOWER * hit, hit + OF_DATA * fmax(0, data->miss_cycles - data->hit_cycles));
}

static int calibrate(struct hwc_lab *lab, struct rows *rows, struct hwc_error *error)
{
    double cycles = 0, hit = 0, before = 0;
    int status = HWC_OK;

    for (uint64_t bytes = SMALLEST_BLOCK; bytes <= LARGEST_BLOCK; bytes *= 2) {
        rows->width = bytes;
        rows->spacing = bytes / FETCHES_AT_LEAST < FETCH_BYTES ? bytes / FETCHES_AT_LEAST : FETCH_BYTES;
        status = measure_rows(lab, rows, bytes, 1, &cycles, error);
        if (status != HWC_OK)
            break;
        cycles /= (double)rows->walk.count;
        if (hit == 0)
            hit = cycles;
        if (before > least_miss(lab, hit) && cycles > least_miss(lab, hit))
            break;
        before = cycles;
    }
    rows->spacing = FETCH_BYTES;
    if (status == HWC_OK && before <= least_miss(lab, hit))
        return hwc_fail(error, HWC_UNAVAILABLE, "code of %llu KiB takes no longer than code of %d KiB",
                        (unsigned long long)(LARGEST_BLOCK >> 10), SMALLEST_BLOCK >> 10);
    rows->hit_cycles = hit;
    rows->miss_cycles = fmin(before, cycles);
    return status;
}

static void move_rows(void *context, uint64_t distance)
{
    struct rows *rows = context;

    rows->moved = distance;
    rows->spacing = 2 * distance < FETCH_BYTES ? FETCH_BYTES : 2 * distance;
}

static int find_line(struct hwc_lab *lab, struct rows *rows, const struct hwc_fit *fit, uint64_t period, size_t ways,
                     uint64_t *line, struct hwc_error *error)
{
    int status;

    rows->most_width = period;
    status = hwc_fit_parting(lab, fit, period, ways, UINT64_C(2) * HWC_CELL_BYTES, period / 2 + 1, line, error);
    if (status == HWC_OK && *line > period / 2)
        return hwc_fail(error, HWC_UNAVAILABLE, "no distance up to %llu bytes parts competing rows",
                        (unsigned long long)period / 2);
    return status;
}

/* A row wider than the period takes several lines of a set: then narrower ones. */
static int find_ways(struct hwc_lab *lab, struct rows *rows, const struct hwc_fit *fit, size_t *ways,
                     uint64_t *period, struct hwc_error *error)
{
    int status;

    for (;; rows->most_width /= 4) {
        status = hwc_fit_ways(lab, fit, LEAST_STRIDE, FIRST_STRIDE, LONGEST_STRIDE, ways, period, error);
        if (status != HWC_OK || *period > 2 * rows->most_width || rows->most_width <= FETCH_BYTES)
            return status;
    }
}

static int measure(struct hwc_lab *lab, void *context, struct hwc_ballot *ballot, struct hwc_error *error)
{
    struct rows rows;
    struct hwc_fit fit = {.misses = misses_of_rows, .move = move_rows, .context = &rows, .most = MOST_ROWS};
    size_t ways;
    uint64_t period, line = 0;
    int status = open_rows(lab, &rows, error);

    (void)context;
    fit.counted = rows.witness->kind == HWC_COUNTER;
    fit.most_bytes = rows.arena.bytes - rows.base - ROW_BYTES;
    if (status == HWC_OK && !fit.counted)
        status = calibrate(lab, &rows, error);
    if (status == HWC_OK)
        status = find_ways(lab, &rows, &fit, &ways, &period, error);
    if (status == HWC_OK)
        status = find_line(lab, &rows, &fit, period, ways, &line, error);
    close_rows(lab, &rows);
    if (status != HWC_OK)
        return status;
    for (int q = 0; q < QUESTIONS; q++)
        ballot->cast[q] = true;
    ballot->value[LINE] = (int64_t)line;
    ballot->value[SIZE] = (int64_t)(ways * period);
    ballot->value[WAYS] = (int64_t)ways;
    return HWC_OK;
}

/* Where nothing of the first level holds code, the first cache that does is one of the data's lower levels. */
static unsigned same_as_lower(const struct hwc_lab *lab, const struct hwc_result *results)
{
    for (unsigned level = 2; level <= lab->levels; level++)
        if (results[SIZE].decided && results[WAYS].decided &&
            lab->level[level].size_bytes == (uint64_t)results[SIZE].value &&
            lab->level[level].ways == (uint64_t)results[WAYS].value)
            return level;
    return 0;
}

/* What later probes go by. */
static void know(struct hwc_lab *lab, const struct hwc_result *results)
{
    for (int q = 0; q < QUESTIONS; q++)
        if (!results[q].decided)
            return;
    lab->code = (struct hwc_level){.line_bytes = (uint64_t)results[LINE].value,
                                   .fill_bytes = (uint64_t)results[LINE].value,
                                   .size_bytes = (uint64_t)results[SIZE].value,
                                   .ways = (uint64_t)results[WAYS].value,
                                   .period_bytes = (uint64_t)(results[SIZE].value / results[WAYS].value)};
}

static int run(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    struct hwc_cache_profile *cache = &profile->code_cache[0];
    struct hwc_finding *findings[QUESTIONS] = {&cache->line_size, &cache->size, &cache->associativity};
    static const char *const units[QUESTIONS] = {"bytes", "bytes", "ways"};
    struct hwc_result results[QUESTIONS] = {0};
    unsigned lower;
    int status;

    profile->code_caches = 1;
    cache->level = 1;
    if (lab->other[HWC_L1I].kind == HWC_NO_WITNESS) {
        hwc_findings_unknown(findings, QUESTIONS, "nothing counts instruction-cache misses here, and there is no clock");
        return HWC_OK;
    }
    status = hwc_findings_by_vote(lab, measure, NULL, &lab->other[HWC_L1I], QUESTIONS, units, findings, results, error);
    lower = status == HWC_OK ? same_as_lower(lab, results) : 0;
    if (lower > 0)
        hwc_findings_unknown(findings, QUESTIONS, "code is kept by level %u and by nothing nearer", lower);
    else if (status == HWC_OK)
        know(lab, results);
    return status;
}

const struct hwc_probe hwc_probe_instruction_cache = {
    .name = "instruction_cache",
    .summary = "line size, size and associativity of the first instruction cache",
    .source = "Coleman and Davidson, ISPASS 2001, 3.7 to 3.9",
    .needs = &hwc_probe_data_cache,
    .run = run,
};
