#include "rows.h"

#include "fit.h"
#include "solitude.h"
#include "statistics.h"
#include "steady_state.h"
#include "walk_share.h"

static const struct {
    uint64_t least_stride, longest_stride; /* no line is longer, and no cache of code has a longer period */
    size_t rows;                           /* at most: more than any cache has ways */
    uint64_t arena_bytes;                  /* room for the ways of any at the longest stride */
    uint64_t bases;                        /* each ballot begins in another of so many rows */
} limits = {.least_stride = 256,
            .longest_stride = UINT64_C(1) << 20,
            .rows = 512,
            .arena_bytes = UINT64_C(64) << 20,
            .bases = 16};

static int open_rows(struct hwc_lab *lab, const struct hwc_rows_search *search, struct hwc_rows *rows,
                     struct hwc_error *error)
{
    *rows = (struct hwc_rows){.lab = lab,
                              .search = search,
                              .witness = &lab->structure_witness[search->structure],
                              .spacing = search->least_spacing,
                              .reach_bytes = UINT64_MAX,
                              .most_width = HWC_ROW_BYTES};
    hwc_walk_init(&rows->walk);
    rows->walk.access = HWC_FETCH;
    rows->base = hwc_random_below(&lab->random, limits.bases) * HWC_ROW_BYTES;
    return lab->machine->ops->arena_open(lab->machine, limits.arena_bytes, HWC_CODE_PAGES, &rows->arena, error);
}

static void close_rows(struct hwc_lab *lab, struct hwc_rows *rows)
{
    hwc_walk_free(&rows->walk);
    hwc_close_arena(lab, &rows->arena);
}

void hwc_rows_condense(struct hwc_rows *rows, enum hwc_rows_density density)
{
    static const uint32_t code_bytes[HWC_ROWS_DENSITIES] = {0, 32, 64};

    rows->density = density;
    rows->walk.code_bytes = code_bytes[density];
}

static int lay_rows(struct hwc_lab *lab, struct hwc_rows *rows, uint64_t stride, size_t count, struct hwc_error *error)
{
    hwc_walk_clear(&rows->walk);
    for (size_t i = 0; i < count; i++)
        for (uint64_t at = 0; at < rows->width; at += rows->spacing)
            TRY(hwc_walk_append(&rows->walk, rows->base + i * stride + at + i % 2 * rows->moved, error));
    hwc_walk_shuffle(&rows->walk, &lab->random);
    return HWC_OK;
}

struct reading {
    struct hwc_rows *rows;
    double result;
};

static int measure_once(struct hwc_lab *lab, void *context, struct hwc_error *error)
{
    struct reading *reading = context;
    struct hwc_rows *rows = reading->rows;

    return hwc_measure_by(lab, rows->witness, &rows->arena, &rows->walk, lab->settings.samples, &reading->result,
                          error);
}

/* A sibling thread takes ways of the cache, and comes and goes. */
static const struct hwc_solitude solitude = {
    .wait_seconds = HWC_WAIT_FOR_BALLOT, .tries = HWC_TRIES_FOR_READING, .needed = true};

/* Of one pass: the count of the event, or cycles. */
static int measure_walk(struct hwc_lab *lab, struct hwc_rows *rows, double *result, struct hwc_error *error)
{
    struct reading reading = {.rows = rows};
    int status = !hwc_goes_by_time(rows->witness) ? measure_once(lab, &reading, error)
                                                    : hwc_in_solitude(lab, &solitude, measure_once, &reading, error);

    *result = reading.result;
    return status;
}

static int measure_rows(struct hwc_lab *lab, struct hwc_rows *rows, uint64_t stride, size_t count, double *result,
                        struct hwc_error *error)
{
    TRY(lay_rows(lab, rows, stride, count, error));
    return measure_walk(lab, rows, result, error);
}

