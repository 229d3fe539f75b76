/* Write allocation of every data-cache level.
 *
 * Claim: does a store that misses leave its line in the level?
 *
 * Method: AMP (ISPASS 2001, 3.4). Flush, store to a region smaller than the
 * level, read it: the reads hit where the stores allocated, and miss once a
 * line where they did not.
 *
 * What can fool it: a level above that allocated keeps the lines from this one,
 * so the region is larger than the levels above where this level is larger
 * still. A level that takes what the one above throws out, or writes back, has
 * the lines however they came: AMP calls every level below one that allocates
 * allocating, and so it shows here. */
#include "table.h"
#include "visit.h"

#define MOST_LINES 4096

/* Twice what the levels above hold, where that is half of this level at most; else a quarter of it. */
static uint64_t region_bytes(const struct hwc_lab *lab, unsigned level)
{
    const struct hwc_level *this = &lab->level[level];
    uint64_t above = level > 1 ? lab->level[level - 1].effective_bytes : 0;

    return above > 0 && 4 * above <= this->size_bytes ? 2 * above : this->size_bytes / 4;
}

static int measure(struct hwc_lab *lab, void *data, struct hwc_ballot *ballot, struct hwc_error *error)
{
    bool left;
    int status = hwc_leaves_lines(lab, data, &left, error);

    ballot->cast[0] = true;
    ballot->value[0] = left;
    return status;
}

static const char *why_not(const struct hwc_lab *lab, unsigned level)
{
    if (lab->level[level].size_bytes == 0 || lab->level[level].line_bytes == 0)
        return "the level's geometry is not known";
    if (lab->level[level].line_bytes < UINT64_C(2) * HWC_CELL_BYTES)
        return "its lines are too short";
    return NULL;
}

static int run_level(struct hwc_lab *lab, unsigned level, struct hwc_finding *finding, struct hwc_error *error)
{
    const char *reason = why_not(lab, level);
    struct hwc_visit visit = {.level = level, .access = HWC_STORE};
    struct hwc_result result;
    int status;

    if (reason != NULL) {
        hwc_finding_unknown(finding, "%s", reason);
        return HWC_OK;
    }
    visit.spacing = lab->level[level].fill_bytes;
    while (region_bytes(lab, level) / visit.spacing > MOST_LINES)
        visit.spacing *= 2;
    visit.lines = (size_t)(region_bytes(lab, level) / visit.spacing);
    status = hwc_finding_by_vote(lab, measure, &visit, &lab->witness[level], "", finding, &result, error);
    finding->boolean = true;
    return status;
}

static int run(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    int status = HWC_OK;

    for (unsigned level = 1; status == HWC_OK && level <= profile->caches; level++)
        status = run_level(lab, level, &profile->cache[level - 1].write_allocate, error);
    return status;
}

const struct hwc_probe hwc_probe_write_allocation = {
    .name = "write_allocation",
    .summary = "whether a store that misses leaves its line in a level",
    .source = "Coleman and Davidson, ISPASS 2001, 3.4",
    .needs = &hwc_probe_data_cache,
    .run = run,
};
