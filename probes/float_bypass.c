/* Floating-point loads that go past the first level.
 *
 * Claim: does a floating-point load that misses leave its line in the first
 * data cache? On Itanium 2 it does not: its first level is for integers, and
 * floating-point data meet the second level first (Dongarra et al., ICCS 2004,
 * 3).
 *
 * Method: as write allocation is found (hwc_leaves_lines), with floating-point
 * loads for stores. That paper runs its curve twice and compares the first
 * levels; the result is the same, and needs one level only.
 *
 * What can fool it: the levels above the first are none, so little. */
#include "table.h"
#include "visit.h"

#define MOST_LINES 1024

static int measure(struct hwc_lab *lab, void *data, struct hwc_ballot *ballot, struct hwc_error *error)
{
    bool left;
    int status = hwc_leaves_lines(lab, data, &left, error);

    ballot->cast[0] = true;
    ballot->value[0] = !left;
    return status;
}

static int run(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    const struct hwc_level *first = &lab->level[1];
    struct hwc_finding *finding = &profile->cache[0].bypassed_by_float;
    struct hwc_visit visit = {.level = 1, .spacing = first->fill_bytes, .type = HWC_FLOAT};
    struct hwc_result result;
    int status;

    if (profile->caches == 0)
        return HWC_OK;
    if (first->size_bytes == 0 || first->fill_bytes < UINT64_C(2) * HWC_CELL_BYTES) {
        hwc_finding_unknown(finding, "the level's geometry is not known");
        return HWC_OK;
    }
    while (first->size_bytes / 4 / visit.spacing > MOST_LINES)
        visit.spacing *= 2;
    visit.lines = (size_t)(first->size_bytes / 4 / visit.spacing);
    status = hwc_finding_by_vote(lab, measure, &visit, &lab->witness[1], "", finding, &result, error);
    finding->boolean = true;
    if (status == HWC_OK && finding->known && finding->value != 0)
        hwc_note(&lab->notes, "floating-point loads go past the first data cache: for them level 2 comes first");
    return status;
}

const struct hwc_probe hwc_probe_float_bypass = {
    .name = "float_bypass",
    .summary = "whether floating-point loads go past the first data cache",
    .source = "Dongarra et al., ICCS 2004, 3",
    .needs = &hwc_probe_data_cache,
    .run = run,
};
