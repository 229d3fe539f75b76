/* An eviction set at other places of its pages.
 *
 * Lines that share a set share one when all of them are moved to another place of their pages, too: the index takes what a
 * move changes in the same way for each of them, hashed or not. So one eviction set is many, for a few questions each,
 * and lines of others hold ways of some of them only. */
#ifndef HWC_ELSEWHERE_H
#define HWC_ELSEWHERE_H

#include "conflict_test.h"

enum hwc_elsewhere {
    HWC_ELSEWHERE_UNKNOWN,
    HWC_ELSEWHERE_ALIKE, /* as many lines, and no fewer, evict one more at other places */
    HWC_ELSEWHERE_MORE,  /* so many do not: others held ways of the set that was found */
};

/* For the eviction set that was found last. Where others may work, each place is asked about at another moment. */
int hwc_ask_elsewhere(struct hwc_conflict_test *test, enum hwc_elsewhere *found, struct hwc_error *error);

#endif
