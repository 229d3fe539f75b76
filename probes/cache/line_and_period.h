/* The least distance that takes competing lines to different sets, and the one
 * at which they share a set again: line and period of a level, be its sets chosen
 * by address bits or by a hash of them. */
#ifndef HWC_LINE_AND_PERIOD_H
#define HWC_LINE_AND_PERIOD_H

#include "conflict_test.h"

/* Of a full set of kept lines: the first line that was rejected, with which those
 * marked compete, and the last. Fills line_bytes and period_bytes.
 * HWC_INCONCLUSIVE where no distance takes them apart, or a hash shows that only
 * many pages would see through; the level is then marked as hashed. */
int hwc_find_line_and_period(struct hwc_conflict_test *test, const uint64_t rejected[2], size_t competitors,
                             struct hwc_geometry *geometry, struct hwc_error *error);

#endif
