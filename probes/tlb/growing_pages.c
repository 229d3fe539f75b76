#include "growing_pages.h"

#include <math.h>

/* AMP 3.10: thrashing that subsides. By time, most of it must: a part of the translation time subsides, too, once
 * caches hold the page tables. */
static const struct {
    double thrashes;         /* at first more than this share of the references misses */
    double subsides;         /* at last less than this share of those still does, by a count */
    double subsides_in_time; /* the same by time, of which page tables may take two thirds */
    int times;               /* as often in a row: what subsides once may have been the work of other programs */
} growth = {.thrashes = 0.5, .subsides = 0.5, .subsides_in_time = 0.1, .times = 3};

static int watch_once(struct hwc_lab *lab, const struct hwc_tlb_side *side, size_t pages, double *at_first,
                      double *at_last, struct hwc_error *error)
{
    struct hwc_translation translation = {0};
    int status = hwc_translation_open(&translation, lab, hwc_tlb_of(side, 1), side->large, error);

    if (status == HWC_OK)
        status = hwc_translation_watch(&translation, pages, at_first, at_last, error);
    hwc_translation_close(&translation);
    return status;
}

int hwc_watch_pages(struct hwc_lab *lab, struct hwc_tlb_side *side, struct hwc_error *error)
{
    const struct hwc_witness *witness = &lab->structure_witness[hwc_tlb_of(side, 1)];
    size_t pages = hwc_most_pages(lab, side);
    double at_first = 0, at_last = 0, left = hwc_counts(witness) ? growth.subsides : growth.subsides_in_time;
    int status = HWC_OK;

    side->pages_grow = hwc_can_answer(witness);
    for (int i = 0; i < growth.times && side->pages_grow; i++) {
        status = watch_once(lab, side, pages, &at_first, &at_last, error);
        side->pages_grow = status == HWC_OK && at_first > growth.thrashes && at_last < left * at_first;
    }
    if (side->pages_grow) {
        hwc_know_pages_grow(lab);
        hwc_note(&lab->notes,
                 "the operating system grows pages that thrash the TLB: %s of %zu pages side by side took misses at "
                 "first, and %.0f %% of these later; pages apart were looked at instead",
                 side->code ? "fetches" : "loads", pages, 100 * fmax(at_last, 0) / at_first);
    }
    return status;
}
