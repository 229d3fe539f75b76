#include "code_blocks.h"

#include <math.h>

#include "code_line.h"
#include "count_blocks.h"
#include "fit.h"
#include "quiet_core.h"
#include "steady_state.h"
#include "vote.h"
#include "walk_share.h"

static const struct {
    uint64_t least_stride, longest_stride; /* no line is longer, and no instruction cache has a longer period */
    size_t blocks;                           /* at most: more than any cache has ways */
    uint64_t arena_bytes;                  /* room for the ways of any cache at the longest stride */
    uint64_t bases;                        /* blocks begin at a random one of so many places, */
    unsigned bases_tried;                  /* or at several */
} limits = {.least_stride = 256,
            .longest_stride = UINT64_C(1) << 20,
            .blocks = 512,
            .arena_bytes = UINT64_C(64) << 20,
            .bases = 16,
            .bases_tried = 3};

static uint64_t random_base(struct hwc_lab *lab)
{
    return hwc_random_below(&lab->random, limits.bases) * HWC_CODE_BLOCK_BYTES;
}

static int open_blocks(struct hwc_lab *lab, const struct hwc_code_blocks_search *search, struct hwc_code_blocks *blocks,
                       struct hwc_error *error)
{
    *blocks = (struct hwc_code_blocks){.lab = lab,
                                       .search = search,
                                       .witness = &lab->structure_witness[search->structure],
                                       .spacing = search->least_spacing,
                                       .reach_bytes = UINT64_MAX,
                                       .most_width = HWC_CODE_BLOCK_BYTES};
    hwc_walk_init(&blocks->walk);
    blocks->walk.access = HWC_FETCH;
    blocks->base = random_base(lab);
    return lab->machine->ops->arena_open(lab->machine, limits.arena_bytes, HWC_CODE_PAGES, &blocks->arena, error);
}

static void close_blocks(struct hwc_lab *lab, struct hwc_code_blocks *blocks)
{
    hwc_walk_free(&blocks->walk);
    hwc_close_arena(lab, &blocks->arena);
}

void hwc_set_code_density(struct hwc_code_blocks *blocks, enum hwc_code_density density)
{
    static const uint32_t code_bytes[HWC_CODE_DENSITIES] = {0, 32, 64};

    blocks->density = density;
    blocks->walk.code_bytes = code_bytes[density];
}

int hwc_lay_code_blocks(struct hwc_lab *lab, struct hwc_code_blocks *blocks, uint64_t stride, size_t count,
                        struct hwc_error *error)
{
    hwc_walk_clear(&blocks->walk);
    for (size_t i = 0; i < count; i++)
        for (uint64_t at = 0; at < blocks->width; at += blocks->spacing)
            TRY(hwc_walk_append(&blocks->walk, blocks->base + i * stride + at + i % 2 * blocks->moved, error));
    hwc_walk_shuffle(&blocks->walk, &lab->random);
    return HWC_OK;
}

struct reading {
    struct hwc_code_blocks *blocks;
    double result;
};

static int measure_once(struct hwc_lab *lab, void *context, struct hwc_error *error)
{
    struct reading *reading = context;
    struct hwc_code_blocks *blocks = reading->blocks;

    return hwc_measure_by(lab, blocks->witness, &blocks->arena, &blocks->walk, lab->settings.samples, &reading->result,
                          error);
}

/* A sibling thread that comes and goes takes ways of the cache. */
static const struct hwc_quiet_core quiet = {
    .wait_seconds = HWC_WAIT_FOR_BALLOT, .tries = HWC_TRIES_FOR_READING, .needed = true};

int hwc_measure_code(struct hwc_lab *lab, struct hwc_code_blocks *blocks, double *result, struct hwc_error *error)
{
    struct reading reading = {.blocks = blocks};
    int status = !hwc_goes_by_time(blocks->witness) ? measure_once(lab, &reading, error)
                                                    : hwc_on_quiet_core(lab, &quiet, measure_once, &reading, error);

    *result = reading.result;
    return status;
}

static int measure_blocks(struct hwc_lab *lab, struct hwc_code_blocks *blocks, uint64_t stride, size_t count,
                          double *result, struct hwc_error *error)
{
    TRY(hwc_lay_code_blocks(lab, blocks, stride, count, error));
    return hwc_measure_code(lab, blocks, result, error);
}

