/* What was counted in the clock's own walks (own_walks.h), beside the findings that it inferred from them. */
#ifndef HWC_COUNTED_WALKS_H
#define HWC_COUNTED_WALKS_H

#include "profile.h"

/* Give the clock's findings what was counted in the walks that spoke for them. */
void hwc_profile_take_walks(struct hwc_profile *profile, const struct hwc_lab *lab);

#endif
