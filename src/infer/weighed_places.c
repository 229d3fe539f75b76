#include "weighed_places.h"

#include <math.h>

enum { FEWEST_POINTS = 3 };

/* Things may be put into places in groups: so many places may be taken, or not, at each point. */
static const double off = 2;

static bool lies_on(const struct hwc_weighed *point, const struct hwc_weighed *last, double each)
{
    double expected = (double)last->fit + each * (double)(last->beside - point->beside);

    return fabs((double)point->fit - expected) <= off * fmax(each, 1);
}

/* Are all points on the line through the first and the last? */
static bool is_line(const struct hwc_weighed *points, size_t count, double each)
{
    for (size_t i = 1; i + 1 < count; i++)
        if (!lies_on(&points[i], &points[count - 1], each))
            return false;
    return true;
}

static struct hwc_places end_of_line(const struct hwc_weighed *first, const struct hwc_weighed *last, double each)
{
    double beyond = (double)last->fit / each;
    double end = (double)last->beside + beyond;
    double error = 1 + 2 * beyond / (double)(last->beside - first->beside);

    return (struct hwc_places){.known = true, .low = end - error, .high = end + error, .each = each};
}

struct hwc_places hwc_weigh_places(const struct hwc_weighed *points, size_t count)
{
    for (; count >= FEWEST_POINTS; points++, count--) {
        const struct hwc_weighed *last = &points[count - 1];
        double each = ((double)points->fit - (double)last->fit) / (double)(last->beside - points->beside);
        if (each > 0 && is_line(points, count, each))
            return end_of_line(points, last, each);
    }
    return (struct hwc_places){0};
}
