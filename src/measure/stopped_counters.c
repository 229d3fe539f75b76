#include "stopped_counters.h"

#include <string.h>

#include "event_levels.h"

static bool has_stopped(const struct hwc_lab *lab, const struct hwc_event_record *record)
{
    return lab->stopped[record->event] && hwc_is_believed(record);
}

bool hwc_has_any_stopped(const struct hwc_lab *lab, const struct hwc_event_record records[HWC_EVENT_COUNT])
{
    for (int event = 0; event < HWC_EVENT_COUNT; event++)
        if (has_stopped(lab, &records[event]))
            return true;
    return false;
}

static int replace(struct hwc_lab *lab, struct hwc_event_record *record, struct hwc_error *error)
{
    record->status = HWC_EVENT_REJECTED;
    hwc_write(record->reason, sizeof record->reason, "stopped counting: %s", lab->why_stopped);
    hwc_note(&lab->notes, "%s is not counted by %s: %s", hwc_event_name(record->event), record->counter,
             record->reason);
    return hwc_qualify_next(lab, record, error);
}

int hwc_replace_stopped(struct hwc_lab *lab, struct hwc_event_record records[HWC_EVENT_COUNT], struct hwc_error *error)
{
    bool replaced[HWC_EVENT_COUNT] = {false};

    for (int event = 0; event < HWC_EVENT_COUNT; event++)
        replaced[event] = has_stopped(lab, &records[event]);
    memset(lab->stopped, 0, sizeof lab->stopped);
    for (int event = 0; event < HWC_EVENT_COUNT; event++)
        if (replaced[event])
            TRY(replace(lab, &records[event], error));
    return hwc_check_event_levels(lab, records, replaced, error);
}
