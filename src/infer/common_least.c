#include "common_least.h"

#include <string.h>

#include "ballot.h"
#include "statistics.h"

enum { MOST_LESSER = 1 };

static unsigned count_alike(const double *sorted, unsigned count, double within)
{
    unsigned alike = 1;

    while (alike < count && sorted[alike] <= (1 + within) * sorted[0])
        alike++;
    return alike;
}

bool hwc_find_common_least(const double *readings, unsigned count, double within, unsigned enough,
                           struct hwc_common_least *found)
{
    double sorted[HWC_MAX_VOTES];

    memcpy(sorted, readings, count * sizeof *readings);
    hwc_sort(sorted, count);
    for (unsigned lesser = 0; lesser <= MOST_LESSER && lesser < count; lesser++) {
        unsigned alike = count_alike(sorted + lesser, count - lesser, within);
        if (alike < enough)
            continue;
        *found = (struct hwc_common_least){hwc_median(sorted + lesser, alike), alike, lesser};
        return true;
    }
    return false;
}
