/* What a miss of a level of translation adds to a reference, always by the clock: as the curve of time against pages has
 * it, and as the few pages of one set do. */
#ifndef HWC_TLB_PENALTY_H
#define HWC_TLB_PENALTY_H

#include "finding.h"
#include "tlb_curve.h"

/* A value, or bounds where it may be off by much or depends on how many pages are in use. entries: what votes found;
 * tlb: the same with ways and pages, or all zero. */
int hwc_report_tlb_penalty(struct hwc_lab *lab, const struct hwc_tlb_side *side, unsigned level,
                           const struct hwc_result *entries, const struct hwc_tlb *tlb, struct hwc_finding *finding,
                           struct hwc_error *error);

#endif
