/* Bounds of the entries of a TLB for code, where they could not be counted. */
#ifndef HWC_SIDE_BY_SIDE_H
#define HWC_SIDE_BY_SIDE_H

#include "tlb_curve.h"

/* Of ordinary pages. HWC_INCONCLUSIVE if the points around the curve's step do not show where it begins and ends; the
 * finding stays as it is then. */
int hwc_bound_entries(struct hwc_lab *lab, const struct hwc_tlb_side *side, unsigned level, struct hwc_finding *entries,
                      struct hwc_error *error);

#endif
