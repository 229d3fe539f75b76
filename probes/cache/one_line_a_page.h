/* One line of each of many pages: does the second cache hold them? */
#ifndef HWC_ONE_LINE_A_PAGE_H
#define HWC_ONE_LINE_A_PAGE_H

#include "lab.h"

/* Pages lie at random, and a prefetch may bring a line for each that is read, so that they may be half as many as would fit.
 * What lines take that are put out, as more of them lie in some of its sets than these have ways, must be little beside
 * what a TLB's misses take, which the witness times, if all of the pages miss it. */
bool hwc_second_cache_holds(const struct hwc_lab *lab, size_t lines, const struct hwc_witness *tlb);

#endif
