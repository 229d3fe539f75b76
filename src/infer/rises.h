/* Where a counter's counts rise as a walk grows: each rise is a level that the walk outgrows. Pure. */
#ifndef HWC_RISES_H
#define HWC_RISES_H

#include <stdbool.h>
#include <stddef.h>

enum { HWC_MOST_RISE_POINTS = 64, HWC_MOST_RISES = 4 };

/* Counts of a reference by the size of the walk, ascending. */
struct hwc_rise_points {
    size_t count;
    double size[HWC_MOST_RISE_POINTS], value[HWC_MOST_RISE_POINTS];
};

/* From `low`, where it begins, to `high`, where it has ended; half of it is reached at `half`. */
struct hwc_rise {
    double low, high, half;
    double from, to; /* counts of a reference */
};

/* Add a point in its place; one too many is dropped. */
void hwc_rise_add(struct hwc_rise_points *points, double size, double value);

/* Is there a gap worth another look? The walk's size in the middle of it: of those whose ends differ by more than a rise
 * has at least, the widest, unless all are narrower than half an octave. */
bool hwc_rise_gap(const struct hwc_rise_points *points, double *size);

/* The rises, at most HWC_MOST_RISES of them; how many. */
unsigned hwc_find_rises(const struct hwc_rise_points *points, struct hwc_rise rises[HWC_MOST_RISES]);

#endif
