/* What a level takes at most, by the mean time of references drawn at random. Pure.
 *
 * Of a footprint the levels above hold no more than they are large, whatever their policy, index or inclusion, and a
 * reference drawn without regard to what they hold is one of theirs no more often than that. The rest is served by this
 * level or farther, so that what the rest takes in the mean is no less than what this level takes. Others and misses of
 * this level only add to it. */
#ifndef HWC_MOST_OF_REST_H
#define HWC_MOST_OF_REST_H

#include "levels_fit.h"

/* The least of it over all footprints, where the levels above are so many bytes large; cycles, as the curve's, that is,
 * with what drawing adds. INFINITY if no footprint is larger. */
double hwc_most_of_rest(const struct hwc_drawn_curve *curve, double bytes_above);

#endif
