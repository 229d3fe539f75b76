/* Axes of drawings: where a quantity is drawn, and which values of it are named. Pure. */
#ifndef HWC_HTML_SCALE_H
#define HWC_HTML_SCALE_H

#include "show.h"

enum hwc_scale_kind { HWC_LINEAR, HWC_BINARY_LOG, HWC_DECIMAL_LOG };

struct hwc_scale {
    enum hwc_scale_kind kind;
    double low, high; /* the least and the largest value; low < high */
    double from, to;  /* where these are drawn */
};

/* A scale for sizes from `low` to `high`: logarithmic if they are far apart, and no further than they are. */
struct hwc_scale hwc_scale_of_sizes(double low, double high, double from, double to);

/* A scale for values: it ends at round numbers, and is logarithmic if they are far apart and none is 0. */
struct hwc_scale hwc_scale_of_values(double low, double high, double from, double to);

/* Where a value is drawn; one beyond an end, at the end. */
double hwc_scale_place(const struct hwc_scale *scale, double value);

enum { HWC_MOST_TICKS = 32 };

/* Round values at least `apart` from each other where they are drawn; returns how many. */
unsigned hwc_scale_ticks(const struct hwc_scale *scale, double apart, double ticks[HWC_MOST_TICKS]);

#endif
