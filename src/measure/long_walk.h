/* Timing very long walks by parts. */
#ifndef HWC_LONG_WALK_H
#define HWC_LONG_WALK_H

#include "lab.h"

/* Is a walk of so many lines timed by parts? */
bool hwc_is_very_long(size_t lines);

/* Time a very long walk in its steady state, in cycles a pass. In each pass the
 * beginnings of its quarters are timed, which takes little of the time, and the
 * rest is visited by loads that overlap. (A level may keep the lines of one part
 * of a walk and not those of another: one place would not do.) The first pass
 * warms. Where others disturb, passes go on until a second one confirms the
 * fastest. */
int hwc_time_by_parts(struct hwc_lab *lab, const struct hwc_arena *arena, const struct hwc_walk *walk, double *cycles,
                      struct hwc_error *error);

#endif
