/* Line size, size and associativity of an instruction cache at the second
 * level, where that level keeps data and code apart.
 *
 * Claim: bytes of a line and of the cache, and lines of a set. A unified second
 * level is not measured again: its findings as a data cache describe it.
 *
 * Method: as for the first level (AMP, ISPASS 2001, 3.7 to 3.9), by blocks of
 * code a stride apart, by a counter of its own or by the clock. More blocks than
 * the first level has ways miss it at every fetch; fetches that then take longer
 * miss this level, too. By the clock, a hit takes what a fetch takes in a region
 * of twice the first level's size, and a miss as much longer as a load's miss.
 *
 * What can fool it: the first level hides a second level that has no more ways;
 * by the clock, if its policy keeps some of too many blocks, also one that has
 * less than twice as many. By the clock, blocks on more pages than the TLB has
 * entries. */
#include "code_blocks.h"
#include "table.h"

#define FETCH_BYTES 256
/* The few blocks that fit at this stride need not miss the TLB; caches of a megabyte take some more. */
#define FIRST_STRIDE (UINT64_C(64) << 10)

static int time_fetches(struct hwc_lab *lab, struct hwc_code_blocks *blocks, enum hwc_code_density density,
                        struct hwc_error *error)
{
    const struct hwc_witness *data = &lab->witness[2];
    struct hwc_code_blocks_cost *cost = &blocks->cost[density];

    hwc_set_code_density(blocks, density);
    TRY(hwc_time_code_region(lab, blocks, 2 * lab->known->code.size_bytes, FETCH_BYTES, &cost->hit_cycles, error));
    cost->miss_cycles = cost->hit_cycles + data->miss_cycles - data->hit_cycles;
    return HWC_OK;
}

static int prepare(struct hwc_lab *lab, struct hwc_code_blocks *blocks, struct hwc_error *error)
{
    const struct hwc_witness *data = &lab->witness[2];

    if (blocks->arena.contiguous_bytes < FIRST_STRIDE)
        return hwc_fail(error, HWC_UNAVAILABLE,
                        "code lies in pages of %llu KiB in random order: which share sets is not known",
                        (unsigned long long)blocks->arena.contiguous_bytes >> 10);
    if (!hwc_goes_by_time(blocks->witness))
        return HWC_OK;
    if (data->miss_cycles <= data->hit_cycles)
        return hwc_fail(error, HWC_UNAVAILABLE, "the clock does not tell the second level's hits from its misses");
    return time_fetches(lab, blocks, HWC_CODE_BARE, error);
}

static int prepare_dense(struct hwc_lab *lab, struct hwc_code_blocks *blocks, struct hwc_error *error)
{
    if (!hwc_goes_by_time(blocks->witness))
        return HWC_OK;
    TRY(time_fetches(lab, blocks, HWC_CODE_DENSE, error));
    return time_fetches(lab, blocks, HWC_CODE_DENSEST, error);
}

static int check_ways(struct hwc_lab *lab, const struct hwc_code_blocks *blocks, size_t ways, struct hwc_error *error)
{
    uint64_t entries = lab->known->tlb[HWC_ITLB1].entries;

    if (ways <= lab->known->code.ways)
        return hwc_fail(error, HWC_UNAVAILABLE, "%zu blocks fit, as many as the first level holds, and it hides "
                        "this one", ways);
    if (hwc_goes_by_time(blocks->witness) && ways < 2 * lab->known->code.ways)
        return hwc_fail(error, HWC_UNAVAILABLE, "%zu blocks fit, of which the first level may keep some", ways);
    if (hwc_goes_by_time(blocks->witness) && (entries == 0 || ways >= entries))
        return hwc_fail(error, HWC_UNAVAILABLE, "%zu blocks fit; for more the TLB may have no entries", ways);
    return HWC_OK;
}

/* Does the second level keep data and code apart? */
static bool is_split(const struct hwc_profile *profile)
{
    const struct hwc_finding *unified = &profile->cache[1].finding[HWC_CACHE_UNIFIED];

    return profile->caches >= 2 && unified->known && unified->value == 0;
}

static int run(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    struct hwc_code_blocks_search search = {.structure = HWC_L2I,
                                            .least_spacing = FETCH_BYTES,
                                            .first_stride = FIRST_STRIDE,
                                            .widest = HWC_CODE_BLOCK_BYTES, /* a block lies on one page */
                                            .behind_another = true,
                                            .prepare = prepare,
                                            .prepare_dense = prepare_dense,
                                            .check = check_ways};
    struct hwc_record *cache = &profile->code_cache[1];
    struct hwc_finding *findings[HWC_CODE_BLOCKS_QUESTIONS] = {&cache->finding[HWC_CODE_CACHE_LINE_SIZE],
                                                               &cache->finding[HWC_CODE_CACHE_SIZE],
                                                               &cache->finding[HWC_CODE_CACHE_ASSOCIATIVITY]};
    struct hwc_result results[HWC_CODE_BLOCKS_QUESTIONS] = {0};

    if (!is_split(profile) || profile->code_caches != 1)
        return HWC_OK;
    profile->code_caches = 2;
    cache->level = 2;
    if (lab->known->code.size_bytes > 0)
        return hwc_code_blocks_vote(lab, &search, findings, results, error);
    hwc_findings_because(findings, HWC_CODE_BLOCKS_QUESTIONS,
                         hwc_depends("the first instruction cache is not known, and it hides this one"));
    return HWC_OK;
}

const struct hwc_probe hwc_probe_lower_instruction_cache = {
    .name = "lower_instruction_cache",
    .summary = "line size, size and associativity of an instruction cache at the second level, where that is split",
    .source = "Coleman and Davidson, ISPASS 2001, 3.7 to 3.9",
    .needs = {HWC_CACHE_UNIFIED, HWC_CODE_CACHE_SIZE, HWC_TLB_ENTRIES}, /* TLB: on how many pages blocks may lie */
    .provides = {HWC_CODE_CACHE_LINE_SIZE, HWC_CODE_CACHE_SIZE, HWC_CODE_CACHE_ASSOCIATIVITY},
    .run = run,
};
