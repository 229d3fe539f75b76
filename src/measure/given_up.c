#include "given_up.h"

#include <string.h>

bool hwc_give_up(struct hwc_lab *lab, const struct hwc_event_record *record)
{
    struct hwc_given_up *way;

    if (lab->ways_given_up == HWC_MOST_GIVEN_UP)
        return false;
    way = &lab->given_up[lab->ways_given_up++];
    way->event = record->event;
    hwc_write(way->backend, sizeof way->backend, "%s", record->backend);
    hwc_write(way->counter, sizeof way->counter, "%s", record->counter);
    hwc_write(way->reason, sizeof way->reason, "%s", record->reason);
    return true;
}

const char *hwc_why_given_up(const struct hwc_lab *lab, const struct hwc_event_record *record)
{
    for (unsigned i = 0; i < lab->ways_given_up; i++) {
        const struct hwc_given_up *way = &lab->given_up[i];
        if (way->event == record->event && strcmp(way->counter, record->counter) == 0 &&
            strcmp(way->backend, record->backend) == 0)
            return way->reason;
    }
    return NULL;
}
