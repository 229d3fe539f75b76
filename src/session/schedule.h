/* Which probes run, and in which order. */
#ifndef HWC_SCHEDULE_H
#define HWC_SCHEDULE_H

#include <stdbool.h>

#include "probe.h"

enum { HWC_MAX_PROBES = 64 };

struct hwc_schedule {
    size_t count;
    const struct hwc_probe *probe[HWC_MAX_PROBES];
};

/* Does the probe look for the field? */
bool hwc_probe_provides(const struct hwc_probe *probe, enum hwc_field_id field);

/* Schedule the probes that are asked for (none = all of the table but those that
 * run on request) and those that provide what these need, each after what it needs
 * and otherwise in the order of the table, which ends with NULL. A need is met by
 * the first probe of the table that provides it; later ones may add to it.
 * HWC_SYSTEM if nothing provides a need, or if probes need each other. */
int hwc_schedule(const struct hwc_probe *const *table, const struct hwc_probe *const *asked, size_t count,
                 struct hwc_schedule *schedule, struct hwc_error *error);

#endif
