#include "slow.h"

#include <math.h>

#include "footprint.h"
#include "sampler.h"
#include "solitude.h"
#include "steady_state.h"

/* Beside a sibling thread at work every reference takes longer, and its lines put out some of ours. */
static const struct hwc_solitude solitude = {.wait_seconds = 0.2, .tries = 8};

struct play {
    const struct hwc_experiment *experiment;
    struct hwc_sample sample;
};

static int play_sample(struct hwc_lab *lab, void *context, struct hwc_error *error)
{
    struct play *play = context;

    return hwc_lab_sample(lab, play->experiment, &play->sample, error);
}

/* Slow references of the experiment's first reading. */
static int count_alone(struct hwc_lab *lab, const struct hwc_experiment *experiment, double *slow,
                       struct hwc_error *error)
{
    struct play play = {.experiment = experiment};
    int status = hwc_in_solitude(lab, &solitude, play_sample, &play, error);

    *slow = play.sample.reading[0].slow;
    return status;
}

#define WARM_PASSES 4
#define REFERENCES 16384
#define PASSES_AT_LEAST 4
#define PASSES_AT_MOST 64

static uint32_t passes_of(const struct hwc_walk *walk)
{
    size_t passes = REFERENCES / walk->count;

    return passes < PASSES_AT_LEAST ? PASSES_AT_LEAST : passes > PASSES_AT_MOST ? PASSES_AT_MOST : (uint32_t)passes;
}

int hwc_count_slow(struct hwc_lab *lab, const struct hwc_arena *arena, const struct hwc_walk *walk, double slow_cycles,
                   double few, double *slow, struct hwc_error *error)
{
    const struct hwc_experiment experiment = {
        .arena = arena,
        .event = HWC_NO_EVENT,
        .slower_than = slow_cycles,
        .steps = 2,
        .step = {{HWC_RUN, walk, WARM_PASSES}, {HWC_MEASURE, walk, passes_of(walk)}},
    };
    struct hwc_sample sample = {0};
    int status = hwc_lab_sample(lab, &experiment, &sample, error);

    *slow = sample.reading[0].slow;
    if (status == HWC_OK && lab->machine->noisy && *slow > few)
        status = count_alone(lab, &experiment, slow, error);
    return status == HWC_OK ? hwc_leave_nothing(lab, arena, walk, error) : status;
}

/* Lines that one level serves: a walk that it holds, or one that was flushed. */
struct population {
    struct hwc_arena arena;
    struct hwc_walk walk;
    bool flushed;
};

static int share_of_slow(struct hwc_lab *lab, const struct population *population, double slow_cycles, double *share,
                         struct hwc_error *error)
{
    const struct hwc_walk *walk = &population->walk;
    const struct hwc_experiment experiment = {
        .arena = &population->arena,
        .event = HWC_NO_EVENT,
        .slower_than = slow_cycles,
        .steps = 2,
        .step = {{population->flushed ? HWC_FLUSH : HWC_RUN, walk, 2},
                 {HWC_MEASURE, walk, population->flushed ? 1 : PASSES_AT_LEAST}},
    };
    int status = count_alone(lab, &experiment, share, error);

    *share /= (double)walk->count;
    return status;
}

#define MOST_CYCLES 4096.0
#define RESOLUTION 0.01

/* The time that all but `share` of the population keep below. */
static int quantile(struct hwc_lab *lab, const struct population *population, double share, double *cycles,
                    struct hwc_error *error)
{
    double low = 1, high = MOST_CYCLES;
    int status = HWC_OK;

    while (status == HWC_OK && high > low * (1 + RESOLUTION)) {
        double middle = sqrt(low * high);
        double found;
        status = share_of_slow(lab, population, middle, &found, error);
        if (found <= share)
            high = middle;
        else
            low = middle;
    }
    *cycles = high;
    return status;
}

/* So many bytes on the level's plateau. */
static int open_hits(struct hwc_lab *lab, uint64_t bytes, struct population *population, struct hwc_error *error)
{
    uint64_t line = lab->known->level[1].fill_bytes;
    const struct hwc_footprint footprint = {(size_t)(bytes / line), line, HWC_LARGE_PAGES, HWC_PAGES_PER_GROUP};

    population->flushed = false;
    return hwc_open_footprint(lab, &footprint, &population->arena, &population->walk, error);
}

#define MOST_LINES 4096

/* As many lines as so many bytes of the level's plateau are, or, of memory, flushed ones. */
static int open_misses(struct hwc_lab *lab, unsigned level, uint64_t bytes, struct population *population,
                       struct hwc_error *error)
{
    uint64_t line = lab->known->level[1].fill_bytes;

    population->flushed = level > lab->known->levels; /* memory */
    return hwc_open_sparse(lab, population->flushed ? MOST_LINES : (size_t)(bytes / line), line, &population->arena,
                           &population->walk, error);
}

/* Others only add to what references take: of several looks, where they may disturb, the least. */
#define LOOKS 3

static int quantile_of(struct hwc_lab *lab, struct population *population, double share, double *cycles,
                       struct hwc_error *error)
{
    int looks = lab->machine->noisy ? LOOKS : 1;
    int status = HWC_OK;

    *cycles = INFINITY;
    for (int look = 0; status == HWC_OK && look < looks; look++) {
        double found = 0;
        status = quantile(lab, population, share, &found, error);
        *cycles = fmin(*cycles, found);
    }
    hwc_close_footprint(lab, &population->arena, &population->walk);
    return status;
}

/* Most of those that hit are faster than most of those that miss. Of the first
 * a few meet a TLB miss or a refresh; of the second the level above may keep
 * many under a policy that resists thrashing, so there are as many as in the
 * plateau's longest footprint, and half of them are let off. */
#define HITS_ABOVE 0.02
#define MISSES_ABOVE 0.5
/* Near the hits: between the two there may be a level that the curve shows no plateau of. */
#define APART 1.25

int hwc_calibrate_slow(struct hwc_lab *lab, unsigned level, struct hwc_error *error)
{
    const struct hwc_level *hits = &lab->known->level[level], *misses = &lab->known->level[level + 1];
    struct population population;
    double hit, miss;
    int status;

    lab->witness[level].slow_cycles = 0;
    if (!lab->machine->times_each || (level == lab->known->levels && !lab->machine->flushes))
        return HWC_OK;
    status = open_hits(lab, (hits->plateau_bytes + hits->rough_low) / 2, &population, error);
    if (status == HWC_OK)
        status = quantile_of(lab, &population, HITS_ABOVE, &hit, error);
    if (status == HWC_OK)
        status = open_misses(lab, level + 1, misses->rough_low, &population, error);
    if (status == HWC_OK)
        status = quantile_of(lab, &population, MISSES_ABOVE, &miss, error);
    if (status == HWC_OK && miss > APART * hit)
        lab->witness[level].slow_cycles = fmin(APART * hit, sqrt(hit * miss));
    return status;
}
