/* Line size, size and associativity of the first instruction cache.
 *
 * Claim: bytes of a line and of the cache, and lines of a set.
 *
 * Method: AMP (ISPASS 2001, 3.7 to 3.9): blocks of code at chosen places are
 * executed once to prime the cache and again while misses are counted. AMP's
 * blocks are macros of 1 KiB that a compiler laid out; these are chains of jumps,
 * emitted where they are wanted. The number of blocks that fit at long strides is
 * the associativity (hwc_fit_ways), the shortest stride with that number is the
 * period, and the size is their product. The line is the least distance by which
 * competing blocks must be moved to compete no more (hwc_fit_parting).
 *
 * What bare jumps show is measured again with dense code (code_blocks.h): a cache
 * of decoded instructions keeps blocks that the instruction cache has long
 * evicted, so that as many blocks of bare jumps fit as it has ways.
 *
 * What can fool it: by the clock, predictors that run ahead and fetch early; so
 * timed blocks go on by returns that no predictor foresees (native/code.h).
 * Branch target buffers have conflicts of their own at the same strides, which
 * cost less. To tell the two apart, blocks are wide, a miss must take at least
 * most of what a load's miss takes, and where next to none missed, one block more
 * must make many fetches miss. A policy under which even many more blocks seldom
 * miss shows no such climb. Period and size suppose that the index is taken from
 * address bits as they are. */
#include <math.h>

#include "code_blocks.h"
#include "table.h"

/* No longer than necessary: at long strides branch target buffers and TLBs have conflicts, too. */
#define FIRST_STRIDE 4096
#define FETCH_BYTES 128

/* By the clock: time a fetch in a region that surely fits, and double the region
 * until a fetch takes longer at two sizes in a row. With fewer than a hundred
 * fetches or so, predictors foresee some after all. */
#define FETCHES_AT_LEAST 128
#define SMALLEST_BLOCK 2048
#define LARGEST_BLOCK (UINT64_C(4) << 20)

/* The least time of a fetch that misses. */
struct miss {
    double slower;  /* this many times what a hit takes, */
    double of_data; /* and more than a hit by this share of what a load's miss adds: a fetch waits for the second
                       level as well, and a miss of the branch target buffer costs less */
};

static const struct miss bare_miss = {.slower = 1.15, .of_data = 0.7};
/* Half of that: decoding takes its time in any case, so that the core waits less for a miss. */
static const struct miss dense_miss = {.slower = 1.08, .of_data = 0.35};

static double least_miss(const struct hwc_lab *lab, double hit, const struct miss *miss)
{
    const struct hwc_witness *data = &lab->witness[1];

    return fmax(miss->slower * hit, hit + miss->of_data * fmax(0, data->miss_cycles - data->hit_cycles));
}

static int calibrate(struct hwc_lab *lab, struct hwc_code_blocks *blocks, struct hwc_error *error)
{
    double cycles = 0, hit = 0, before = 0;
    uint64_t bytes;
    int status = HWC_OK;

    if (!hwc_goes_by_time(blocks->witness))
        return HWC_OK;
    for (bytes = SMALLEST_BLOCK; bytes <= LARGEST_BLOCK; bytes *= 2) {
        uint64_t spacing = bytes / FETCHES_AT_LEAST < FETCH_BYTES ? bytes / FETCHES_AT_LEAST : FETCH_BYTES;
        status = hwc_time_code_region(lab, blocks, bytes, spacing, &cycles, error);
        if (status != HWC_OK)
            return status;
        if (hit == 0)
            hit = cycles;
        if (before > least_miss(lab, hit, &bare_miss) && cycles > least_miss(lab, hit, &bare_miss))
            break;
        before = cycles;
    }
    if (bytes > LARGEST_BLOCK) /* the largest alone may miss */
        return hwc_fail(error, HWC_UNAVAILABLE, "code of %llu KiB takes no longer than code of %d KiB",
                        (unsigned long long)(LARGEST_BLOCK / 2 >> 10), SMALLEST_BLOCK >> 10);
    blocks->cost[HWC_CODE_BARE] = (struct hwc_code_blocks_cost){hit, fmin(before, cycles)};
    blocks->reach_bytes = bytes / 4;
    return HWC_OK;
}

/* Dense code takes longer from the instruction cache than from a cache of decoded
 * instructions, a step that comes earlier the denser the code is. The end of the
 * instruction cache comes at the same size for all: the first doubling from which
 * on both densities take longer. The smallest region holds the fewest fetches
 * that are not foreseen, in the densest code. */
#define SMALLEST_DENSE (FETCHES_AT_LEAST * UINT64_C(64))

struct dense_times {
    double cycles[HWC_CODE_DENSITIES]; /* per fetch */
};

static int time_dense(struct hwc_lab *lab, struct hwc_code_blocks *blocks, uint64_t bytes, struct dense_times *times,
                      struct hwc_error *error)
{
    uint64_t spacing = bytes / FETCHES_AT_LEAST < FETCH_BYTES ? bytes / FETCHES_AT_LEAST : FETCH_BYTES;
    int status = HWC_OK;

