/* How many lines of a column (column.h) the last level keeps, by counting references that it does not serve
 * (column_share.h). */
#ifndef HWC_COLUMN_KEPT_H
#define HWC_COLUMN_KEPT_H

#include "column_share.h"

enum { HWC_MOST_COUNTS = 16 };

/* The lines of a column that are looked at first, and the times what is kept from which on lines show that. */
enum { HWC_FIRST_LINES = 64 };
#define HWC_BEYOND_KEPT 1.8

/* What the level keeps of a column, with those above it, in lines; 0 = not seen. */
struct hwc_kept_lines {
    double low, likely, high;
    double hits; /* the share of references that showed it, at most */
};

struct hwc_counted {
    size_t points;
    double lines[HWC_MOST_COUNTS], missing[HWC_MOST_COUNTS]; /* of references drawn from so many, the share from memory */
    bool far_beyond; /* there were enough lines to show how many are kept */
    struct hwc_kept_lines kept;
};

/* Count over more and more lines, until there are far more than are kept, or no more. `several`: as many columns as share
 * pages. `until`: the lab has played so many references. HWC_INCONCLUSIVE if lines of other sets are among the column's. */
int hwc_count_kept(const struct hwc_column_share *share, const struct hwc_column_places *several, uint64_t until,
                   struct hwc_counted *counted, struct hwc_error *error);

/* So large a share of the lines that are kept in any case; 0 = not even one: others may put out as good as all. */
size_t hwc_lines_surely_kept(const struct hwc_kept_lines *kept, double share);

#endif
