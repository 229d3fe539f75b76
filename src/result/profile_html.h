/* The profile as one page: HTML with its style and its drawings, without a script, and nothing to be fetched. */
#ifndef HWC_PROFILE_HTML_H
#define HWC_PROFILE_HTML_H

#include <stdio.h>

#include "error.h"
#include "profile.h"

/* What the profile does not have, such as findings where only events were asked for, is left out. */
int hwc_profile_write_html(const struct hwc_profile *profile, FILE *stream, struct hwc_error *error);

#endif
