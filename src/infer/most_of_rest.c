#include "most_of_rest.h"

#include <math.h>

static const struct {
    double larger, errors;
} policy = {
    .larger = 1.5, /* of a footprint that is hardly larger, the rest is little, and what it takes uncertain */
    .errors = 3,   /* the least of many points is one of those that are too low by chance */
};

/* No reference takes less. */
static double quickest(const struct hwc_drawn_curve *curve)
{
    double least = curve->quickest > 0 ? curve->quickest : INFINITY;

    for (size_t i = 0; i < curve->points; i++)
        least = fmin(least, curve->cycles[i].mean);
    return least;
}

double hwc_most_of_rest(const struct hwc_drawn_curve *curve, double bytes_above)
{
    double above = quickest(curve), least = INFINITY;

    for (size_t i = 0; i < curve->points; i++) {
        double share = bytes_above / curve->bytes[i];
        double most = curve->cycles[i].mean + policy.errors * hwc_drawn_error(curve, i);
        if (curve->bytes[i] >= policy.larger * bytes_above)
            least = fmin(least, (most - share * above) / (1 - share));
    }
    return least;
}
