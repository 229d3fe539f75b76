/* Reading a profile back from JSON. */
#ifndef HWC_PROFILE_READ_H
#define HWC_PROFILE_READ_H

#include <stdio.h>

#include "error.h"
#include "profile.h"

/* Read the profile as it was when it was written; it is closed in any case. HWC_BAD_INPUT names the place
 * of the first fault: "caches[1].size.value: must be a whole number". */
int hwc_profile_read(FILE *stream, struct hwc_profile *profile, struct hwc_error *error);

/* The same for a file; its name goes before the fault. */
int hwc_profile_read_file(const char *path, struct hwc_profile *profile, struct hwc_error *error);

#endif
