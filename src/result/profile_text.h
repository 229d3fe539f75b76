/* The profile as text. */
#ifndef HWC_PROFILE_TEXT_H
#define HWC_PROFILE_TEXT_H

#include <stdio.h>

#include "profile.h"

struct hwc_text_style {
    unsigned width; /* longer lines are folded between words */
    bool verbose;   /* a row for each finding, with votes, witness and reason */
};

void hwc_profile_write_text(const struct hwc_profile *profile, const struct hwc_text_style *style, FILE *stream);

/* Which counter each event would use, and the verdict on it. */
void hwc_events_write_text(const struct hwc_profile *profile, const struct hwc_text_style *style, FILE *stream);

#endif
