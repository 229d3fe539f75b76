/* Does the operating system make larger pages of some that thrash the TLB, as
 * IRIX did (AMP, ISPASS 2001, 3.10)? Then pages side by side are no longer what
 * they were, and nothing may be asked of them. */
#ifndef HWC_GROWING_PAGES_H
#define HWC_GROWING_PAGES_H

#include "tlb_curve.h"

/* Use many pages side by side until the system has had time, and see whether misses subside. Fills side->pages_grow. */
int hwc_watch_pages(struct hwc_lab *lab, struct hwc_tlb_side *side, struct hwc_error *error);

#endif
