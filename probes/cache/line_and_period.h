/* Line and period of a level: the smallest distance that takes competing lines to
 * different sets, and the one at which they share a set again, whether address
 * bits or a hash of them choose the set. */
#ifndef HWC_LINE_AND_PERIOD_H
#define HWC_LINE_AND_PERIOD_H

#include "conflict_test.h"

/* `rejected`: the first rejected line, with which the kept lines marked in
 * test->competes compete, and the last. Fills line_bytes and, unless the test is
 * one_at_a_time, period_bytes. HWC_INCONCLUSIVE if no distance parts the lines, or
 * the index is hashed, which only lines on many pages resolve; the level is then
 * marked as hashed. */
int hwc_find_line_and_period(struct hwc_conflict_test *test, const uint64_t rejected[2], size_t competitors,
                             struct hwc_geometry *geometry, struct hwc_error *error);

#endif
