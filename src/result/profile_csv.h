/* The profile as CSV, a row for each finding: quoted as in RFC 4180, but lines end with a newline alone. */
#ifndef HWC_PROFILE_CSV_H
#define HWC_PROFILE_CSV_H

#include <stdio.h>

#include "error.h"
#include "profile.h"

int hwc_profile_write_csv(const struct hwc_profile *profile, FILE *stream, struct hwc_error *error);

#endif
