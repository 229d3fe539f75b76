#include "profile.h"

#include <stdio.h>

void hwc_profile_close(struct hwc_profile *profile)
{
    hwc_curves_free(&profile->curves);
}

bool hwc_profile_place(const struct hwc_profile *profile, unsigned i, struct hwc_place *place)
{
    const struct {
        enum hwc_group group;
        unsigned count;
        const struct hwc_record *records;
    } lists[] = {
        {HWC_OF_CACHE, profile->caches, profile->cache},
        {HWC_OF_CODE_CACHE, profile->code_caches, profile->code_cache},
        {HWC_OF_TLB, profile->tlbs, profile->tlb},
        {HWC_OF_BTB, profile->btbs, profile->btb},
        {HWC_OF_MEMORY, 1, &profile->memory},
        {HWC_OF_CORE, 1, &profile->core},
    };

    for (size_t list = 0; list < sizeof lists / sizeof lists[0]; list++) {
        if (i < lists[list].count) {
            *place = (struct hwc_place){lists[list].group, &lists[list].records[i]};
            return true;
        }
        i -= lists[list].count;
    }
    return false;
}

const char *hwc_place_name(const struct hwc_place *place, char name[HWC_PLACE_NAME])
{
    static const char *const names[HWC_GROUPS] = {
        [HWC_OF_CACHE] = "L", [HWC_OF_CODE_CACHE] = "L",   [HWC_OF_TLB] = "TLB",
        [HWC_OF_BTB] = "BTB", [HWC_OF_MEMORY] = "memory", [HWC_OF_CORE] = "core",
    };
    const struct hwc_record *record = place->record;
    const char *before = place->group != HWC_OF_TLB ? "" : record->code ? "I" : "D";
    const char *behind = record->large ? " large" : place->group == HWC_OF_CODE_CACHE ? "i" : "";
    char level[8] = "";

    if (record->level > 0)
        snprintf(level, sizeof level, "%u", record->level % 1000);
    if (place->group == HWC_OF_CACHE && record->level == 1)
        behind = "d"; /* level 1 only: later levels usually hold code, too */
    snprintf(name, HWC_PLACE_NAME, "%s%s%s%s", before, names[place->group], level, behind);
    return name;
}
