/* The findings as tables: in short by level, and each with its evidence. */
#ifndef HWC_HTML_FINDINGS_H
#define HWC_HTML_FINDINGS_H

#include <stdio.h>

#include "profile.h"

/* A line for each level, as in the text. */
void hwc_html_levels(FILE *stream, const struct hwc_profile *profile);

/* What differs from what is documented; a sentence if nothing does, and nothing if nothing is documented. */
void hwc_html_differences(FILE *stream, const struct hwc_profile *profile);

/* What has no value, by what may help; nothing if all have one. */
void hwc_html_unknown(FILE *stream, const struct hwc_profile *profile);

/* A row for each finding: value, votes, witness, what is documented; or why it is unknown. */
void hwc_html_findings(FILE *stream, const struct hwc_profile *profile);

#endif
