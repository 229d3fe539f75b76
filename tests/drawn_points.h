/* Curves that were measured, as the fit gets them. */
#ifndef HWC_TESTS_DRAWN_POINTS_H
#define HWC_TESTS_DRAWN_POINTS_H

#include "levels_fit.h"

struct drawn_point {
    double size, cycles, error; /* size in units of so many bytes */
};

static inline struct hwc_drawn_curve curve_of_points(const struct drawn_point *points, size_t count, double unit)
{
    struct hwc_drawn_curve curve = {.points = count, .least_ways = 4, .rivals = true};

    for (size_t i = 0; i < count; i++) {
        curve.bytes[i] = unit * points[i].size;
        hwc_tally_add(&curve.cycles[i], points[i].cycles);
        curve.reading[i] = points[i].error;
    }
    return curve;
}

#endif
