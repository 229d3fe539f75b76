/* Native counters that the user names for events, by --event or by
 * --event-map=FILE, a JSON object such as
 *
 *   {"schema": "hwchar-events/1",
 *    "events": {"l1d_load_miss": "cpu_core::0x08d1", "l2_miss": ["first", "second"]}}
 *
 * Earlier entries are tried first. */
#ifndef HWC_COUNTERS_EVENT_MAP_H
#define HWC_COUNTERS_EVENT_MAP_H

#include "error.h"
#include "event.h"

enum { CTR_MAX_MAPPINGS = 64 };

struct ctr_mapping {
    enum hwc_event event;
    char native[HWC_NATIVE_NAME];
};

struct ctr_event_map {
    unsigned count;
    struct ctr_mapping mapping[CTR_MAX_MAPPINGS];
};

int ctr_event_map_add(struct ctr_event_map *map, enum hwc_event event, const char *native, struct hwc_error *error);
int ctr_event_map_read(struct ctr_event_map *map, const char *path, struct hwc_error *error);

#endif
