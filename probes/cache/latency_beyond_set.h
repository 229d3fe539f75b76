/* Latency of a level by lines of one set of the level above (beyond_set.h). */
#ifndef HWC_LATENCY_BEYOND_SET_H
#define HWC_LATENCY_BEYOND_SET_H

#include "profile.h"

/* Do enough votes agree? Misses of the level itself, which some pages meet more of than others, only add time: where
 * the fit allows no latency as long as theirs, all votes must. */
bool hwc_is_latency_agreed(const struct hwc_finding *finding, double most);

/* What lines of one set of the level above take, which come back so soon that nobody has put them out: where no
 * footprint tells, or others may have taken of it what they liked, as the size is not known. Others also put out lines
 * of a footprint that the level holds, and all votes agree on too much. `most`: as loads drawn at random allow. */
int hwc_latency_beyond_set(struct hwc_lab *lab, unsigned level, double most, struct hwc_profile *profile,
                           struct hwc_error *error);

#endif
