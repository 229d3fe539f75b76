/* The latency curve: cycles per reference against footprint. */
#ifndef HWC_CURVE_H
#define HWC_CURVE_H

#include <stdint.h>

#include "lab.h"
#include "plateaus.h"

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