    for (int density = HWC_CODE_DENSE; density < HWC_CODE_DENSITIES && status == HWC_OK; density++) {
        hwc_set_code_density(blocks, (enum hwc_code_density)density);
        status = hwc_time_code_region(lab, blocks, bytes, spacing, &times->cycles[density], error);
    }
    return status;
}

static bool all_climb(const struct hwc_lab *lab, const struct dense_times *from, const struct dense_times *to)
{
    for (int density = HWC_CODE_DENSE; density < HWC_CODE_DENSITIES; density++)
        if (to->cycles[density] <= least_miss(lab, from->cycles[density], &dense_miss))
            return false;
    return true;
}

static int calibrate_dense(struct hwc_lab *lab, struct hwc_code_blocks *blocks, struct hwc_error *error)
{
    struct dense_times before = {{0}}, hit = {{0}}, now; /* one and two doublings ago */

    if (!hwc_goes_by_time(blocks->witness))
        return HWC_OK;
    for (uint64_t bytes = SMALLEST_DENSE; bytes <= LARGEST_BLOCK; bytes *= 2) {
        int status = time_dense(lab, blocks, bytes, &now, error);
        if (status != HWC_OK)
            return status;
        if (hit.cycles[HWC_CODE_DENSE] > 0 && all_climb(lab, &hit, &before) && all_climb(lab, &hit, &now)) {
            for (int density = HWC_CODE_DENSE; density < HWC_CODE_DENSITIES; density++)
                blocks->cost[density] =
                    (struct hwc_code_blocks_cost){hit.cycles[density], fmin(before.cycles[density],
                                                                            now.cycles[density])};
            return HWC_OK;
        }
        hit = before;
        before = now;
    }
    return hwc_fail(error, HWC_UNAVAILABLE, "dense code of %llu KiB takes no longer than of %llu KiB",
                    (unsigned long long)(LARGEST_BLOCK >> 10), (unsigned long long)(SMALLEST_DENSE >> 10));
}

/* The lower data-cache level of the same size and ways, else 0. Without a first-level instruction cache, that level is
 * the first cache that holds code. */
static unsigned same_as_lower(const struct hwc_lab *lab, const struct hwc_result *results)
{
    for (unsigned level = 2; level <= lab->known->levels; level++)
        if (results[HWC_CODE_BLOCKS_SIZE].decided && results[HWC_CODE_BLOCKS_WAYS].decided &&
            lab->known->level[level].size_bytes == (uint64_t)results[HWC_CODE_BLOCKS_SIZE].value &&
            lab->known->level[level].ways == (uint64_t)results[HWC_CODE_BLOCKS_WAYS].value)
            return level;
    return 0;
}

/* Record what later probes rely on. */
static void know(struct hwc_lab *lab, const struct hwc_result *results)
{
    uint64_t line = (uint64_t)results[HWC_CODE_BLOCKS_LINE].value, size = (uint64_t)results[HWC_CODE_BLOCKS_SIZE].value;
    uint64_t ways = (uint64_t)results[HWC_CODE_BLOCKS_WAYS].value;

    for (int q = 0; q < HWC_CODE_BLOCKS_QUESTIONS; q++)
        if (!results[q].decided)
            return;
    hwc_know_code(lab, &(struct hwc_level){.line_bytes = line,
                                           .fill_bytes = line,
                                           .size_bytes = size,
                                           .ways = ways,
                                           .period_bytes = size / ways});
}

static int run(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    struct hwc_code_blocks_search search = {.structure = HWC_L1I,
                                            .least_spacing = FETCH_BYTES,
                                            .first_stride = FIRST_STRIDE,
                                            .widest = UINT64_MAX,
                                            .prepare = calibrate,
                                            .least_reach = SMALLEST_DENSE,
                                            .prepare_dense = calibrate_dense};
    struct hwc_record *cache = &profile->code_cache[0];
    struct hwc_finding *findings[HWC_CODE_BLOCKS_QUESTIONS] = {&cache->finding[HWC_CODE_CACHE_LINE_SIZE],
                                                               &cache->finding[HWC_CODE_CACHE_SIZE],
                                                               &cache->finding[HWC_CODE_CACHE_ASSOCIATIVITY]};
    struct hwc_result results[HWC_CODE_BLOCKS_QUESTIONS] = {0};
    unsigned lower;
    int status;

    profile->code_caches = 1;
    cache->level = 1;
    status = hwc_code_blocks_vote(lab, &search, findings, results, error);
    lower = status == HWC_OK ? same_as_lower(lab, results) : 0;
    for (int q = 0; lower > 0 && q < HWC_CODE_BLOCKS_QUESTIONS; q++)
        hwc_finding_unknown(findings[q], HWC_WHY_NOTHING, "code is kept by level %u and by nothing nearer", lower);
    if (status == HWC_OK && lower == 0)
        know(lab, results);
    return status;
}

const struct hwc_probe hwc_probe_instruction_cache = {
    .name = "instruction_cache",
    .summary = "line size, size and associativity of the first instruction cache",
    .source = "Coleman and Davidson, ISPASS 2001, 3.7 to 3.9",
    .needs = {HWC_CACHE_SIZE},
    .provides = {HWC_CODE_CACHE_LINE_SIZE, HWC_CODE_CACHE_SIZE, HWC_CODE_CACHE_ASSOCIATIVITY},
    .run = run,
};
