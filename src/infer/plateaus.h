/* Plateaus of a latency curve, cycles per reference against footprint: each is
 * a level that serves the references, the last is memory. Pure. */
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
/* Neighbouring points of a plateau differ by less than this factor. */
#define HWC_FLAT_STEP 1.06
/* Relative standard error of a value read off a plateau: the standard deviation of values spread evenly over a step. */
#define HWC_PLATEAU_ERROR ((HWC_FLAT_STEP - 1) / 3.4641) /* the square root of 12 */

/* Find plateaus: at least three points, each within 6 % of the one before.
 * Adjacent plateaus less than 15 % apart are joined. Returns how many there are. */
size_t hwc_find_plateaus(const struct hwc_curve *curve, struct hwc_plateau *plateaus);

#endif