double hwc_code_misses_of(const struct hwc_code_blocks *blocks, double result)
{
    const struct hwc_code_blocks_cost *cost = &blocks->cost[blocks->density];

    if (!hwc_goes_by_time(blocks->witness))
        return result;
    return (result - cost->hit_cycles * (double)blocks->walk.count) / (cost->miss_cycles - cost->hit_cycles);
}

int hwc_time_code_region(struct hwc_lab *lab, struct hwc_code_blocks *blocks, uint64_t bytes, uint64_t spacing,
                         double *cycles, struct hwc_error *error)
{
    int status;

    blocks->width = bytes;
    blocks->spacing = spacing;
    status = measure_blocks(lab, blocks, bytes, 1, cycles, error);
    blocks->spacing = blocks->search->least_spacing;
    *cycles /= (double)blocks->walk.count;
    return status;
}

struct laid_blocks {
    struct hwc_code_blocks *blocks;
    uint64_t stride;
    size_t count;
};

static int read_blocks(void *context, double *misses, size_t *references, struct hwc_error *error)
{
    const struct laid_blocks *laid = context;
    struct hwc_code_blocks *blocks = laid->blocks;
    double result = 0;

    TRY(measure_blocks(blocks->lab, blocks, laid->stride, laid->count, &result, error));
    *references = blocks->walk.count;
    *misses = hwc_code_misses_of(blocks, result);
    return HWC_OK;
}

/* Where others may disturb time, so may other structures: some blocks conflict in branch target buffers, in way
 * predictors, or with our own code, by where they begin. That only adds time: blocks fit if they do somewhere. */
static int ask_blocks(void *context, uint64_t stride, size_t count, double threshold, struct hwc_estimate *share,
                      enum hwc_side *side, struct hwc_error *error)
{
    struct hwc_code_blocks *blocks = context;
    struct laid_blocks laid = {blocks, stride, count};
    const struct hwc_walk_share walk = {blocks->lab, blocks->witness, read_blocks, &laid};
    unsigned bases = blocks->lab->machine->interference && hwc_goes_by_time(blocks->witness) ? limits.bases_tried : 1;

    blocks->width = hwc_code_width(blocks, stride);
    TRY(hwc_ask_share(&walk, threshold, share, side, error));
    for (unsigned i = 1; i < bases && *side != HWC_BELOW; i++) {
        struct hwc_estimate here;
        enum hwc_side side_here;
        blocks->base = random_base(blocks->lab);
        TRY(hwc_ask_share(&walk, threshold, &here, &side_here, error));
        if (here.value < share->value) {
            *share = here;
            *side = side_here;
        }
    }
    return HWC_OK;
}

static void move_blocks(void *context, uint64_t distance)
{
    struct hwc_code_blocks *blocks = context;
    uint64_t least = blocks->search->least_spacing;

    blocks->moved = distance;
    blocks->spacing = 2 * distance < least ? least : 2 * distance;
}

/* A block wider than the period takes several lines of a set: try narrower blocks until they are not. */
static int find_ways(struct hwc_code_blocks *blocks, const struct hwc_fit *fit, struct hwc_code_geometry *found,
                     struct hwc_error *error)
{
    for (;; blocks->most_width /= 4) {
        TRY(hwc_fit_ways(fit, limits.least_stride, blocks->search->first_stride, limits.longest_stride, &found->ways,
                         &found->period_bytes, error));
        if (found->period_bytes > 2 * blocks->most_width || blocks->most_width <= blocks->search->least_spacing)
            return HWC_OK;
    }
}

static struct hwc_fit fit_of(struct hwc_code_blocks *blocks)
{
    return (struct hwc_fit){.ask = ask_blocks,
                            .move = move_blocks,
                            .context = blocks,
                            .most_bytes = blocks->arena.bytes - (limits.bases + 1) * HWC_CODE_BLOCK_BYTES,
                            .most = limits.blocks};
}

static int find_geometry(struct hwc_lab *lab, struct hwc_code_blocks *blocks, struct hwc_code_geometry *found,
                         struct hwc_error *error)
{
    const struct hwc_fit fit = fit_of(blocks);

