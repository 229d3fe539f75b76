/* Boundaries of the levels in the drawing of a curve: what was measured by whatever means, marked where it lies; else
 * what is read off the curve. */
#ifndef HWC_HTML_MARKER_H
#define HWC_HTML_MARKER_H

#include <stdio.h>

#include "html_scale.h"
#include "profile.h"

enum { HWC_MOST_MARKERS = HWC_MAX_CACHE_LEVEL + HWC_MAX_TLBS };

struct hwc_marker {
    double low, high; /* the same where the value is known */
    char label[64];   /* "L2 1 MiB", "L3 30.1 to 33.5 MiB" */
    unsigned row;     /* of labels */
};

struct hwc_markers {
    unsigned count, rows;
    struct hwc_marker marker[HWC_MOST_MARKERS];
};

/* The boundaries that the curve may show, from `low` to `high`; if none was found, what is read off the curve. */
void hwc_markers_of(struct hwc_markers *markers, const struct hwc_profile *profile, const struct hwc_curve *curve,
                    double low, double high);

/* Settle the rows, so that no label is drawn over another; labels stay between the scale's ends. */
void hwc_markers_lay_out(struct hwc_markers *markers, const struct hwc_scale *x);

/* Draw the labels in rows that end at `top`, and lines or bands from there to the bottom. */
void hwc_markers_draw_labels(FILE *stream, const struct hwc_markers *markers, const struct hwc_scale *x, double top);
void hwc_markers_draw(FILE *stream, const struct hwc_markers *markers, const struct hwc_scale *x, double top,
                      double bottom);

enum { HWC_MARKER_ROW = 15 }; /* pixels */

#endif
