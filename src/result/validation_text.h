/* The validation of a profile as text. */
#ifndef HWC_VALIDATION_TEXT_H
#define HWC_VALIDATION_TEXT_H

#include "profile_text.h"

/* What differs, with the rows that show it; then how many rows agree, and how many are undecided, for which reasons.
 * Verbose: every row. The profile has a validation. */
void hwc_validation_write_text(const struct hwc_profile *profile, const struct hwc_text_style *style, FILE *stream);

#endif
