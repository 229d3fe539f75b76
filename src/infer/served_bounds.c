#include "served_bounds.h"

/* In pages at random, sets overflow one by one before a level is full: a few are served from below. */
static const double nearly_all = 0.9;

void hwc_bound_by_served(const struct hwc_served_point *points, size_t count, double *low, double *high)
{
    size_t i = 0;

    while (i < count && points[i].share >= nearly_all)
        i++;
    *low = i > 0 ? points[i - 1].bytes : 0;
    *high = i < count ? points[i].bytes : 0;
}
