/* The profile for people. */
#ifndef HWC_PROFILE_TEXT_H
#define HWC_PROFILE_TEXT_H

#include <stdio.h>

#include "profile.h"

struct hwc_text_style {
    unsigned width; /* lines are folded between words where they would be longer */
    bool verbose;   /* a row for each finding, with votes, witness and reason */
};

void hwc_profile_write_text(const struct hwc_profile *profile, const struct hwc_text_style *style, FILE *stream);

/* Which counter each event would use, and whether it can be believed. */
void hwc_events_write_text(const struct hwc_profile *profile, const struct hwc_text_style *style, FILE *stream);

#endif
