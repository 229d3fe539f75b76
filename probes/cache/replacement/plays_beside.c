#include "plays_beside.h"

#include <math.h>
#include <string.h>

#include "estimate.h"
#include "statistics.h"

/* The middle of the densest half of the values, and how far from it undisturbed ones lie: others lie anywhere. */
struct cluster {
    double middle, reach;
};

static const struct {
    double half_of_normal; /* values lie within so many standard deviations */
    double deviations;     /* belong to it: not three, as the densest half of few values seems denser than it is */
    double steps;          /* of the clock, to either side, that belong to it in any case */
} reach = {.half_of_normal = 0.674, .deviations = 4, .steps = 2.5};

static struct cluster densest(const double *values, unsigned count, double step)
{
    double sorted[HWC_MOST_PLAYS + 1], shortest = INFINITY;
    struct cluster cluster = {0};
    unsigned half = count / 2;

    memcpy(sorted, values, count * sizeof *sorted);
    hwc_sort(sorted, count);
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

/* Plays of one sequence that miss equally often vary only as times do: by that of the visits and half as much again,
 * that of the mean of two fitting readings. The rest is the set's, if its deviation exceeds half a miss. */
static double set_variance(double variance, double fitting)
{
    double of_set = variance - 1.5 * fitting;

    return of_set > HWC_HALF_A_MISS * HWC_HALF_A_MISS ? of_set : 0;
}

/* The answer, from those differences that were not disturbed themselves. Returns how many those are. */
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

/* What the lines that fit take longer than few of them if they all stay, at most: more lines take a little longer by
 * themselves, a share of each visit. */
static double most_longer(const struct hwc_plays *plays)
{
    return fmax(plays->if_taken / 2, HWC_HALF_A_MISS);
}

/* The most that a reading without misses takes, by that of few lines, which stay in any case. */
static double most_of_staying(const struct hwc_plays *plays, const struct cluster *few)
{
    return plays->shared ? INFINITY : few->middle + fmax(few->reach, most_longer(plays));
}

/* The cluster of the readings of lines that fit, without those readings that had misses. */
static struct cluster fitting_cluster(const struct hwc_plays *plays, double most, double step)
{
    double stayed[HWC_MOST_PLAYS + 1];
    unsigned count = 0;

    for (unsigned i = 0; i <= plays->count; i++)
        if (plays->fitting[i] <= most)
            stayed[count++] = plays->fitting[i];
    return count > 0 ? densest(stayed, count, step) : (struct cluster){.reach = -1};
}

/* Do the lines that fit, on average, cost too much beyond what few lines do? Of a shared set they may. */
static bool are_missed(const struct hwc_plays *plays, double fitting, const struct cluster *few)
{
    return !plays->shared && fitting - few->middle > most_longer(plays);
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

/* So many plays say it. */
enum { PLAYS_TO_TELL = 32 };

/* The mean of the lower half: of plays in which nothing was disturbed and, if they are not rare, nothing missed. */
static double mean_of_best(const double *values, unsigned count, struct hwc_tally *tally)
{
    double sorted[HWC_MOST_PLAYS + 1];

    memcpy(sorted, values, count * sizeof *sorted);
    hwc_sort(sorted, count);
    for (unsigned i = 0; i < count / 2; i++)
        hwc_tally_add(tally, sorted[i]);
    return tally->mean;
}

bool hwc_fitting_lines_miss(const struct hwc_plays *plays, double step)
{
    struct hwc_tally fitting = {0}, few = {0};
    double more, error;

    if (plays->shared || plays->count < PLAYS_TO_TELL)
        return false;
    more = mean_of_best(plays->fitting, plays->count, &fitting) - mean_of_best(plays->few, plays->count, &few);
    error = hypot(hwc_tally_mean(&fitting, step).error, hwc_tally_mean(&few, step).error);
    return more - HWC_ERRORS * error > most_longer(plays);
}
