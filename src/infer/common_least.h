/* Readings to which others only add: the least that enough of them have in common. Pure.
 *
 * Whoever works on the core's other half does so for a while, in which readings are
 * alike, too, and longer: that others took longer does not speak against the least.
 * One alone may be less by an error. */
#ifndef HWC_COMMON_LEAST_H
#define HWC_COMMON_LEAST_H

#include <stdbool.h>

struct hwc_common_least {
    double value;    /* the median of those alike */
    unsigned alike;  /* so many have it */
    unsigned lesser; /* and so many less */
};

/* The least that `enough` of at most HWC_MAX_VOTES readings have, from the least of which the others differ by such a
 * share at most, if no more than one is less. False if there is none. */
bool hwc_find_common_least(const double *readings, unsigned count, double within, unsigned enough,
                           struct hwc_common_least *found);

#endif
