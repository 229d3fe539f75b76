#include "counted_walks.h"

static const struct {
    enum hwc_field_id field;
    enum hwc_walked what;
} walked[] = {
    {HWC_CACHE_SIZE, HWC_WALKED_SIZE},
    {HWC_CACHE_ASSOCIATIVITY, HWC_WALKED_WAYS},
    {HWC_CODE_CACHE_SIZE, HWC_WALKED_SIZE},
    {HWC_CODE_CACHE_ASSOCIATIVITY, HWC_WALKED_WAYS},
    {HWC_TLB_ENTRIES, HWC_WALKED_SIZE},
    {HWC_TLB_ASSOCIATIVITY, HWC_WALKED_WAYS},
};

static const struct hwc_witness *witness_of(const struct hwc_lab *lab, const struct hwc_place *place)
{
    if (place->group == HWC_OF_CACHE)
        return &lab->witness[place->record->level];
    if (place->group == HWC_OF_CODE_CACHE)
        return &lab->structure_witness[hwc_code_cache(place->record->level)];
    return &lab->structure_witness[hwc_structure_of(place->record)];
}

static void take(struct hwc_finding *finding, const struct hwc_lab *lab, const struct hwc_place *place,
                 enum hwc_walked what)
{
    if (finding->known && finding->witness == HWC_CLOCK)
        finding->counted = hwc_own_walks_of(lab, witness_of(lab, place), place->record->large, what, finding->value);
}

void hwc_profile_take_walks(struct hwc_profile *profile, const struct hwc_lab *lab)
{
    struct hwc_place place;

    for (unsigned i = 0; hwc_profile_place(profile, i, &place); i++)
        for (size_t k = 0; k < sizeof walked / sizeof walked[0]; k++)
            if (hwc_fields[walked[k].field].group == place.group && place.record->level > 0)
                take(&((struct hwc_record *)(uintptr_t)place.record)->finding[walked[k].field], lab, &place,
                     walked[k].what);
}
