/* How large a level is, by how much of growing footprints it serves. */
#ifndef HWC_SERVED_BOUNDS_H
#define HWC_SERVED_BOUNDS_H

#include <stddef.h>

struct hwc_served_point {
    double bytes;
    double share; /* of the loads that the level or those above served */
};

/* `low`: the largest footprint up to which nearly all are; `high`: the smallest, beyond that, of which they are not.
 * 0 = there is none. Points in ascending order. */
void hwc_bound_by_served(const struct hwc_served_point *points, size_t count, double *low, double *high);

#endif
