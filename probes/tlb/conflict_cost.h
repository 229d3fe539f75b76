/* What a miss of a TLB takes where few pages are in use. */
#ifndef HWC_CONFLICT_COST_H
#define HWC_CONFLICT_COST_H

#include "tlb_curve.h"

/* Cycles that a miss of this level, of such a geometry, adds: of pages that all lie in one of its sets, far more than its
 * ways. Less where the policy keeps some of them in spite of that. HWC_UNAVAILABLE if so many pages are more than can be
 * timed. */
int hwc_cost_conflicts(struct hwc_lab *lab, const struct hwc_tlb_side *side, unsigned level, const struct hwc_tlb *tlb,
                       double *cycles, struct hwc_error *error);

/* The same where nothing is known of the level yet but that the curve rises on: of pages so far apart that more of them
 * than any set has ways lie in one. Fills side->few. HWC_INCONCLUSIVE where what they take depends on how far apart they
 * lie, or they take no longer. */
int hwc_cost_few_pages(struct hwc_lab *lab, struct hwc_tlb_side *side, unsigned level, struct hwc_error *error);

#endif
