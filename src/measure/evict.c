#include "evict.h"

#include <math.h>

#include "sampler.h"
#include "solitude.h"

#define PASSES 4
#define TRIES_AT_LEAST 12
#define TRIES_AT_MOST 48
/* So many standard errors from even chances. */
#define CERTAIN 3.3
#define TRIES_OF_DOUBT 6
#define DOUBTFUL 1.5
/* What was interrupted weighs no more than so many misses. */
#define MOST_MISSES 3.0
/* Another cell of another line: the page's translation without the line. */
#define MATE_CELL 56

/* What the line takes beyond a hit of the first level, time and again. */
struct tally {
    unsigned tries;
    double sum, squares;
};

static void count_try(struct tally *tally, double share)
{
    share = fmin(MOST_MISSES, fmax(-MOST_MISSES, share));
    tally->tries++;
    tally->sum += share;
    tally->squares += share * share;
}

static bool is_certain(const struct tally *tally, bool of_both)
{
    double n = tally->tries, mean = tally->sum / n;
    double error = sqrt(fmax(0, tally->squares / n - mean * mean) / n);

    if (!of_both && tally->tries >= TRIES_OF_DOUBT && mean - 0.5 > DOUBTFUL * error)
        return true;
    return tally->tries >= TRIES_AT_MOST || (tally->tries >= TRIES_AT_LEAST && fabs(mean - 0.5) > CERTAIN * error);
}

/* What a reading of the first level takes is the same for all lines: the mean of many. */
#define READINGS_TO_AVERAGE 512.0

static double mean_of_first(struct hwc_lab *lab, double reading)
{
    struct hwc_mean *mean = &lab->first_again;

    mean->readings = fmin(mean->readings + 1, READINGS_TO_AVERAGE);
    mean->value += (reading - mean->value) / mean->readings;
    return mean->value;
}

struct tries {
    const struct hwc_eviction *eviction;
    const struct hwc_experiment *experiment;
    struct tally tally;
};

static int try_often(struct hwc_lab *lab, void *context, struct hwc_error *error)
{
    struct tries *tries = context;
    const struct hwc_witness *witness = &lab->witness[tries->eviction->level];
    double first = lab->witness[1].hit_cycles;

    tries->tally = (struct tally){0};
    while (!is_certain(&tries->tally, tries->eviction->certain)) {
        struct hwc_sample sample;
        int status = hwc_lab_sample(lab, tries->experiment, &sample, error);
        double excess;
        if (status != HWC_OK)
            return status;
        excess = sample.reading[0].cycles - mean_of_first(lab, sample.reading[1].cycles) + first - witness->hit_cycles;
        count_try(&tries->tally, excess / (witness->miss_cycles - witness->hit_cycles));
    }
    return HWC_OK;
}

/* A sibling thread puts lines out, too. */
static const struct hwc_solitude solitude = {.wait_seconds = 0.2, .tries = 8};

int hwc_share_evicted(struct hwc_lab *lab, const struct hwc_eviction *eviction, double *share, struct hwc_error *error)
{
    struct hwc_walk line, mate;
    struct tries tries = {.eviction = eviction};
    int status;

    hwc_walk_init(&line);
    hwc_walk_init(&mate);
    status = hwc_walk_append(&line, eviction->line, error);
    if (status == HWC_OK)
        status = hwc_walk_append(&mate, (eviction->line ^ lab->machine->page_bytes / 2) + MATE_CELL, error);
    if (status == HWC_OK) {
        const struct hwc_experiment experiment = {
            .arena = eviction->arena,
            .event = HWC_NO_EVENT,
            .apart = true,
            .steps = 5,
            /* Behind the first reading the first level has the line: what the second takes is taken off. */
            .step = {{HWC_RUN, &line, 1},
                     {HWC_RUN, eviction->walk, PASSES},
                     {HWC_RUN, &mate, 1},
                     {HWC_MEASURE, &line, 1},
                     {HWC_MEASURE, &line, 1}},
        };
        tries.experiment = &experiment;
        status = hwc_in_solitude(lab, &solitude, try_often, &tries, error);
    }
    *share = tries.tally.tries > 0 ? tries.tally.sum / tries.tally.tries : 0;
    hwc_walk_free(&line);
    hwc_walk_free(&mate);
    return status;
}
