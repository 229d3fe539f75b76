/* A curve drawn: a panel for each unit, one below the other over the same sizes. */
#ifndef HWC_HTML_PLOT_H
#define HWC_HTML_PLOT_H

#include <stdio.h>

#include "profile.h"

/* Drawn twice, for wide and for narrow windows: the style sheet shows one of them. False if there is no point. */
bool hwc_html_plot(FILE *stream, const struct hwc_profile *profile, const struct hwc_curve *curve);

/* "its standard error": how far the values of the series before it are spread, in its unit. */
bool hwc_is_spread(const struct hwc_curve *curve, size_t series);
const struct hwc_series *hwc_spread_of(const struct hwc_curve *curve, size_t series); /* NULL = none */

/* Attributes that give a drawing's element the colour of a series. */
void hwc_plot_colour(FILE *stream, const struct hwc_curve *curve, size_t series);

#endif
