/* Write allocation of every data-cache level.
 *
 * Claim: does a store that misses leave its line in the level?
 *
 * Method: AMP (ISPASS 2001, 3.4). Flush, store to a region smaller than the
 * level, read it: the reads hit where the stores allocated, and miss once per
 * line where they did not.
 *
 * What can fool it: a level above that allocates keeps the lines from this one,
 * so the region is larger than the levels above if this level is large enough. A
 * level that receives what the one above evicts or writes back has the lines,
 * however they came: AMP calls every level below an allocating one allocating,
 * and so does this probe. */
#include "table.h"
#include "residency_test.h"

/* Twice what the levels above hold, if that is at most half of this level; else a quarter of this level. */
static uint64_t region_bytes(const struct hwc_lab *lab, unsigned level)
{
    const struct hwc_level *this = &lab->known->level[level];
    uint64_t above = level > 1 ? lab->known->level[level - 1].effective_bytes : 0;

    return above > 0 && 4 * above <= this->size_bytes ? 2 * above : this->size_bytes / 4;
}

static int run_level(struct hwc_lab *lab, unsigned level, struct hwc_finding *finding, struct hwc_error *error)
{
    const struct hwc_residency_test visit = {.level = level, .bytes = region_bytes(lab, level), .access = HWC_STORE};

    return hwc_find_whether_left(lab, &visit, finding, error);
}

static int run(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    int status = HWC_OK;

    for (unsigned level = 1; status == HWC_OK && level <= profile->caches; level++)
        status = run_level(lab, level, &profile->cache[level - 1].finding[HWC_CACHE_WRITE_ALLOCATE], error);
    return status;
}

const struct hwc_probe hwc_probe_write_allocation = {
    .name = "write_allocation",
    .summary = "whether a store that misses leaves its line in a level",
    .source = "Coleman and Davidson, ISPASS 2001, 3.4",
    .needs = {HWC_CACHE_SIZE},
    .provides = {HWC_CACHE_WRITE_ALLOCATE},
    .run = run,
};
