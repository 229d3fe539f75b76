/* At which distances competing lines part, and where they meet again: line and
 * period of a level, be its sets chosen by address bits or by a hash of them. */
#ifndef HWC_DISTANCES_H
#define HWC_DISTANCES_H

#include "question.h"

/* Of a full set of kept lines: the first stranger, with which the lines marked
 * as competing do, and the last. Fills line_bytes and period_bytes.
 * HWC_UNAVAILABLE where nothing parts them, or a hash shows that only many pages
 * would see through; the level is then marked as hashed. */
int hwc_find_distances(struct hwc_search *search, const uint64_t strangers[2], size_t competitors,
                       struct hwc_geometry *geometry, struct hwc_error *error);

#endif
