/* The profile as JSON, "hwchar-profile/1" (docs/profile.schema.json). */
#ifndef HWC_PROFILE_JSON_H
#define HWC_PROFILE_JSON_H

#include <stdio.h>

#include "error.h"
#include "profile.h"

int hwc_profile_write_json(const struct hwc_profile *profile, FILE *stream, struct hwc_error *error);

/* The events alone, absent ones included: what --events --json prints. */
int hwc_events_write_json(const struct hwc_profile *profile, FILE *stream, struct hwc_error *error);

#endif
