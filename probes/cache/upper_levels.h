/* What the levels above may hide from a search for conflicts. */
#ifndef HWC_UPPER_LEVELS_H
#define HWC_UPPER_LEVELS_H

#include "conflict_test.h"

/* Do evictors stay out of the kept lines' sets, and do they evict these lines
 * from the levels above? HWC_INCONCLUSIVE if not. */
int hwc_check_evictors(struct hwc_conflict_test *test, struct hwc_error *error);

/* Without evictors, by time: do the kept lines take as long as this level does? Where footprints do not tell two levels
 * apart, a miss is believed to take as long as one of the second, and the lines that compete are the second one's.
 * HWC_INCONCLUSIVE if they take several times as long: that is then what a miss takes at most (lab->witness). */
int hwc_check_near(struct hwc_conflict_test *test, struct hwc_error *error);

/* How many lines fit when the levels above may keep some: without evictors, the
 * kept lines and as many of the other candidates as still fit. */
int hwc_count_without_evictors(struct hwc_conflict_test *test, size_t competitors, uint64_t *kept,
                               struct hwc_error *error);

/* Without evictors: do references that the level above serves keep a line alive
 * here? Fills geometry->recency where that shows. */
int hwc_check_recency(struct hwc_conflict_test *test, uint64_t rejected, struct hwc_geometry *geometry,
                      struct hwc_error *error);

#endif