/* How many references missed: counted, or reckoned from the cycles. */
static double misses_of(const struct hwc_rows *rows, double result)
{
    const struct hwc_rows_cost *cost = &rows->cost[rows->density];

    if (!hwc_goes_by_time(rows->witness))
        return result;
    return (result - cost->hit_cycles * (double)rows->walk.count) / (cost->miss_cycles - cost->hit_cycles);
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

struct laid_rows {
    struct hwc_rows *rows;
    uint64_t stride;
    size_t count;
};

static int read_rows(void *context, double *misses, size_t *references, struct hwc_error *error)
{
    const struct laid_rows *laid = context;
    struct hwc_rows *rows = laid->rows;
    double result = 0;

    TRY(measure_rows(rows->lab, rows, laid->stride, laid->count, &result, error));
    *references = rows->walk.count;
    *misses = misses_of(rows, result);
    return HWC_OK;
}

static int ask_rows(void *context, uint64_t stride, size_t count, struct hwc_estimate *share, enum hwc_side *side,
                    struct hwc_error *error)
{
    struct hwc_rows *rows = context;
    struct laid_rows laid = {rows, stride, count};
    const struct hwc_walk_share walk = {rows->lab, rows->witness, read_rows, &laid};

    rows->width = stride / 2 < rows->most_width ? stride / 2 : rows->most_width;
    return hwc_ask_share(&walk, share, side, error);
}

static void move_rows(void *context, uint64_t distance)
{
    struct hwc_rows *rows = context;
    uint64_t least = rows->search->least_spacing;

    rows->moved = distance;
    rows->spacing = 2 * distance < least ? least : 2 * distance;
}

/* Most of so many rows miss, also under policies that keep some. */
#define FAR_TOO_MANY 3
/* Half of the fetches of pairs, or all. */
#define MOST_OF_PAIRS 0.75

struct geometry {
    uint64_t line_bytes, period_bytes;
    size_t ways;
    uint64_t row_bytes; /* at most so wide were the rows that fitted */
};


static int find_line(struct hwc_rows *rows, const struct hwc_fit *fit, struct geometry *found,
                     struct hwc_error *error)
{
    uint64_t most = found->period_bytes / 2;
    size_t count = rows->search->behind_another ? 2 * found->ways : hwc_too_many(found->ways);

    rows->most_width = found->period_bytes < rows->search->widest ? found->period_bytes : rows->search->widest;
    TRY(hwc_fit_parting(fit, found->period_bytes, count, UINT64_C(2) * HWC_CELL_BYTES, most + 1, &found->line_bytes,
                        error));
    if (found->line_bytes > most)
        return hwc_fail(error, HWC_UNAVAILABLE, "no distance up to %llu bytes parts competing rows",
                        (unsigned long long)most);
    return HWC_OK;
}

/* Put before each fetch another, `distance` bytes further up. */
static int pair(struct hwc_walk *walk, uint64_t distance, struct hwc_error *error)
{
    size_t pairs = walk->count;

    for (size_t i = 0; i < pairs; i++)
        TRY(hwc_walk_append(walk, 0, error));
    for (size_t i = pairs; i-- > 0;) {
        uint64_t lower = walk->offsets[i];
        walk->offsets[2 * i] = lower + distance;
        walk->offsets[2 * i + 1] = lower;
    }
    hwc_walk_touch(walk);
    return HWC_OK;
}

static int measure_pairs(struct hwc_lab *lab, struct hwc_rows *rows, const struct geometry *found, uint64_t distance,
                         double *result, struct hwc_error *error)
{
    TRY(lay_rows(lab, rows, found->period_bytes, FAR_TOO_MANY * found->ways, error));
    TRY(pair(&rows->walk, distance, error));
    return measure_walk(lab, rows, result, error);
}

/* Of far too many rows, in pairs of fetches, the share that misses. */
static int misses_of_pairs(struct hwc_lab *lab, struct hwc_rows *rows, const struct geometry *found, uint64_t distance,
                           double *share, struct hwc_error *error)
{
    double result = 0;
    int status;

    rows->spacing = 2 * distance > rows->search->least_spacing ? 2 * distance : rows->search->least_spacing;
    rows->width = found->period_bytes / 2 > rows->spacing ? found->period_bytes / 2 : rows->spacing;
    status = measure_pairs(lab, rows, found, distance, &result, error);
    rows->spacing = rows->search->least_spacing;
    *share = misses_of(rows, result) / (double)rows->walk.count;
    return status;
}

/* Dense code ends near the next line, which is fetched early where the end of a
 * hop was mispredicted: parting rows would show lines of twice the size. But the
 * line before is never fetched early. So pairs: of two fetches from one line the
 * second hits, and one from the line below misses. */
static int find_line_densely(struct hwc_lab *lab, struct hwc_rows *rows, struct geometry *found,
                             struct hwc_error *error)
{
    uint64_t least = rows->walk.code_bytes;

    for (uint64_t distance = least; distance <= found->period_bytes / 2; distance *= 2) {
        double share[3];
        for (int i = 0; i < 3; i++)
            TRY(misses_of_pairs(lab, rows, found, distance, &share[i], error));
        found->line_bytes = distance;
        if (hwc_median(share, 3) < MOST_OF_PAIRS)
            continue;
        if (distance > least)
            return HWC_OK;
        return hwc_fail(error, HWC_UNAVAILABLE, "a line is no longer than the %llu bytes of dense code",
                        (unsigned long long)least);
    }
    return hwc_fail(error, HWC_UNAVAILABLE, "of two fetches up to %llu bytes apart the second hits",
                    (unsigned long long)found->period_bytes / 2);
}

/* A row wider than the period takes several lines of a set: narrower rows are tried until none is. */
static int find_ways(struct hwc_rows *rows, const struct hwc_fit *fit, struct geometry *found,
                     struct hwc_error *error)
{
    for (;; rows->most_width /= 4) {
        TRY(hwc_fit_ways(fit, limits.least_stride, rows->search->first_stride, limits.longest_stride, &found->ways,
                         &found->period_bytes, error));
        if (found->period_bytes > 2 * rows->most_width || rows->most_width <= rows->search->least_spacing)
            return HWC_OK;
    }
}

static struct hwc_fit fit_of(struct hwc_rows *rows)
{
    return (struct hwc_fit){.ask = ask_rows,
                            .move = move_rows,
                            .context = rows,
                            .most_bytes = rows->arena.bytes - rows->base - HWC_ROW_BYTES,
                            .most = limits.rows};
}

static int find_geometry(struct hwc_lab *lab, struct hwc_rows *rows, struct geometry *found, struct hwc_error *error)
{
    const struct hwc_fit fit = fit_of(rows);

    rows->most_width = HWC_ROW_BYTES;
    TRY(find_ways(rows, &fit, found, error));
    found->row_bytes = rows->most_width;
    return rows->density != HWC_ROWS_BARE ? find_line_densely(lab, rows, found, error)
                                          : find_line(rows, &fit, found, error);
}

/* Has code of this density the same geometry: do as many rows fit, not many more, and as many twice as far apart? */
static int agrees(struct hwc_rows *rows, enum hwc_rows_density density,
                  const struct geometry *found, bool *same, struct hwc_error *error)
{
    const struct hwc_fit fit = fit_of(rows);
    bool fits = false, more = false;

    *same = false;
    hwc_rows_condense(rows, density);
    rows->most_width = found->row_bytes;
    TRY(hwc_fits(&fit, found->period_bytes, found->ways, &fits, error));
    if (fits)
        TRY(hwc_fits(&fit, found->period_bytes, hwc_too_many(found->ways), &more, error));
    if (fits && !more && 2 * found->period_bytes <= limits.longest_stride)
        TRY(hwc_fits(&fit, 2 * found->period_bytes, found->ways, &fits, error));
    *same = fits && !more;
    return HWC_OK;
}

/* The geometry that bare hops show, or, where dense code does not agree, that of dense code. The densest must agree. */
static int find_for_all(struct hwc_lab *lab, struct hwc_rows *rows, struct geometry *found, struct hwc_error *error)
{
    int status = find_geometry(lab, rows, found, error);
    bool known = status == HWC_OK, same = false;

    if ((!known && status != HWC_UNAVAILABLE && status != HWC_INCONCLUSIVE) || rows->search->prepare_dense == NULL ||
        rows->reach_bytes < rows->search->least_reach)
        return status;
    TRY(rows->search->prepare_dense(lab, rows, error));
    if (known)
        TRY(agrees(rows, HWC_ROWS_DENSE, found, &same, error));
    hwc_rows_condense(rows, HWC_ROWS_DENSE);
    if (!same)
        TRY(find_geometry(lab, rows, found, error));
    TRY(agrees(rows, HWC_ROWS_DENSEST, found, &same, error));
    if (!same)
        return hwc_fail(error, HWC_UNAVAILABLE, "%zu rows of code fit, but not of denser code: a cache of decoded "
                        "instructions may keep some", found->ways);
    return HWC_OK;
}

/* Mispredicted returns send the core again and again to where an older call came
 * from. These lines of our own code lie at the same places of a page in every
 * run and take ways of their sets: of rows in one quarter of a page, say, and of
 * none in another. They can only take room: if one row more fits elsewhere in a
 * page, the rows are moved there. */
#define PLACES (4096 / HWC_ROW_BYTES)

static int find_room(struct hwc_rows *rows, const struct geometry *found, bool *more,
                     struct hwc_error *error)
{
    const struct hwc_fit fit = fit_of(rows);
    uint64_t here = rows->base;

    *more = false;
    rows->most_width = found->row_bytes;
    for (unsigned i = 1; i < PLACES && !*more; i++) {
        rows->base = (here + i * HWC_ROW_BYTES) % (limits.bases * HWC_ROW_BYTES);
        TRY(hwc_fits(&fit, found->period_bytes, found->ways + 1, more, error));
    }
    if (!*more)
        rows->base = here;
    return HWC_OK;
}

static int find_where_there_is_room(struct hwc_lab *lab, struct hwc_rows *rows, struct geometry *found,
                                    struct hwc_error *error)
{
    bool more = true;

    for (unsigned i = 0; i < PLACES && more; i++) {
        hwc_rows_condense(rows, HWC_ROWS_BARE);
        TRY(find_for_all(lab, rows, found, error));
        more = false;
        if (lab->machine->shares_caches)
            TRY(find_room(rows, found, &more, error));
    }
    if (more)
        return hwc_fail(error, HWC_UNAVAILABLE, "%zu rows fit, and elsewhere in a page more", found->ways);
    return HWC_OK;
}

static int prepare_and_find(struct hwc_lab *lab, struct hwc_rows *rows, struct geometry *found,
                            struct hwc_error *error)
{
    const struct hwc_rows_search *search = rows->search;

    TRY(search->prepare(lab, rows, error));
    TRY(find_where_there_is_room(lab, rows, found, error));
    return search->check != NULL ? search->check(lab, rows, found->ways, error) : HWC_OK;
}

static int measure(struct hwc_lab *lab, void *context, struct hwc_ballot *ballot, struct hwc_error *error)
{
    const struct hwc_rows_search *search = context;
    struct geometry found = {0};
    struct hwc_rows rows;
    int status = open_rows(lab, search, &rows, error);

    if (status == HWC_OK)
        status = prepare_and_find(lab, &rows, &found, error);
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
    const struct hwc_witness *witness = &lab->structure_witness[search->structure];

    if (hwc_can_answer(witness))
        return hwc_findings_by_vote(lab, measure, search, witness, HWC_ROWS_QUESTIONS, findings, results, error);
    hwc_findings_because(findings, HWC_ROWS_QUESTIONS,
                         hwc_unavailable("nothing counts instruction-cache misses here, and there is no clock"));
    return HWC_OK;
}
