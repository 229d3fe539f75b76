/* The latency curve: cycles per reference against footprint. */
#ifndef HWC_CURVE_H
#define HWC_CURVE_H

#include <stdint.h>

#include "lab.h"
#include "plateaus.h"

/* Time random chains (hwc_footprint_of), with the time of translation
 * subtracted, over footprints that grow from `first_bytes` on, four to an
 * octave. Beyond half a million lines, once nothing has changed for two and a
 * half octaves, one point at two million lines shows whether another step
 * follows; if so, the curve goes on until it gets there. Ends earlier at a
 * plateau as slow as flushed lines, which is memory.
 *
 * `before` is a curve of earlier looks, or has no points: those of very long
 * walks, over which disturbances and the places of pages even out, are taken
 * from it. Loses its points if a hash is found now: they were of thinned
 * footprints. */
int hwc_measure_curve(struct hwc_lab *lab, uint64_t first_bytes, struct hwc_curve *before, struct hwc_curve *curve,
                      struct hwc_error *error);

/* Time the points of short plateaus again, on other pages, and keep the
 * medians: with randomly placed pages, three points of a slope now and then
 * agree by chance. The last plateau, memory, is left as it is. */
int hwc_confirm_short_plateaus(struct hwc_lab *lab, struct hwc_curve *curve, struct hwc_error *error);

#endif
