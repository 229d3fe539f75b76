/* The profile for people. */
#ifndef HWC_PROFILE_TEXT_H
#define HWC_PROFILE_TEXT_H

#include <stdio.h>

#include "profile.h"

void hwc_report_text(const struct hwc_profile *profile, FILE *stream);
void hwc_report_events(const struct hwc_profile *profile, FILE *stream);

#endif
