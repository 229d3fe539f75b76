/* Lines that were found to share a set of a level: moved to another place of their pages, they share one there, too
 * (elsewhere.h). To find such lines among thousands takes passes that are long enough for others to put lines out meanwhile;
 * to ask whether a few share a set does not. */
#ifndef HWC_CONGRUENT_LINES_H
#define HWC_CONGRUENT_LINES_H

#include "conflict.h"

enum { HWC_MOST_CONGRUENT = 64, HWC_CONGRUENT_GROUPS = 8 };

struct hwc_congruent_lines {
    size_t count;
    uint64_t line[HWC_MOST_CONGRUENT]; /* at the beginning of their strides */
};

/* The i-th group of lines that are known to share a set of the plan's level; NULL = there is none. */
const struct hwc_congruent_lines *hwc_congruent_lines(struct hwc_lab *lab, const struct hwc_conflict_plan *plan, size_t i);

/* Know one more, while there is room for it, if the plan's arena is kept. */
void hwc_know_congruent(struct hwc_lab *lab, const struct hwc_conflict_plan *plan,
                        const struct hwc_congruent_lines *lines);

#endif
