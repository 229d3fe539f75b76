#include "undisturbed.h"

#include <math.h>
#include <string.h>

#include "statistics.h"

enum { NEIGHBOURS = 2 }; /* on either side, where readings stray by about as large a share */

static const struct {
    double little, deviations;
} policy = {
    .little = 0.1,   /* of the median */
    .deviations = 6, /* times the median deviation, which is two thirds of the standard deviation */
};

static double median_of(const struct hwc_repeats *repeats)
{
    double sorted[HWC_MOST_REPEATS];

    memcpy(sorted, repeats->value, repeats->count * sizeof *sorted);
    return hwc_median(sorted, repeats->count);
}

/* By what share of the median do readings stray, as a rule? */
static double usual_share(const struct hwc_repeats *point, size_t points, size_t at)
{
    double share[(2 * NEIGHBOURS + 1) * HWC_MOST_REPEATS];
    size_t first = at > NEIGHBOURS ? at - NEIGHBOURS : 0, count = 0;

    for (size_t k = first; k < points && k <= at + NEIGHBOURS; k++)
        for (unsigned i = 0; point[k].count > 2 && i < point[k].count; i++)
            share[count++] = fabs(point[k].value[i] / median_of(&point[k]) - 1);
    return count > 0 ? hwc_median(share, count) : 0;
}

struct hwc_tally hwc_undisturbed(const struct hwc_repeats *point, size_t points, size_t at)
{
    const struct hwc_repeats *here = &point[at];
    struct hwc_tally tally = {0};
    double most = INFINITY;

    if (here->count > 2) {
        double median = median_of(here); /* below 0 where translation, which is taken off, took longer than all */
        most = median + fabs(median) * fmax(policy.little, policy.deviations * usual_share(point, points, at));
    }
    for (unsigned i = 0; i < here->count; i++)
        if (here->value[i] <= most)
            hwc_tally_add(&tally, here->value[i]);
    return tally;
}
