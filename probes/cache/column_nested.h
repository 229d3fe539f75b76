/* Do other sets of the level above share sets of a level with a column (column.h)?
 *
 * Of each column the level keeps its size divided by the number of those sets only
 * if each has lines of its own there. Where the level, or each of its slices, has
 * fewer sets than the level above, as a rule or by a hash, lines at the same place of
 * other pages put a column's out. What they take is compared with what as many lines
 * take at another place of the same pages, which is of other sets in any case: those
 * are translated as well, and leave others as much time. */
#ifndef HWC_COLUMN_NESTED_H
#define HWC_COLUMN_NESTED_H

#include "column_kept.h"

/* Visited in turn with lines at the same place of other pages, lines of the column take longer than with those at another
 * place, `apart` (XOR), by such a share of what a miss adds to those that the level above has not got. `miss`: cycles; 0 =
 * what they take longer after a flush. HWC_INCONCLUSIVE if too few of the column's lines were found. */
int hwc_share_taken_by_others(struct hwc_column *column, const struct hwc_kept_lines *kept, uint64_t apart, double miss,
                              double *share, struct hwc_error *error);

#endif
