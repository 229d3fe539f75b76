/* How many data-cache levels there are, and roughly how large: found by both
 * witnesses, before any level is looked at closely. */
#ifndef HWC_HIERARCHY_SCAN_H
#define HWC_HIERARCHY_SCAN_H

#include "lab.h"

/* First level, before anything is known: what a hit costs, and roughly what a
 * miss costs. Fills lab->witness[1] where the clock answers. */
int hwc_calibrate_first(struct hwc_lab *lab, struct hwc_error *error);

/* Once the first level is known: count the levels, bound their capacities
 * (lab->known->level[i].rough_low and rough_high), calibrate the clock for each. */
int hwc_find_levels(struct hwc_lab *lab, struct hwc_error *error);

#endif
