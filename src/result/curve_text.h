/* What is read off curves, as text. */
#ifndef HWC_CURVE_TEXT_H
#define HWC_CURVE_TEXT_H

#include <stdio.h>

#include "curve.h"
#include "profile_text.h"

/* A paragraph for each curve that something is read off; verbose: a line for each value, with what it is read off
 * and why there is none. */
void hwc_curves_write_text(const struct hwc_curves *curves, bool gap, const struct hwc_text_style *style,
                           FILE *stream);

#endif
