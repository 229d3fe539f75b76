/* The time of references drawn at random (drawn.h), over footprints that grow. */
#ifndef HWC_DRAWN_CURVE_H
#define HWC_DRAWN_CURVE_H

#include <stdint.h>

#include "estimate.h"
#include "lab.h"
#include "levels_fit.h"

/* Cycles a reference, of references drawn in an arena that is large enough, whose cells have all been touched before. Where
 * they are drawn in visits, the time of translation is subtracted. Includes what computing addresses takes. */
int hwc_time_drawn_in(struct hwc_lab *lab, const struct hwc_arena *arena, const struct hwc_drawn *drawn,
                      struct hwc_estimate *cycles, struct hwc_error *error);

struct hwc_drawn_range {
    uint64_t line_bytes; /* of the references; the footprints consist of such lines */
    uint64_t first_bytes, last_bytes; /* footprints; as many as memory and time allow */
};

/* Add points to the curve, beyond its last one: four footprints to an octave (two, where they are large), each on fresh
 * memory, several times where that takes little; the time of translation is subtracted. Cycles are those of loads and
 * of what computes their addresses. */
int hwc_measure_drawn_curve(struct hwc_lab *lab, const struct hwc_drawn_range *range, struct hwc_drawn_curve *curve,
                            struct hwc_error *error);

#endif
