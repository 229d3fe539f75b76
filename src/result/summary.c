#include "summary.h"

#include <string.h>

/* The effective size is not shown where it is unknown or may be the size. */
static bool goes_without_saying(const struct hwc_record *record, enum hwc_field_id id)
{
    const struct hwc_finding *size = &record->finding[HWC_CACHE_SIZE], *finding = &record->finding[id];

    if (id != HWC_CACHE_EFFECTIVE_SIZE)
        return false;
    if (!finding->known && finding->has_interval)
        return size->known && finding->low <= size->value && size->value <= finding->high;
    return !finding->known || (size->known && size->value == finding->value);
}

void hwc_record_phrase(char text[HWC_SHOWN], const struct hwc_record *record, enum hwc_field_id id)
{
    if (goes_without_saying(record, id))
        text[0] = '\0';
    else
        hwc_show_phrase(text, &hwc_fields[id], &record->finding[id]);
}

bool hwc_any_asked(const struct hwc_place *place)
{
    HWC_EACH_FIELD(id, place->group)
        if (place->record->finding[id].asked)
            return true;
    return false;
}

bool hwc_any_finding(const struct hwc_profile *profile)
{
    struct hwc_place place;

    for (unsigned i = 0; hwc_profile_place(profile, i, &place); i++)
        if (hwc_any_asked(&place))
            return true;
    return false;
}

/* Whatever a larger budget helps is told apart from the rest. */
enum { OUT_OF_BUDGET = HWC_WHYS };

static const unsigned why_of[HWC_UNKNOWN_GROUPS] = {HWC_WHY_UNDECIDED, HWC_WHY_INCONCLUSIVE, HWC_WHY_UNAVAILABLE,
                                                    HWC_WHY_DEPENDS,   OUT_OF_BUDGET,        HWC_WHY_NOT_SAID};

bool hwc_is_unknown(const struct hwc_finding *finding, unsigned group)
{
    bool spent = strncmp(finding->reason, HWC_BUDGET_SPENT, strlen(HWC_BUDGET_SPENT)) == 0;

    return finding->asked && !hwc_finding_is_told(finding) &&
           (spent ? (unsigned)OUT_OF_BUDGET : (unsigned)finding->why) == why_of[group];
}

bool hwc_any_unknown(const struct hwc_profile *profile)
{
    struct hwc_place place;

    for (unsigned i = 0; hwc_profile_place(profile, i, &place); i++)
        HWC_EACH_FIELD(id, place.group)
            for (unsigned group = 0; group < HWC_UNKNOWN_GROUPS; group++)
                if (hwc_is_unknown(&place.record->finding[id], group))
                    return true;
    return false;
}

/* No event counts what the core's probes ask. */
static bool any_counted(const struct hwc_profile *profile, unsigned group)
{
    struct hwc_place place;

    for (unsigned i = 0; hwc_profile_place(profile, i, &place); i++)
        HWC_EACH_FIELD(id, place.group)
            if (place.group != HWC_OF_CORE && place.group != HWC_OF_INSTRUCTION &&
                hwc_is_unknown(&place.record->finding[id], group))
                return true;
    return false;
}

const char *hwc_what_helps(const struct hwc_profile *profile, unsigned group)
{
    bool counters = strcmp(profile->backend, "none") != 0 || !any_counted(profile, group);

    switch (why_of[group]) {
    case HWC_WHY_UNAVAILABLE:
        return counters ? "cannot be asked here." : "cannot be asked here; --counters may help.";
    case HWC_WHY_INCONCLUSIVE:
        return counters ? "did not show; a quieter machine may help."
                        : "did not show; a quieter machine or --counters may help.";
    case HWC_WHY_UNDECIDED:
        return "the votes disagree; a quieter machine or more --votes may settle it.";
    case HWC_WHY_DEPENDS:
        return "hang on others that are unknown.";
    case OUT_OF_BUDGET:
        return "the budget was spent; a larger --budget may show them.";
    default:
        return "no reason is on record.";
    }
}
