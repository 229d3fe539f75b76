/* How many places there are, where the things that fill them may share some. Pure.
 *
 * Things of a first kind take places of which nobody knows how many hold one of a second kind. Beside a growing number of
 * the first kind fewer and fewer of the second find room, on a line: its slope says how many of the second take as much
 * as one of the first, and its end how many of the first would fill all places. So what a thing of the second kind takes
 * need not be known. */
#ifndef HWC_WEIGHED_PLACES_H
#define HWC_WEIGHED_PLACES_H

#include <stdbool.h>
#include <stddef.h>

struct hwc_weighed {
    size_t beside; /* so many of the first kind, */
    size_t fit;    /* beside which at most so many of the second fit */
};

struct hwc_places {
    bool known;
    double low, high; /* places, each of which holds one of the first kind */
    double each;      /* so many of the second kind take as much as one of the first */
};

/* By ascending numbers of the first kind. Not known: fewer than three points lie on one falling line. Those beside the
 * fewest may lie below it, as so many things are not even counted out in the time of a miss. */
struct hwc_places hwc_weigh_places(const struct hwc_weighed *points, size_t count);

#endif
