/* What a reference takes that is drawn at random from so many lines of a column
 * (column.h), or how many are slow. Several columns on the same pages are looked at together, so that a
 * page's translation is shared: its lines are moved to other places of their pages. */
#ifndef HWC_COLUMN_CURVE_H
#define HWC_COLUMN_CURVE_H

#include "column.h"

/* Places of a page, as distances, XOR, from the column's own, which is the first. */
struct hwc_column_places {
    uint64_t moved[HWC_COLUMN_PLACES];
    size_t count;
};

/* Draw up to `wanted` places that share no sets of the level above with each other, one of each of so many equal parts of a
 * page. */
int hwc_draw_column_places(struct hwc_column *column, size_t wanted, struct hwc_column_places *places,
                           struct hwc_error *error);

/* Cycles of a reference that is drawn from `lines` random lines of the column, at each of these places. */
int hwc_time_column(struct hwc_column *column, size_t lines, const struct hwc_column_places *places,
                    double *cycles, struct hwc_error *error);

/* The share of these references that take more than slow_cycles, the reading of the clock included. */
int hwc_count_column(struct hwc_column *column, size_t lines, const struct hwc_column_places *places,
                     double slow_cycles, double *slow, struct hwc_error *error);

/* The same of references to each of the lines, once, after a flush of them all. */
int hwc_count_flushed_column(struct hwc_column *column, size_t lines, const struct hwc_column_places *places,
                             double slow_cycles, double *slow, struct hwc_error *error);

#endif
