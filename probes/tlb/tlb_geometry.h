/* The geometry of one level of translation: entries, ways, the distance at
 * which pages compete, and what an entry covers.
 *
 * X-Ray's search for capacity and associativity (SIGMETRICS 2005, 3.2 and 6),
 * with pages for lines, by whichever instrument answers for the level. */
#ifndef HWC_TLB_GEOMETRY_H
#define HWC_TLB_GEOMETRY_H

#include "tlb_curve.h"

struct hwc_tlb_geometry {
    size_t ways;
    uint64_t period; /* things this far apart compete */
    uint64_t page;   /* what an entry covers */
    uint64_t entries;
    bool whole; /* that there are no more was seen while nobody else worked on the core */
};

/* Take from the curve what a miss of this level takes, less what a miss of the level above takes. */
void hwc_translation_by_curve(struct hwc_translation *translation, const struct hwc_tlb_side *side);

/* HWC_UNAVAILABLE or HWC_INCONCLUSIVE where what is seen does not fit any sets and ways. */
int hwc_find_tlb_geometry(struct hwc_translation *translation, const struct hwc_tlb_side *side,
                          struct hwc_tlb_geometry *found, struct hwc_error *error);

#endif
