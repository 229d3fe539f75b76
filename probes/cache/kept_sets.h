/* Sets of a level that were found, for the probes that come after: to find one takes a hundred milliseconds and more. */
#ifndef HWC_KEPT_SETS_H
#define HWC_KEPT_SETS_H

#include "set_of_lines.h"

/* A set that was found on the plan's arena, of so many lines, with up to so many evictors. No probe gets the same one
 * twice. */
bool hwc_take_kept_set(struct hwc_lab *lab, const struct hwc_conflict_plan *plan, size_t lines, size_t evictors,
                       struct hwc_set *set);

/* Keep it for others, with so many evictors, if the plan's arena is kept; the probe that found it does not get it again. */
void hwc_keep_set(struct hwc_lab *lab, const struct hwc_conflict_plan *plan, const struct hwc_set *set,
                  size_t evictors);

#endif
