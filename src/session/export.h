/* Events that can be believed, for other programs. */
#ifndef HWC_EXPORT_H
#define HWC_EXPORT_H

#include <stdio.h>

#include "error.h"
#include "profile.h"

enum hwc_export {
    HWC_EXPORT_MAP,  /* an event map: hwchar --event-map=FILE */
    HWC_EXPORT_PAPI, /* PAPI_USER_EVENTS_FILE=FILE */
    HWC_EXPORT_PERF, /* perf stat -e "$(cat FILE)" */
    HWC_EXPORTS
};

const char *hwc_export_name(enum hwc_export form);

/* Write the events that are trusted, by the records of a session on this machine; to a map, also those that a factor
 * corrects. HWC_UNAVAILABLE if there is none that the form has a name for. */
int hwc_export_events(const struct hwc_profile *profile, enum hwc_export form, FILE *stream, struct hwc_error *error);

#endif
