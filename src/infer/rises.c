#include "rises.h"

#include <math.h>

/* A level adds a count for each reference, or a factor of it. Between two points that lie on the way up, counts differ by
 * `slope` at least. */
static const struct {
    double least, slope, narrow, tenth;
} policy = {.least = 0.25, .slope = 0.08, .narrow = 1.45, .tenth = 0.1};

void hwc_rise_add(struct hwc_rise_points *points, double size, double value)
{
    size_t at = points->count;

    if (points->count == HWC_MOST_RISE_POINTS)
        return;
    for (; at > 0 && points->size[at - 1] > size; at--) {
        points->size[at] = points->size[at - 1];
        points->value[at] = points->value[at - 1];
    }
    points->size[at] = size;
    points->value[at] = value;
    points->count++;
}

/* The greatest value tells how much a rise is worth: a counter may count two thirds of all misses. Less than a tenth is
 * none. */
static double unit_of(const struct hwc_rise_points *points)
{
    double most = 0;

    for (size_t i = 0; i < points->count; i++)
        most = fmax(most, points->value[i]);
    return fmax(fmin(most, 1), policy.tenth);
}

bool hwc_rise_gap(const struct hwc_rise_points *points, double *size)
{
    double unit = unit_of(points), widest = policy.narrow;

    if (points->count == HWC_MOST_RISE_POINTS)
        return false;
    for (size_t i = 1; i < points->count; i++) {
        double ratio = points->size[i] / points->size[i - 1];
        if (fabs(points->value[i] - points->value[i - 1]) < policy.slope * unit || ratio <= widest)
            continue;
        widest = ratio;
        *size = sqrt(points->size[i] * points->size[i - 1]);
    }
    return widest > policy.narrow;
}

static double half_way(const struct hwc_rise_points *points, size_t first, size_t last)
{
    double half = (points->value[first] + points->value[last]) / 2;

    for (size_t i = first + 1; i <= last; i++)
        if (points->value[i] >= half) {
            double share = (half - points->value[i - 1]) / (points->value[i] - points->value[i - 1]);
            return points->size[i - 1] * pow(points->size[i] / points->size[i - 1], share);
        }
    return points->size[last];
}

unsigned hwc_find_rises(const struct hwc_rise_points *points, struct hwc_rise rises[HWC_MOST_RISES])
{
    double unit = unit_of(points);
    unsigned count = 0;

    for (size_t i = 1; i < points->count && count < HWC_MOST_RISES; i++) {
        size_t first = i - 1;
        while (i < points->count && points->value[i] - points->value[i - 1] >= policy.slope * unit)
            i++;
        if (points->value[i - 1] - points->value[first] < policy.least * unit)
            continue;
        rises[count++] = (struct hwc_rise){.low = points->size[first],
                                           .high = points->size[i - 1],
                                           .half = half_way(points, first, i - 1),
                                           .from = points->value[first],
                                           .to = points->value[i - 1]};
    }
    return count;
}
