/* Does a kind of reference leave the lines that it visits in a level? Flush a
 * region smaller than the level, visit it, and load from it: the loads hit
 * where lines were left, and miss once a line where they were not (AMP,
 * ISPASS 2001, 3.4). */
#ifndef HWC_VISIT_H
#define HWC_VISIT_H

#include "lab.h"

struct hwc_visit {
    unsigned level;
    size_t lines;
    uint64_t spacing; /* of the lines, at least two cells */
    enum hwc_access access;
    enum hwc_type type;
};

/* On a fresh region. */
int hwc_leaves_lines(struct hwc_lab *lab, const struct hwc_visit *visit, bool *left, struct hwc_error *error);

#endif
