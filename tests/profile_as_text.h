/* Profiles written and read back, in memory. */
#ifndef HWC_PROFILE_AS_TEXT_H
#define HWC_PROFILE_AS_TEXT_H

#include <stdio.h>

#include "profile.h"

typedef int (*profile_writer)(const struct hwc_profile *profile, FILE *stream, struct hwc_error *error);

/* The caller's to free. */
char *written(const struct hwc_profile *profile, profile_writer write);

/* As hwc_profile_read. */
int read_text(const char *text, struct hwc_profile *profile, struct hwc_error *error);

#endif
