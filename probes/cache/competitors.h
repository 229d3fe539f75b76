/* Which lines of a conflict-free set compete with one more. */
#ifndef HWC_COMPETITORS_H
#define HWC_COMPETITORS_H

#include "conflict_test.h"

/* Mark and count the kept lines without which the rejected one fits. Groups of
 * lines are left out first, and halved if they hold a competitor (group testing;
 * Vila et al., S&P 2019). HWC_INCONCLUSIVE if noise hides whether they do. */
int hwc_find_competitors(struct hwc_conflict_test *test, uint64_t rejected, size_t *found, struct hwc_error *error);

#endif
