/* The levels of data caches, as references drawn at random show them (drawn.h, levels_fit.h). */
#ifndef HWC_SEEN_LEVELS_H
#define HWC_SEEN_LEVELS_H

#include "lab.h"

/* Draw references from footprints that grow until memory shows, and fit levels to their time. The points and the fit
 * become known. They show no level if the first one is not as large as it is known to be; if it is not known, another
 * look must agree. Needs a clock, and nothing that other probes find. */
int hwc_see_levels(struct hwc_lab *lab, struct hwc_error *error);

/* The same, unless some have been seen. That it comes to nothing is no error. */
int hwc_see_levels_once(struct hwc_lab *lab, struct hwc_error *error);

/* Does memory show in these references, by the levels that are known now? Else what follows the last one may be
 * another. */
bool hwc_memory_shows(const struct hwc_lab *lab);

/* Bytes from one such reference to the next place: a line of the first level, or the usual one if that is not known. */
uint64_t hwc_drawn_spacing(const struct hwc_lab *lab);

/* hwc_fit_levels, with the cycles of a chain: drawn references also compute addresses, which takes as long at every
 * level; or less where references take longer, if a busy sibling makes that longer than the quickest reading shows.
 * `first_cycles`: of a line that the first level serves, in a chain. */
void hwc_fit_chain(const struct hwc_drawn_curve *curve, double first_cycles, struct hwc_levels_fit *fit);

#endif
