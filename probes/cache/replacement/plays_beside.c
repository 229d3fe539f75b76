#include "plays_beside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "estimate.h"

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;

    return a < b ? -1 : a > b;
}

/* Where the densest half of the values lies: what is disturbed lies elsewhere, and anywhere. */
struct cluster {
    double middle, reach;
};

static const struct {
    double half_of_normal; /* values lies within so many standard deviations */
    double deviations;     /* belong to it: three, but the densest half of few seems denser than it is */
    double steps;          /* of the clock, to either side */
} reach = {.half_of_normal = 0.674, .deviations = 4, .steps = 2.5};

static struct cluster densest(const double *values, unsigned count, double step)
{
    double sorted[HWC_MOST_PLAYS + 1], shortest = INFINITY;
    struct cluster cluster = {0};
    unsigned half = count / 2;

    memcpy(sorted, values, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_value);
    for (unsigned i = 0; i + half < count; i++)
        if (sorted[i + half] - sorted[i] < shortest) {
            shortest = sorted[i + half] - sorted[i];
            cluster.middle = (sorted[i + half] + sorted[i]) / 2;
        }
    cluster.reach = fmax(reach.deviations * shortest / 2 / reach.half_of_normal, reach.steps * step);
    return cluster;
}

static bool is_within(const struct cluster *cluster, double value)
{
    return fabs(value - cluster->middle) <= cluster->reach;
}

/* Plays of one sequence that miss as often differ by what times vary, and that by no more than half a miss. The fitting
 * readings, halved, bring half of one's variance in. */
static double set_variance(double variance, double fitting)
{
    double of_set = variance - 1.5 * fitting;

    return of_set > HWC_HALF_A_MISS * HWC_HALF_A_MISS ? of_set : 0;
}

/* Of what plays took more, that which was not disturbed itself. */
static unsigned answer_from(const double *more, unsigned count, double step, const struct hwc_tally *fitting,
                            struct hwc_answer *answer)
{
    struct cluster dense = densest(more, count, step);
    struct hwc_tally kept = {0};
    double variance;

    for (unsigned i = 0; i < count; i++)
        if (is_within(&dense, more[i]))
            hwc_tally_add(&kept, more[i]);
    variance = kept.squares / kept.readings;
    *answer = (struct hwc_answer){
        .misses = kept.mean,
        .error = sqrt(variance / kept.readings),
        .variance = set_variance(variance, fitting->squares / fitting->readings),
    };
    return kept.readings;
}

/* What nothing misses takes at most: few lines stay in any case. */
static double most_of_staying(const struct hwc_plays *plays, const struct cluster *few)
{
    return plays->shared ? INFINITY : few->middle + fmax(few->reach, HWC_HALF_A_MISS);
}

/* Where readings of lines that fit lie, those apart of which some were missed. */
static struct cluster fitting_cluster(const struct hwc_plays *plays, double most, double step)
{
    double stayed[HWC_MOST_PLAYS + 1];
    unsigned count = 0;

    for (unsigned i = 0; i <= plays->count; i++)
        if (plays->fitting[i] <= most)
            stayed[count++] = plays->fitting[i];
    return count > 0 ? densest(stayed, count, step) : (struct cluster){.reach = -1};
}

/* Do the lines that fit, on average, take a miss more than few lines? */
static bool are_missed(const struct hwc_plays *plays, double fitting, const struct cluster *few)
{
    return !plays->shared && fitting - few->middle > HWC_HALF_A_MISS;
}

unsigned hwc_weigh_plays(const struct hwc_plays *plays, double step, struct hwc_answer *answer)
{
    struct cluster few = densest(plays->few, plays->count, step);
    struct cluster quiet = fitting_cluster(plays, most_of_staying(plays, &few), step);
    struct hwc_tally fitting = {0};
    double more[HWC_MOST_PLAYS];
    unsigned count = 0;

    for (unsigned i = 0; i < plays->count; i++) {
        if (!is_within(&quiet, plays->fitting[i]) || !is_within(&quiet, plays->fitting[i + 1]))
            continue;
        more[count++] = plays->visits[i] - (plays->fitting[i] + plays->fitting[i + 1]) / 2;
        hwc_tally_add(&fitting, plays->fitting[i]);
    }
    if (count == 0 || are_missed(plays, fitting.mean, &few))
        return 0;
    return answer_from(more, count, step, &fitting, answer);
}
