#include "conflict_cost.h"

#include "tlb_geometry.h"

/* So many times its ways, and none is kept by chance: a random policy keeps a page that long one time in e to the eighth. */
enum { TIMES_ITS_WAYS = 8 };

static int cost(struct hwc_translation *translation, const struct hwc_tlb *tlb, double *cycles, struct hwc_error *error)
{
    size_t pages = TIMES_ITS_WAYS * (size_t)tlb->ways;
    struct hwc_estimate share;
    enum hwc_side side;

    if (pages > HWC_MOST_PAGES / TIMES_ITS_WAYS || pages * tlb->period_bytes > translation->arena.bytes / 2)
        return hwc_fail(error, HWC_UNAVAILABLE, "%zu pages of one set are too many to be timed", pages);
    TRY(hwc_translation_ask(translation, tlb->period_bytes, pages, hwc_fit_shares.most, &share, &side, error));
    *cycles = share.value * translation->miss_cycles;
    return HWC_OK;
}

int hwc_cost_conflicts(struct hwc_lab *lab, const struct hwc_tlb_side *side, unsigned level, const struct hwc_tlb *tlb,
                       double *cycles, struct hwc_error *error)
{
    struct hwc_translation translation = {0};
    int status = hwc_translation_open(&translation, lab, hwc_tlb_of(side, level), side->large, error);

    translation.own = *tlb;
    hwc_translation_by_curve(&translation, side);
    if (status == HWC_OK)
        status = cost(&translation, tlb, cycles, error);
    hwc_translation_close(&translation);
    return status;
}
