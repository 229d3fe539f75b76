/* Does a kind of reference leave the lines that it visits in a level? Flush a
 * region smaller than the level, visit it, and load from it: the loads hit
 * where lines were left, and miss once a line where they were not (AMP,
 * ISPASS 2001, 3.4). */
#ifndef HWC_RESIDENCY_TEST_H
#define HWC_RESIDENCY_TEST_H

#include "finding.h"

struct hwc_residency_test {
    unsigned level;
    uint64_t bytes; /* of the region */
    enum hwc_access access;
    enum hwc_type type;
    bool yes_if_not_left; /* what the finding says: that lines are left, or that they are not */
};

/* By a vote, each ballot on a fresh region; unknown if the level's geometry is, or if its lines are too short. */
int hwc_find_whether_left(struct hwc_lab *lab, const struct hwc_residency_test *visit, struct hwc_finding *finding,
                          struct hwc_error *error);

#endif
