/* The least of several readings: disturbances mostly add to a count or a time
 * (AMP, ISPASS 2001, 2.2). It is settled when a second reading confirms it. */
#ifndef HWC_LEAST_H
#define HWC_LEAST_H

#include <stdbool.h>

struct hwc_least {
    unsigned taken;
    double value, second; /* the least and the second least */
};

void hwc_least_add(struct hwc_least *least, double reading);

/* Are the two least readings no more than `within` apart? */
bool hwc_least_settled(const struct hwc_least *least, double within);

#endif
