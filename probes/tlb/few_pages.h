/* The geometry of a TLB whose misses show no plateau where many pages are in use, from few pages that share a set: their
 * page tables stay in the first cache, and all walks take the same. */
#ifndef HWC_FEW_PAGES_H
#define HWC_FEW_PAGES_H

#include "tlb_geometry.h"

/* side->few is known, and the curve rises at the level. HWC_UNAVAILABLE or HWC_INCONCLUSIVE where what is seen does not
 * fit any sets and ways. */
int hwc_find_geometry_by_few(struct hwc_translation *translation, const struct hwc_tlb_side *side,
                             struct hwc_tlb_geometry *found, struct hwc_error *error);

#endif
