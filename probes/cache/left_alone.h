/* Does anybody else put lines out of the first level? Lines of one set that fit are visited, left alone for some thousand
 * cycles, and visited again. Whoever works on the core's other thread leaves the time of loads and additions as it is while
 * he waits for memory, but what he brings in takes room (prime and probe: Osvik et al., CT-RSA 2006). */
#ifndef HWC_LEFT_ALONE_H
#define HWC_LEFT_ALONE_H

#include "lab.h"

/* `lines` lines, `stride` apart from `first` on, fit one set of the first level. *stay: after a while all are still there.
 * By the clock. */
int hwc_ask_whether_lines_stay(struct hwc_lab *lab, const struct hwc_arena *arena, uint64_t first, uint64_t stride,
                               size_t lines, bool *stay, struct hwc_error *error);

#endif
