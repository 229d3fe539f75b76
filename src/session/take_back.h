/* What a probe found, taken back, so that it can run once more as if it never had. */
#ifndef HWC_TAKE_BACK_H
#define HWC_TAKE_BACK_H

#include "lab.h"
#include "profile.h"

struct hwc_found_before;

/* Remember what was found until now. NULL if there is no memory for it; else the caller's to free(). */
struct hwc_found_before *hwc_remember_found(const struct hwc_lab *lab, const struct hwc_profile *profile);

/* Findings, curves, matrices, notes and what is known are again those that were remembered. */
void hwc_take_back(const struct hwc_found_before *before, struct hwc_lab *lab, struct hwc_profile *profile);

#endif
