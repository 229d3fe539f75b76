#include "undisturbed.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "statistics.h"

/* On either side, where readings stray by about as large a share; and how many in a row are others' doing. */
enum { NEIGHBOURS = 2, BURST = 3 };

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

/* Of two readings neither can be told to be slow. */
static double most_undisturbed(const struct hwc_repeats *point, size_t points, size_t at)
{
    double median;

    if (point[at].count <= 2)
        return INFINITY;
    median = median_of(&point[at]); /* below 0 where translation, which is taken off, took longer than all */
    return median + fabs(median) * fmax(policy.little, policy.deviations * usual_share(point, points, at));
}

struct hwc_tally hwc_undisturbed(const struct hwc_repeats *point, size_t points, size_t at)
{
    const struct hwc_repeats *here = &point[at];
    double most = most_undisturbed(point, points, at);
    struct hwc_tally tally = {0};

    for (unsigned i = 0; i < here->count; i++) {
        if (here->value[i] <= most)
            hwc_tally_add(&tally, here->value[i]);
        else
            tally.disturbed++;
    }
    return tally;
}

static bool is_slow(const struct hwc_repeats *point, size_t points, size_t at, unsigned round)
{
    return round < point[at].count && point[at].value[round] > most_undisturbed(point, points, at);
}

static bool is_in_burst(const struct hwc_repeats *point, size_t points, size_t at, unsigned round)
{
    size_t first = at, end = at + 1;

    if (!is_slow(point, points, at, round))
        return false;
    while (first > 0 && is_slow(point, points, first - 1, round))
        first--;
    while (end < points && is_slow(point, points, end, round))
        end++;
    return end - first >= BURST;
}

struct hwc_tally hwc_without_bursts(const struct hwc_repeats *point, size_t points, size_t at)
{
    struct hwc_tally tally = {0};

    for (unsigned i = 0; i < point[at].count; i++)
        if (!is_in_burst(point, points, at, i))
            hwc_tally_add(&tally, point[at].value[i]);
    return tally;
}
