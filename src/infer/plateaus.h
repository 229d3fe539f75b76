/* Plateaus of a latency curve, cycles per reference against footprint: each is
 * a level that serves; the last is memory. Pure. */
#ifndef HWC_PLATEAUS_H
#define HWC_PLATEAUS_H

#include <stddef.h>

#define HWC_MAX_CURVE 128

struct hwc_curve {
    size_t points;
    double bytes[HWC_MAX_CURVE];
    double cycles[HWC_MAX_CURVE]; /* per reference */
};

struct hwc_plateau {
    double first_bytes, last_bytes;
    double cycles;
};

#define HWC_MAX_PLATEAUS 8
/* Points that follow each other on a plateau differ by less. */
#define HWC_FLAT_STEP 1.06
/* What is read off plateaus errs by so much of itself: the standard deviation of values spread evenly over that. */
#define HWC_PLATEAU_ERROR ((HWC_FLAT_STEP - 1) / 3.4641) /* the square root of 12 */

/* Find plateaus: at least three neighbouring points within 6 % of each other
 * step by step; neighbours closer than 15 % are one. Returns how many. */
size_t hwc_find_plateaus(const struct hwc_curve *curve, struct hwc_plateau *plateaus);

#endif
