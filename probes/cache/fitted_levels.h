/* The levels that references drawn at random show (seen_levels.h), by all that is known of them. */
#ifndef HWC_FITTED_LEVELS_H
#define HWC_FITTED_LEVELS_H

#include "lab.h"

/* Capacities are those of a level and those above it, with bounds that allow for a level being exclusive, inclusive or
 * neither. False if nothing was seen, or if it contradicts the sizes that are known. */
bool hwc_fitted_levels(const struct hwc_lab *lab, struct hwc_levels_fit *fit);

#endif
