/* The least of several readings: what disturbs a count or a time mostly adds to
 * it (AMP, ISPASS 2001, 2.2). It stands when a second reading comes to the same. */
#ifndef HWC_LEAST_H
#define HWC_LEAST_H

#include <stdbool.h>

struct hwc_least {
    unsigned taken;
    double value, second; /* the least, and the next */
};

void hwc_least_add(struct hwc_least *least, double reading);

/* Do the two least agree, within so much? */
bool hwc_least_settled(const struct hwc_least *least, double within);

#endif
