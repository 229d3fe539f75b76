/* The levels of a TLB, read off the mean time of references to pages drawn at
 * random (levels_fit.h). Misses of the last level are walks of page tables, which
 * take longer the more pages there are, as fewer of the tables' lines are in a near
 * cache: at most in proportion to the pages. Where a fit takes all walks to cost
 * the same, a level seems to end later than it does. Pure. */
#ifndef HWC_WALKS_FIT_H
#define HWC_WALKS_FIT_H

#include "levels_fit.h"

/* Widen the bounds of the last level of a fit to these points, in which all walks cost the same, by what walks allow that
 * cost as much more as there are more pages. apart: it was fitted by hwc_fit_levels_apart. */
void hwc_allow_longer_walks(const struct hwc_drawn_curve *curve, bool apart, struct hwc_levels_fit *fit);

#endif
