#include "miss_cost.h"

#include <math.h>

/* From one number of lines to the second next; and where lines begin to miss the next level, too, whose misses take several
 * times as long: some of them, as soon as they are a few more. */
static const double as_level = 1.05, jump = 3;

bool hwc_is_cost_level(const double *longer, unsigned heights, double least)
{
    return heights > 2 && longer[heights - 3] > least && longer[heights - 1] < as_level * longer[heights - 3];
}

static unsigned find_first_slower(const double *longer, unsigned heights, double least)
{
    unsigned first = heights;

    while (first > 0 && longer[first - 1] > least)
        first--;
    return first;
}

static unsigned find_jump(const double *longer, unsigned heights, unsigned first)
{
    unsigned i = first + 1;

    while (i < heights && longer[i] <= jump * longer[first])
        i++;
    return i;
}

bool hwc_makes_difference(double one, double other)
{
    return one > as_level * other || other > as_level * one;
}

bool hwc_may_be_part_of_miss(const double *longer, unsigned heights, double least, double most, unsigned *first)
{
    *first = find_first_slower(longer, heights, least);
    if (*first + 2 >= heights || find_jump(longer, heights, *first) != *first + 1)
        return false;
    for (unsigned i = *first + 1; i < heights; i++)
        if (longer[i] > as_level * most || hwc_makes_difference(longer[i], longer[*first + 1]))
            return false;
    return true;
}

/* Where more lines make the least difference; if too few are left to tell, of the most. */
double hwc_cost_of_miss(const double *longer, unsigned heights, double least)
{
    unsigned first = find_first_slower(longer, heights, least), end, at;
    double growth = INFINITY;

    if (first == heights)
        return 0;
    end = find_jump(longer, heights, first);
    at = end - 1;
    for (unsigned i = first; i + 2 < end; i++)
        if (longer[i + 2] / longer[i] < growth) {
            growth = longer[i + 2] / longer[i];
            at = i;
        }
    return longer[at];
}
