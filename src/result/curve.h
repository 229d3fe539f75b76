/* Curves: what was measured over one quantity. They are written for people and programs to look at; no finding is read
 * back from them. */
#ifndef HWC_CURVE_H
#define HWC_CURVE_H

#include <stddef.h>

#include "levels_fit.h"

enum { HWC_MOST_CURVES = 8, HWC_MOST_SERIES = 4, HWC_MOST_CURVE_POINTS = 128 };

struct hwc_axis {
    char name[32], unit[16];
};

struct hwc_series {
    struct hwc_axis axis; /* of the values */
    size_t points;
    double at[HWC_MOST_CURVE_POINTS], value[HWC_MOST_CURVE_POINTS];
};

struct hwc_curve {
    char name[32]; /* the probe's */
    char type[16]; /* of its references: "random", ... */
    struct hwc_axis x;
    size_t count;
    struct hwc_series series[HWC_MOST_SERIES];
};

struct hwc_curves {
    size_t count;
    struct hwc_curve curve[HWC_MOST_CURVES];
};

/* Add a curve without series, or to a curve a series without points. NULL if there are as many as there may be. */
struct hwc_curve *hwc_curve_add(struct hwc_curves *curves, const char *name, const char *type, const char *x,
                                const char *unit);
struct hwc_series *hwc_series_add(struct hwc_curve *curve, const char *name, const char *unit);

/* Add the time of references drawn at random, in cycles, and its standard error, over what `x` names. */
void hwc_curve_add_drawn(struct hwc_curves *curves, const char *name, const char *x, const char *unit,
                         const struct hwc_drawn_curve *drawn);

/* Further points than a series can hold are dropped. NULL takes none. */
void hwc_point_add(struct hwc_series *series, double at, double value);

#endif