    blocks->most_width = HWC_CODE_BLOCK_BYTES;
    TRY(find_ways(blocks, &fit, found, error));
    found->row_bytes = blocks->most_width;
    return blocks->density != HWC_CODE_BARE ? hwc_find_code_line_densely(lab, blocks, found, error)
                                          : hwc_find_code_line(lab, blocks, &fit, found, error);
}

/* Does code of this density show the same geometry: do as many blocks fit, not many more, as many at twice the stride,
 * and more at half of it? A larger cache of decoded instructions that has as many ways has a longer period. */
static int agrees(struct hwc_code_blocks *blocks, enum hwc_code_density density,
                  const struct hwc_code_geometry *found, bool *same, struct hwc_error *error)
{
    const struct hwc_fit fit = fit_of(blocks);
    uint64_t period = found->period_bytes;
    bool fewer = false, more = false, at_half = true;

    hwc_set_code_density(blocks, density);
    blocks->most_width = found->row_bytes;
    TRY(hwc_are_twice_too_many(&fit, period, found->ways, &fewer, error));
    if (!fewer)
        TRY(hwc_fits(&fit, period, hwc_too_many(found->ways), &more, error));
    if (!fewer && !more && 2 * period <= limits.longest_stride)
        TRY(hwc_are_twice_too_many(&fit, 2 * period, found->ways, &fewer, error));
    if (!fewer && !more && period / 2 >= limits.least_stride)
        TRY(hwc_fits(&fit, period / 2, hwc_too_many(found->ways), &at_half, error));
    *same = !fewer && !more && at_half;
    return HWC_OK;
}

static int all_agree(struct hwc_code_blocks *blocks, const struct hwc_code_geometry *found, bool *same,
                     struct hwc_error *error)
{
    TRY(agrees(blocks, HWC_CODE_DENSE, found, same, error));
    return *same ? agrees(blocks, HWC_CODE_DENSEST, found, same, error) : HWC_OK;
}

/* The geometry that bare jumps show or, where denser code does not agree, that of dense code. The densest must agree. */
static int find_for_all(struct hwc_lab *lab, struct hwc_code_blocks *blocks, struct hwc_code_geometry *found,
                        struct hwc_error *error)
{
    int status = find_geometry(lab, blocks, found, error);
    bool known = status == HWC_OK, same = false;

    if ((!known && status != HWC_UNAVAILABLE && status != HWC_INCONCLUSIVE) || blocks->search->prepare_dense == NULL ||
        blocks->reach_bytes < blocks->search->least_reach)
        return status;
    TRY(blocks->search->prepare_dense(lab, blocks, error));
    if (known)
        TRY(all_agree(blocks, found, &same, error));
    if (same)
        return HWC_OK;
    hwc_set_code_density(blocks, HWC_CODE_DENSE);
    TRY(find_geometry(lab, blocks, found, error));
    TRY(agrees(blocks, HWC_CODE_DENSEST, found, &same, error));
    if (!same)
        return hwc_fail(error, HWC_UNAVAILABLE, "%zu blocks of code fit, but not of denser code: a cache of decoded "
                        "instructions may keep some", found->ways);
    return HWC_OK;
}

/* Lines of hwchar's own code, such as what reads the clock, lie at the same places of a page in every run and take ways
 * of their sets: sets that blocks in one quarter of a page use, say, and blocks in another do not. They can only take
 * room: if one block more fits elsewhere in a page, the blocks are moved there. */
#define PLACES (4096 / HWC_CODE_BLOCK_BYTES)

static int find_room(struct hwc_code_blocks *blocks, const struct hwc_code_geometry *found, bool *more,
                     struct hwc_error *error)
{
    const struct hwc_fit fit = fit_of(blocks);
    uint64_t here = blocks->base;

    *more = false;
    blocks->most_width = found->row_bytes;
    for (unsigned i = 1; i < PLACES && !*more; i++) {
        blocks->base = (here + i * HWC_CODE_BLOCK_BYTES) % (limits.bases * HWC_CODE_BLOCK_BYTES);
        TRY(hwc_fits(&fit, found->period_bytes, found->ways + 1, more, error));
    }
    if (!*more)
        blocks->base = here;
    return HWC_OK;
}

