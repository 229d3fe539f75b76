/* Does the operating system merge pages that thrash the TLB into larger ones, as
 * IRIX did (AMP, ISPASS 2001, 3.10)? Then adjacent pages do not stay what they
 * were, and nothing may be measured with them. */
#ifndef HWC_GROWING_PAGES_H
#define HWC_GROWING_PAGES_H

#include "tlb_curve.h"

/* Use many adjacent pages until the system has had time, and see whether misses subside. Fills side->pages_grow. */
int hwc_watch_pages(struct hwc_lab *lab, struct hwc_tlb_side *side, struct hwc_error *error);

#endif
