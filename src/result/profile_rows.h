/* The verbose text report of a profile: a row for each finding. */
#ifndef HWC_PROFILE_ROWS_H
#define HWC_PROFILE_ROWS_H

#include "profile_text.h"

/* `name` is the width of the column of level names. */
void hwc_profile_write_rows(const struct hwc_profile *profile, size_t name, const struct hwc_text_style *style,
                            FILE *stream);

#endif
