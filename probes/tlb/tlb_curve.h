/* The time of ever more pages: each level of translation is a plateau of it
 * (Dongarra et al., ICCS 2004, Figure 3, with time for counts). It says how many
 * levels there are, from about how many pages on each is missed, and what that
 * takes. */
#ifndef HWC_TLB_CURVE_H
#define HWC_TLB_CURVE_H

#include "translation.h"

#define HWC_TLB_LEVELS HWC_MAX_TLB_LEVEL

/* One side, data or code, for pages of one size. */
struct hwc_tlb_side {
    bool code, large;
    bool pages_grow;        /* the operating system grows those that thrash */
    uint64_t large_bytes;   /* such are they as far as the machine can see */
    size_t most_large;      /* and so many are to be had */
    unsigned levels;        /* by the curve */
    size_t below[HWC_TLB_LEVELS], above[HWC_TLB_LEVELS]; /* pages: the last point before it and the first of it */
    double plateau[HWC_TLB_LEVELS]; /* cycles that a reference takes longer when the levels up to this one miss */
};

static inline enum hwc_structure hwc_tlb_of(const struct hwc_tlb_side *side, unsigned level)
{
    return side->code ? hwc_code_tlb(level) : hwc_data_tlb(level);
}

/* As many pages as the caches have lines for, so that a line of each does not miss. */
size_t hwc_most_pages(const struct hwc_lab *lab, const struct hwc_tlb_side *side);

/* Fills levels, below, above and plateau. */
int hwc_read_tlb_curve(struct hwc_lab *lab, struct hwc_tlb_side *side, struct hwc_error *error);

/* Does time rise where so many entries would be too few? What votes find and what the curve shows must be the same
 * step: noise, and other structures that code goes through, make others. */
bool hwc_is_step_of_curve(const struct hwc_tlb_side *side, unsigned level, uint64_t entries);

/* The levels of translation in such a curve: plateaus, each higher than what
 * was before by a share of it and of the time on the control. Of code, also by
 * more than this time itself varies up to there: emitted code of a hundred
 * jumps and of ten need not take the same, and what its own predictors do would
 * pass for a TLB. Fills up to two plateaus; returns how many. Pure. */
unsigned hwc_tlb_plateaus(const double *excess, const double *control, unsigned points, bool code,
                          double plateau[HWC_TLB_LEVELS]);

#endif
