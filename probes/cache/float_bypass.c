/* Floating-point loads that bypass the first level.
 *
 * Claim: does a floating-point load that misses leave its line in the first
 * data cache? On Itanium 2 it does not: its first level is for integers, and
 * floating-point data meet the second level first (Dongarra et al., ICCS 2004,
 * 3).
 *
 * Method: as for write allocation (residency_test.h), with floating-point loads
 * instead of stores. The paper measures its curve twice and compares the first
 * levels; this gives the same result, and needs one level only.
 *
 * What can fool it: little, as no level above the first can keep the line. */
#include "table.h"
#include "residency_test.h"

static int run(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    struct hwc_finding *finding = &profile->cache[0].finding[HWC_CACHE_BYPASSED_BY_FLOAT];
    const struct hwc_residency_test visit = {.level = 1, .bytes = lab->known->level[1].size_bytes / 4,
                                             .type = HWC_FLOAT, .yes_if_not_left = true};
    int status;

    if (profile->caches == 0)
        return HWC_OK;
    status = hwc_find_whether_left(lab, &visit, finding, error);
    if (status == HWC_OK && finding->known && finding->value != 0)
        hwc_note(&lab->notes, "floating-point loads go past the first data cache: for them level 2 comes first");
    return status;
}

const struct hwc_probe hwc_probe_float_bypass = {
    .name = "float_bypass",
    .summary = "whether floating-point loads go past the first data cache",
    .source = "Dongarra et al., ICCS 2004, 3",
    .needs = {HWC_CACHE_SIZE},
    .provides = {HWC_CACHE_BYPASSED_BY_FLOAT},
    .run = run,
};
