/* What else could explain the points as well as chance allows: bounds of capacities and cycles (levels_fit.h). Pure. */
#ifndef HWC_LEVELS_BOUNDS_H
#define HWC_LEVELS_BOUNDS_H

#include "hierarchy_model.h"
#include "levels_fit.h"

/* The levels of this hierarchy and their bounds. How many are told stays. */
void hwc_bound_levels(const struct hwc_fitting *fitting, const struct hwc_hierarchy *best, struct hwc_levels_fit *fit);

/* Losses that would explain the points better are possible, too: then hits of the last level take less than it seems.
 * Where they are certain, they count alone. `without`: what was bounded. */
void hwc_allow_losses(const struct hwc_fitting *fitting, const struct hwc_hierarchy *without,
                      struct hwc_levels_fit *fit);

#endif
