/* Curves as drawings: a panel for each unit, one below the other over the same sizes. */
#ifndef HWC_HTML_CURVE_H
#define HWC_HTML_CURVE_H

#include <stdio.h>

#include "html_marker.h"
#include "profile.h"

/* A figure with its legend and the values read off. Drawn twice, for wide and for narrow windows: the style sheet shows
 * one of them. */
void hwc_html_curve(FILE *stream, const struct hwc_profile *profile, const struct hwc_curve *curve);

#endif
