/* The share of references to lines of a column (column.h) that the last level does
 * not keep, counted one by one: memory takes so much longer that each shows who
 * served it. What hits, misses and translation take is not needed. */
#ifndef HWC_COLUMN_SHARE_H
#define HWC_COLUMN_SHARE_H

#include "column_curve.h"

struct hwc_column_share {
    struct hwc_column *column;
    double slow_cycles; /* memory's references take more, as a rule, and others less; 0 = they are not told */
};

/* A share, and its bounds. */
struct hwc_share_bounds {
    double low, likely, high;
};

/* Find what tells references to memory from others, by the lines that the column has. They are not told, which is no
 * error, where lines cannot be flushed, or the clock is too coarse. */
int hwc_column_share_open(struct hwc_column_share *share, struct hwc_column *column, struct hwc_error *error);

/* References drawn from so many random lines of the column at each of these places: which share comes from memory? */
int hwc_column_missing(const struct hwc_column_share *share, size_t lines, const struct hwc_column_places *places,
                       struct hwc_share_bounds *missing, struct hwc_error *error);

#endif
