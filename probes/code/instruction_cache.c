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
 * What can fool it: a cache of 2 KiB or less, which is passed over, as regions
 * begin there; by the clock, predictors that run ahead and fetch early; so
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

/* With fewer than a hundred fetches or so, predictors foresee some after all. */
#define FETCHES_AT_LEAST 128
#define SMALLEST_BLOCK UINT64_C(2048)
#define LARGEST_BLOCK (UINT64_C(4) << 20)
enum { MOST_REGIONS = 12 }; /* from the smallest to the largest */
_Static_assert(SMALLEST_BLOCK << (MOST_REGIONS - 1) == LARGEST_BLOCK, "each is twice as large as the one before");
/* Half-way between half of a region, which a cache of decoded instructions may hold, and all of it. */
#define MOST_OF_REGION 0.75

/* The least time of a fetch that misses. */
struct miss {
    double slower;  /* this many times what a hit takes, */
    double of_data; /* and more than a hit by this share of what a load's miss adds: a fetch waits for the second
                       level as well, and a miss of the branch target buffer costs less */
};

/* Code of some densities, and the smallest region of it. */
struct stage {
    enum hwc_code_density first, last;
    uint64_t smallest;
    struct miss miss;
};

static const struct stage bare = {HWC_CODE_BARE, HWC_CODE_BARE, SMALLEST_BLOCK, {.slower = 1.15, .of_data = 0.7}};
/* The smallest region holds the fewest fetches that are not foreseen, in the densest code. Of a miss, half as much may
 * show: decoding takes its time in any case, so that the core waits less for it. */
static const struct stage dense = {
    HWC_CODE_DENSE, HWC_CODE_DENSEST, FETCHES_AT_LEAST * UINT64_C(64), {.slower = 1.08, .of_data = 0.35}};

/* How much longer a load takes that misses. */
static double miss_of_data(const struct hwc_lab *lab)
{
    const struct hwc_witness *data = &lab->witness[1];

    return fmax(0, hwc_added_by_miss(data));
}

static double least_miss(const struct hwc_lab *lab, double hit, const struct miss *miss)
{
    return fmax(miss->slower * hit, hit + miss->of_data * miss_of_data(lab));
}

struct times {
    double cycles[HWC_CODE_DENSITIES]; /* per fetch */
};

/* The less of two looks: others only add to a time, and one region that took longer would pass for the first that misses. */
static int time_code(struct hwc_lab *lab, struct hwc_code_blocks *blocks, uint64_t bytes, uint64_t spacing,
                     double *cycles, struct hwc_error *error)
{
    double again = INFINITY;

    TRY(hwc_time_code_region(lab, blocks, bytes, spacing, cycles, error));
    if (lab->machine->interference)
        TRY(hwc_time_code_region(lab, blocks, bytes, spacing, &again, error));
    *cycles = fmin(*cycles, again);
    return HWC_OK;
}

/* As much of a region as this. */
static int time_region(struct hwc_lab *lab, struct hwc_code_blocks *blocks, const struct stage *stage, uint64_t bytes,
                       double part, struct times *times, struct hwc_error *error)
{
    uint64_t spacing = bytes / FETCHES_AT_LEAST < FETCH_BYTES ? bytes / FETCHES_AT_LEAST : FETCH_BYTES;

    for (enum hwc_code_density density = stage->first; density <= stage->last; density++) {
        hwc_set_code_density(blocks, density);
        TRY(time_code(lab, blocks, (uint64_t)(part * (double)bytes), spacing, &times->cycles[density], error));
    }
    return HWC_OK;
}

static bool all_climb(const struct hwc_lab *lab, const struct stage *stage, const struct times *from,
                      const struct times *to)
{
    for (enum hwc_code_density density = stage->first; density <= stage->last; density++)
        if (to->cycles[density] <= least_miss(lab, from->cycles[density], &stage->miss))
            return false;
    return true;
}

/* What a miss takes in larger regions may be less than all of them, and more than one that the second level serves: its
 * lines are the more often put out by others the longer ago they were used. A load tells the most that such a miss
 * adds. */
static void set_cost(const struct hwc_lab *lab, struct hwc_code_blocks *blocks, const struct stage *stage,
                     const struct times *hit, const struct times *one, const struct times *other)
{
    double most = miss_of_data(lab) > 0 ? miss_of_data(lab) : INFINITY;

    for (enum hwc_code_density density = stage->first; density <= stage->last; density++) {
        double added = fmin(one->cycles[density], other->cycles[density]) - hit->cycles[density];
        blocks->cost[density] =
            (struct hwc_code_blocks_cost){hit->cycles[density], hit->cycles[density] + fmin(added, most)};
    }
}

/* The last two of these times of doubling regions are of misses. How many doublings before them was the largest region
 * that fits? It may be two, as the one between need not miss as a whole. 0 = they are not all of misses. */
static unsigned doublings_from_fit(const struct hwc_lab *lab, const struct stage *stage, const struct times *times,
                                   unsigned count)
{
    for (unsigned i = 1; i <= 2 && count >= 2 + i; i++) {
        const struct times *fits = &times[count - 2 - i];
        if (all_climb(lab, stage, fits, &times[count - 2]) && all_climb(lab, stage, fits, &times[count - 1]))
            return i;
    }
    return 0;
}

/* By the clock: double a region until fetches take longer in two sizes in a row. A hit takes what it takes in most of
 * the largest region that fits, as others need some of the room that all of it fills. Branch target buffers and caches
 * of decoded instructions make smaller steps, the latter the earlier the denser the code is, but the instruction cache
 * ends at the same size for all. */
static int calibrate_stage(struct hwc_lab *lab, struct hwc_code_blocks *blocks, const struct stage *stage,
                           uint64_t *fits_bytes, struct hwc_error *error)
{
    struct times times[MOST_REGIONS], hit;
    unsigned count = 0;

    for (uint64_t bytes = stage->smallest; bytes <= LARGEST_BLOCK; bytes *= 2) {
        unsigned doublings;
        TRY(time_region(lab, blocks, stage, bytes, 1, &times[count++], error));
        doublings = doublings_from_fit(lab, stage, times, count);
        if (doublings == 0)
            continue;
        *fits_bytes = bytes >> (1 + doublings);
        TRY(time_region(lab, blocks, stage, *fits_bytes, MOST_OF_REGION, &hit, error));
        set_cost(lab, blocks, stage, &hit, &times[count - 2], &times[count - 1]);
        return HWC_OK;
    }
    return hwc_fail(error, HWC_UNAVAILABLE, "%scode of %llu KiB takes no longer than of %llu KiB",
                    stage->first == HWC_CODE_BARE ? "" : "dense ", (unsigned long long)(LARGEST_BLOCK >> 10),
                    (unsigned long long)(stage->smallest >> 10));
}

static int calibrate(struct hwc_lab *lab, struct hwc_code_blocks *blocks, struct hwc_error *error)
{
    if (!hwc_goes_by_time(blocks->witness))
        return HWC_OK;
    return calibrate_stage(lab, blocks, &bare, &blocks->reach_bytes, error);
}

static int calibrate_dense(struct hwc_lab *lab, struct hwc_code_blocks *blocks, struct hwc_error *error)
{
    uint64_t fits_bytes;

    if (!hwc_goes_by_time(blocks->witness))
        return HWC_OK;
    return calibrate_stage(lab, blocks, &dense, &fits_bytes, error);
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
                                            .least_reach = dense.smallest,
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
    .basic = true,
    .run = run,
};
