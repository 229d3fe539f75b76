/* What backs memory that was requested as large pages? */
#ifndef HWC_BACKING_H
#define HWC_BACKING_H

#include "finding.h"
#include "lab.h"

/* Entries of the first data TLB cover so much of such memory as of ordinary pages: *page becomes known. If they cover more,
 * or nobody can tell, it stays unknown. */
int hwc_find_small_backing(struct hwc_lab *lab, struct hwc_finding *page, struct hwc_error *error);

#endif
