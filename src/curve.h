/* The latency curve: cycles per reference against footprint, and the plateaus
 * in it. Each plateau is a level that serves; the last is memory. */
#ifndef HWC_CURVE_H
#define HWC_CURVE_H

#include <stddef.h>
#include <stdint.h>

#include "lab.h"

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

/* Find plateaus: at least three neighbouring points within 6 % of each other
 * step by step; neighbours closer than 15 % are one. Pure. Returns how many. */
size_t hwc_find_plateaus(const struct hwc_curve *curve, struct hwc_plateau *plateaus);

/* Time random chains (hwc_footprint_of) through ever more lines, translation
 * taken off, footprints growing from `first_bytes` on, four to an octave, until
 * nothing changes over two and a half octaves (and at least up to half a
 * million lines), then once at two million to see that nothing more comes;
 * where something does, on until there. Ends earlier at a plateau as slow as
 * flushed lines: that is memory. */
int hwc_measure_curve(struct hwc_lab *lab, uint64_t first_bytes, struct hwc_curve *curve, struct hwc_error *error);

/* Time the points of short plateaus again, on other pages, and keep the
 * medians: where pages lie at random, three points of a slope are now and then
 * alike by luck. The last plateau, memory, is left as it is. */
int hwc_confirm_short_plateaus(struct hwc_lab *lab, struct hwc_curve *curve, struct hwc_error *error);

#endif
