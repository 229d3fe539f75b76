/* The levels that references drawn at random show (seen_levels.h), by all that is known of them. */
#ifndef HWC_FITTED_LEVELS_H
#define HWC_FITTED_LEVELS_H

#include "lab.h"

/* Capacities are those of a level and those above it, with bounds that allow for a level being exclusive, inclusive or
 * neither. False if nothing was seen, or if it contradicts the sizes that are known. */
bool hwc_fitted_levels(const struct hwc_lab *lab, struct hwc_levels_fit *fit);

/* A level whose ways are not known may have fewer than that fit assumed. Of pages at random places, its sets are then too
 * full long before it is, and what these miss would pass for what its hits take: widens the bounds of cycles. Takes as long
 * as a fit. */
void hwc_allow_few_ways(const struct hwc_lab *lab, struct hwc_levels_fit *fit);

/* How many times as much may a level hold as is seen to be kept, by references of which that share are hits? A hit in an
 * exclusive one takes the line out, and its sets have ways empty until something is evicted into them. */
double hwc_unseen_room(const struct hwc_lab *lab, unsigned level, double hits);

/* Do others keep lines out of this level, from 1, whose size is known, so that the fit shows less of it? References that
 * its hits serve are then among those that are made to miss. */
bool hwc_others_hold_part(const struct hwc_lab *lab, const struct hwc_levels_fit *fit, unsigned level);

/* What is bounded by such references: why it has no value, and how many times apart bounds may be to say anything. */
#define HWC_WHY_BOUNDED "bounded by how long references drawn at random take"
#define HWC_WIDEST_BOUNDS 4.0

#endif
