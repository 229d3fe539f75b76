#include "validation.h"

const struct hwc_finding *hwc_documented_side(const struct hwc_validated *row)
{
    return row->counter.has_documented ? &row->counter : &row->clock;
}

unsigned hwc_validation_count(const struct hwc_validation *validation, enum hwc_says says)
{
    unsigned count = 0;

    for (unsigned i = 0; i < validation->rows; i++)
        count += validation->row[i].verdict.says == says;
    return count;
}

static bool is_of_witnesses(enum hwc_cause cause)
{
    switch (cause) {
    case HWC_CAUSE_WITNESSES:
    case HWC_CAUSE_MISCOUNT:
    case HWC_CAUSE_COUNTS_PREFETCHES:
    case HWC_CAUSE_COUNTS_NOTHING:
    case HWC_CAUSE_OTHER_LEVEL:
        return true;
    default:
        return false;
    }
}

unsigned hwc_differences_of_witnesses(const struct hwc_validation *validation)
{
    unsigned count = 0;

    for (unsigned i = 0; i < validation->differences; i++)
        count += is_of_witnesses(validation->difference[i].cause);
    return count;
}

const char *hwc_says_name(enum hwc_says says)
{
    static const char *const names[HWC_SAYS] = {"agree", "differ", "undecided"};
    return names[says];
}

const char *hwc_supported_name(enum hwc_supported supported)
{
    static const char *const names[HWC_SUPPORTED] = {NULL, "counter", "clock", "documented"};
    return names[supported];
}

const char *hwc_cause_name(enum hwc_cause cause)
{
    static const char *const names[HWC_CAUSES] = {
        [HWC_CAUSE_WITNESSES] = "witnesses",
        [HWC_CAUSE_DOCUMENTATION] = "documentation",
        [HWC_CAUSE_PARTITION] = "partition",
        [HWC_CAUSE_NO_LEVEL] = "no_such_level",
        [HWC_CAUSE_HIDDEN_LEVEL] = "undocumented_level",
        [HWC_CAUSE_MISCOUNT] = "miscounts",
        [HWC_CAUSE_COUNTS_PREFETCHES] = "counts_prefetches",
        [HWC_CAUSE_COUNTS_NOTHING] = "counts_nothing",
        [HWC_CAUSE_OTHER_LEVEL] = "counts_other_level",
        [HWC_CAUSE_BROKEN_PAGES] = "broken_pages",
        [HWC_CAUSE_CLOCK_FREQUENCY] = "clock_frequency",
    };
    return names[cause];
}
