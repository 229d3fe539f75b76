#include "fields.h"

const struct hwc_field hwc_fields[HWC_FIELDS] = {
    [HWC_NO_FIELD] = {.id = "", .group = HWC_GROUPS, .key = "", .label = "", .unit = ""},
#define HWC_FIELD(id, group, key, label, kind, unit, documented, phrase)                                               \
    [HWC_##id] = {#id, HWC_OF_##group, key, label, HWC_VALUE_##kind, unit, HWC_DOCUMENTED_##documented, phrase},
#include "fields.def"
#undef HWC_FIELD
};

enum hwc_field_id hwc_next_field(enum hwc_group group, enum hwc_field_id id)
{
    int next = (int)id + 1;

    while (next < HWC_FIELDS && hwc_fields[next].group != group)
        next++;
    return next < HWC_FIELDS ? (enum hwc_field_id)next : HWC_NO_FIELD;
}
