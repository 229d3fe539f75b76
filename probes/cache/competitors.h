/* Which lines of a conflict-free set compete with one more. */
#ifndef HWC_COMPETITORS_H
#define HWC_COMPETITORS_H

#include "conflict_test.h"

/* The kept lines without which the rejected one fits: marks them, and counts
 * them. Groups are left out first, and halved where they hold a competitor
 * (group testing; Vila et al., S&P 2019). HWC_INCONCLUSIVE where one cannot be told. */
int hwc_find_competitors(struct hwc_conflict_test *test, uint64_t rejected, size_t *found, struct hwc_error *error);

#endif
