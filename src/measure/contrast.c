#include "contrast.h"

#include <math.h>

#include "least.h"
#include "sampler.h"
#include "sequential.h"

int hwc_weigh_once(struct hwc_lab *lab, const struct hwc_witness *witness, const struct hwc_experiment *experiment,
                   double *misses, struct hwc_error *error)
{
    struct hwc_sample sample;

    TRY(hwc_lab_sample(lab, experiment, &sample, error));
    *misses = hwc_weigh_reading(witness, &sample.reading[sample.readings - 1]);
    return HWC_OK;
}

/* A pair of readings, and the least of each so far. */
struct pairs {
    struct hwc_lab *lab;
    const struct hwc_contrast *contrast;
    double hits; /* weight of the references if all hit this level. A lower reading, by hits above it, is no baseline */
    struct hwc_least with, without;
};

static int take_pair(struct pairs *pairs, double *added, struct hwc_error *error)
{
    const struct hwc_contrast *contrast = pairs->contrast;
    double with = 0, without = 0;

    TRY(hwc_weigh_once(pairs->lab, contrast->witness, &contrast->without, &without, error));
    TRY(hwc_weigh_once(pairs->lab, contrast->witness, &contrast->with, &with, error));
    hwc_least_add(&pairs->with, with);
    hwc_least_add(&pairs->without, without);
    *added = (with - fmax(without, pairs->hits)) / (double)contrast->references;
    return HWC_OK;
}

/* Two counts agree if they differ by at most a tenth of the distance between the bounds. */
static double same_count(const struct hwc_contrast *contrast)
{
    return (hwc_share_bounds.most - hwc_share_bounds.none) / 10 * (double)contrast->references;
}

static int count_contrast(struct pairs *pairs, struct hwc_shares *shares, struct hwc_error *error)
{
    double same = same_count(pairs->contrast), ignored;

    do
        TRY(take_pair(pairs, &ignored, error));
    while (pairs->with.taken < pairs->lab->settings.samples &&
           !(hwc_least_settled(&pairs->with, same) && hwc_least_settled(&pairs->without, same)));
    shares->added = (pairs->with.value - pairs->without.value) / (double)pairs->contrast->references;
    shares->verdict = hwc_judge_share(shares->added);
    return HWC_OK;
}

static int draw(void *context, double *added, bool *disturbed, struct hwc_error *error)
{
    *disturbed = false; /* the sampler retakes short samples; in a long one a disturbance is next to nothing */
    return take_pair(context, added, error);
}

/* Pairs for each sample that AMP would take: more of short ones, whose readings vary more when others disturb. */
static const struct {
    double least, most;
    double references; /* to play in all, if that takes more than the least number of pairs */
} pairs_wanted = {.least = 2, .most = 8, .references = 4e6};

static unsigned most_pairs(const struct pairs *pairs)
{
    unsigned samples = pairs->lab->settings.samples;
    double worth = pairs_wanted.references / (double)hwc_references_of(&pairs->contrast->with);

    return (unsigned)fmin(fmax(worth, pairs_wanted.least * samples), pairs_wanted.most * samples);
}

/* The share is in misses as they are thought to be. */
static enum hwc_share judge(const struct hwc_witness *witness, double added)
{
    double miss = hwc_added_by_miss(witness), least = hwc_least_added_by_miss(witness);

    return hwc_judge_share_up_to(added, least > 0 ? added * miss / least : INFINITY);
}

/* Disturbances add misses and remove none: two readings that agree and show next to none are enough, even if most of
 * the others are spoiled. */
static bool none_at_times(const struct pairs *pairs)
{
    double references = (double)pairs->contrast->references;
    double added = (pairs->with.value - fmax(pairs->without.value, pairs->hits)) / references;

    return hwc_least_settled(&pairs->with, same_count(pairs->contrast)) &&
           judge(pairs->contrast->witness, added) == HWC_SHARE_NONE;
}

/* The threshold is the middle between the two bounds; readings are clipped to between 0 and twice that. */
static int time_contrast(struct pairs *pairs, struct hwc_shares *shares, struct hwc_error *error)
{
    double middle = (hwc_share_bounds.none + hwc_share_bounds.most) / 2;
    const struct hwc_sequential_test test = {
        .threshold = middle, .unit = middle, .most = most_pairs(pairs)};
    struct hwc_estimate estimate;
    enum hwc_side side;

    TRY(hwc_test_sequentially(&test, draw, pairs, &estimate, &side, error));
    shares->added = estimate.value;
    shares->verdict = none_at_times(pairs)    ? HWC_SHARE_NONE
                      : side == HWC_STRADDLES ? HWC_SHARE_BETWEEN
                                              : judge(pairs->contrast->witness, estimate.value);
    return HWC_OK;
}

int hwc_measure_contrast(struct hwc_lab *lab, const struct hwc_contrast *contrast, struct hwc_shares *shares,
                         struct hwc_error *error)
{
    bool counted = hwc_counts_events(contrast->witness);
    struct pairs pairs = {
        .lab = lab, .contrast = contrast, .hits = hwc_weight_of_hits(contrast->witness, (double)contrast->references)};

    TRY(counted ? count_contrast(&pairs, shares, error) : time_contrast(&pairs, shares, error));
    shares->without = (pairs.without.value - pairs.hits) / (double)contrast->references;
    return HWC_OK;
}
