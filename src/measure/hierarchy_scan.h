/* How many data-cache levels there are, and roughly how large: found by counter
 * and clock, before any level is looked at closely. */
#ifndef HWC_HIERARCHY_SCAN_H
#define HWC_HIERARCHY_SCAN_H

#include "lab.h"

/* Before anything is known: what a hit of the first level costs, and roughly
 * what a miss costs. Sets both in lab->witness[1]. Needs a clock. */
int hwc_calibrate_first(struct hwc_lab *lab, struct hwc_error *error);

/* Count the levels, bound their capacities (lab->known->level[i].rough_low and rough_high), calibrate the clock for
 * each. By the clock it needs nothing that was found before; by counters, the first level. */
int hwc_find_levels(struct hwc_lab *lab, struct hwc_error *error);

/* May the level be of this size, though footprints show another, because the next one, of which others leave little, hides
 * it? They then show both, if one of this size is known to be there. */
bool hwc_may_be_hidden(const struct hwc_lab *lab, unsigned level, uint64_t bytes);

/* Once the size of a level has been measured: where the levels that were seen have none of that size, others had made two
 * pass for one. Then they are told once more, with one of this size among them, and there may be more of them. */
int hwc_reconsider_levels(struct hwc_lab *lab, unsigned level, struct hwc_error *error);

/* Do the times of footprints show the levels found for certain, those whose size is known among them, and memory behind
 * the last? */
bool hwc_are_all_levels(const struct hwc_lab *lab);

#endif
