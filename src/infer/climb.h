/* Where a line bends: what grows evenly from point to point begins to grow by more. Pure. */
#ifndef HWC_CLIMB_H
#define HWC_CLIMB_H

#include <stddef.h>

/* values[i] belongs to i + 1. The number up to which the values grow evenly, where each one after it adds about `rise`
 * or more; 0 if they do so to the end, or if there is no such number. */
size_t hwc_last_before_climb(const double *values, size_t count, double rise);

#endif
