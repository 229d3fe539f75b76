/* Curves as figures: drawn, with a legend and the values read off; or as a table, where there are few points. */
#ifndef HWC_HTML_CURVE_H
#define HWC_HTML_CURVE_H

#include <stdio.h>

#include "profile.h"

void hwc_html_curve(FILE *stream, const struct hwc_profile *profile, const struct hwc_curve *curve);

#endif
