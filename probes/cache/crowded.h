/* Lines of one set of a level, of which a set of the level below holds too few.
 *
 * They lie at random over the sets of the level below, as pages do. If its ways are few, more of them than it has may meet
 * in one of its sets, put one another out, and come from beyond, each time. Without one of these, the others of its set
 * may all stay: a pass gets shorter by more than by one line, where without any other line it gets shorter by just that. */
#ifndef HWC_CROWDED_H
#define HWC_CROWDED_H

#include "set_of_lines.h"

/* Leave lines out of the set until no other's absence makes a pass over the rest so much shorter. Needs a clock. */
int hwc_leave_out_crowded(struct hwc_lab *lab, const struct hwc_arena *arena, struct hwc_set *set,
                          struct hwc_error *error);

#endif
