/* A validation as a table: what differs first. */
#ifndef HWC_HTML_VALIDATION_H
#define HWC_HTML_VALIDATION_H

#include <stdio.h>

#include "profile.h"

/* What differs and why, then each row: by counter, by clock, as documented, and the verdict. Nothing without a
 * validation. */
void hwc_html_validation(FILE *stream, const struct hwc_profile *profile);

#endif