static int find_where_there_is_room(struct hwc_lab *lab, struct hwc_code_blocks *blocks, struct hwc_code_geometry *found,
                                    struct hwc_error *error)
{
    bool more = true;

    for (unsigned i = 0; i < PLACES && more; i++) {
        hwc_set_code_density(blocks, HWC_CODE_BARE);
        TRY(find_for_all(lab, blocks, found, error));
        more = false;
        if (lab->machine->shares_caches)
            TRY(find_room(blocks, found, &more, error));
    }
    if (more)
        return hwc_fail(error, HWC_UNAVAILABLE, "%zu blocks fit, and elsewhere in a page more", found->ways);
    return HWC_OK;
}

static int prepare_and_find(struct hwc_lab *lab, struct hwc_code_blocks *blocks, struct hwc_code_geometry *found,
                            struct hwc_error *error)
{
    const struct hwc_code_blocks_search *search = blocks->search;

    TRY(search->prepare(lab, blocks, error));
    TRY(find_where_there_is_room(lab, blocks, found, error));
    if (search->check != NULL)
        TRY(search->check(lab, blocks, found->ways, error));
    return hwc_count_code_blocks(blocks, found->ways, found->period_bytes, error);
}

static int measure(struct hwc_lab *lab, void *context, struct hwc_ballot *ballot, struct hwc_error *error)
{
    const struct hwc_code_blocks_search *search = context;
    const unsigned lessened = 1 << HWC_CODE_BLOCKS_SIZE | 1 << HWC_CODE_BLOCKS_WAYS;
    struct hwc_code_geometry found = {0};
    struct hwc_code_blocks blocks;
    int status = open_blocks(lab, search, &blocks, error);

    if (status == HWC_OK)
        status = prepare_and_find(lab, &blocks, &found, error);
    close_blocks(lab, &blocks);
    if (status != HWC_OK)
        return status;
    for (int q = 0; q < HWC_CODE_BLOCKS_QUESTIONS; q++)
        ballot->cast[q] = true;
    if (lab->machine->interference) /* others only take ways; each reading is taken on a quiet core */
        hwc_ballot_is_one_sided(ballot, HWC_CODE_BLOCKS_QUESTIONS, lessened, HWC_OTHERS_MAY_LESSEN_SOME);
    ballot->value[HWC_CODE_BLOCKS_LINE] = (int64_t)found.line_bytes;
    ballot->value[HWC_CODE_BLOCKS_SIZE] = (int64_t)(found.ways * found.period_bytes);
    ballot->value[HWC_CODE_BLOCKS_WAYS] = (int64_t)found.ways;
    return HWC_OK;
}

void hwc_doubt_longer_line(const struct hwc_lab *lab, struct hwc_result *result, struct hwc_finding *finding)
{
    double least = hwc_least_of_rounds(result);

    if (!finding->known || !hwc_in_company(lab) || least >= finding->value)
        return;
    result->decided = false;
    hwc_finding_unknown(finding, HWC_WHY_INCONCLUSIVE,
                        "%u of %u votes say %.0f, but one %.0f: another thread on this core makes lines seem longer",
                        result->alike, result->votes, finding->value, least);
}

int hwc_code_blocks_vote(struct hwc_lab *lab, struct hwc_code_blocks_search *search,
                         struct hwc_finding *const findings[HWC_CODE_BLOCKS_QUESTIONS],
                         struct hwc_result results[HWC_CODE_BLOCKS_QUESTIONS], struct hwc_error *error)
{
    const struct hwc_witness *witness = &lab->structure_witness[search->structure];

    if (hwc_can_answer(witness)) {
        TRY(hwc_findings_by_vote(lab, measure, search, witness, HWC_CODE_BLOCKS_QUESTIONS, findings, results, error));
        hwc_doubt_longer_line(lab, &results[HWC_CODE_BLOCKS_LINE], findings[HWC_CODE_BLOCKS_LINE]);
        return HWC_OK;
    }
    hwc_findings_because(findings, HWC_CODE_BLOCKS_QUESTIONS,
                         hwc_unavailable("nothing counts instruction-cache misses here, and there is no clock"));
    return HWC_OK;
}
