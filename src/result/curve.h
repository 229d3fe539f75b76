/* Curves: what was measured over one quantity, and what a program reads off it. They are written for people and
 * programs to look at; no finding is read back from them. */
#ifndef HWC_CURVE_H
#define HWC_CURVE_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"
#include "levels_fit.h"
#include "witness.h"

struct hwc_axis {
    char name[48], unit[16];
};

struct hwc_point {
    double at, value;
};

struct hwc_series {
    struct hwc_axis axis; /* of the values */
    enum hwc_witness_kind witness; /* whose they are; HWC_NO_WITNESS = it is not said */
    char how[192];        /* the native counter, or how they follow from the time; "" = it is not said */
    size_t points, room;
    struct hwc_point *point;
};

/* What the curve says of the machine: "L1 size". */
struct hwc_read_off {
    struct hwc_axis axis;
    char series[48]; /* name of the series that says it; "" = the curve as a whole */
    bool known;      /* else `reason` says why not */
    double value;
    bool has_interval; /* it lies between `low` and `high`, known or not */
    double low, high;
    bool shows; /* at `at` of the curve's x */
    double at;
    char reason[256];
};

struct hwc_curve {
    char name[32]; /* the probe's */
    char type[32]; /* of its references: "int", "random", ... */
    struct hwc_axis x;
    size_t count, room;
    struct hwc_series **series;
    size_t read, read_room;
    struct hwc_read_off *read_off;
};

/* All zero = none. */
struct hwc_curves {
    size_t count, room;
    struct hwc_curve **curve;
};

/* Add a curve without series, to a curve a series without points, or to a series a point. Curves and series stay where
 * they are until all are freed. May return HWC_NO_MEMORY. */
int hwc_curve_add(struct hwc_curves *curves, const char *name, const char *type, const char *x, const char *unit,
                  struct hwc_curve **curve, struct hwc_error *error);
int hwc_series_add(struct hwc_curve *curve, const char *name, const char *unit, struct hwc_series **series,
                   struct hwc_error *error);
int hwc_point_add(struct hwc_series *series, double at, double value, struct hwc_error *error);

/* Add the time of references drawn at random, in cycles, and its standard error, over what `x` names. */
int hwc_curve_add_drawn(struct hwc_curves *curves, const char *name, const char *x, const char *unit,
                        const struct hwc_drawn_curve *drawn, struct hwc_error *error);

/* Free the curves from the n-th on, from 0. */
void hwc_curves_cut(struct hwc_curves *curves, size_t n);

/* Add a copy. */
int hwc_read_off_add(struct hwc_curve *curve, const struct hwc_read_off *read_off, struct hwc_error *error);

/* What a curve says by that name, known or not; NULL if it has no such name. */
const struct hwc_read_off *hwc_curve_says(const struct hwc_curve *curve, const char *name);

/* The last curve of that name and type, or NULL. */
const struct hwc_curve *hwc_curve_find(const struct hwc_curves *curves, const char *name, const char *type);

void hwc_curves_free(struct hwc_curves *curves);

#endif
