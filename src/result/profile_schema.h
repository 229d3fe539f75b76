/* The JSON Schema of profiles, generated from the table of fields. */
#ifndef HWC_PROFILE_SCHEMA_H
#define HWC_PROFILE_SCHEMA_H

#include <stdio.h>

#include "error.h"

int hwc_profile_write_schema(FILE *stream, struct hwc_error *error);

#endif
