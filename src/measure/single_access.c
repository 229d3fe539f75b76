#include "single_access.h"

#include <math.h>

#include "access_quantile.h"
#include "footprint.h"
#include "sampler.h"
#include "steady_state.h"

static const struct {
    uint32_t warm_passes;
    size_t references;
    uint32_t least_passes, most_passes;
    double resolution;
    size_t flushed_lines;
    double hits_above, misses_above;
    double apart;
} policy = {
    .warm_passes = 4,
    /* About this many references are timed, one by one, within these bounds on the passes. */
    .references = 16384,
    .least_passes = 4,
    .most_passes = 64,
    .resolution = 0.01, /* of a quantile */
    .flushed_lines = 4096,
    /* Most hits are faster than most misses. A few hits meet a TLB miss or a refresh. Of the lines meant to miss, a
     * policy that resists thrashing may keep many in the level above, so there are as many as the level surely
     * holds, and half of them may be faster. */
    .hits_above = 0.02,
    .misses_above = 0.5,
    /* The threshold lies near the hits: between the two there may be a level too small to be seen. */
    .apart = 1.25,
};

static uint32_t passes_of(const struct hwc_walk *walk)
{
    size_t passes = policy.references / walk->count;

    if (passes < policy.least_passes)
        return policy.least_passes;
    return passes > policy.most_passes ? policy.most_passes : (uint32_t)passes;
}

int hwc_count_slow(struct hwc_lab *lab, const struct hwc_arena *arena, const struct hwc_walk *walk, double slow_cycles,
                   double *slow, struct hwc_error *error)
{
    const struct hwc_experiment experiment = {
        .arena = arena,
        .event = HWC_NO_EVENT,
        .slower_than = slow_cycles,
        .steps = 2,
        .step = {{HWC_RUN, walk, policy.warm_passes}, {HWC_MEASURE, walk, passes_of(walk)}},
    };
    struct hwc_sample sample;

    TRY(hwc_lab_sample(lab, &experiment, &sample, error));
    *slow = sample.reading[0].slow;
    return hwc_leave_nothing(lab, arena, walk, error);
}

/* Lines that one level serves: a walk that the level holds or, for memory, a flushed one. */
struct population {
    struct hwc_arena arena;
    struct hwc_walk walk;
    struct hwc_lab *lab;
    bool flushed;
};

static int share_of_slow(const void *context, double slow_cycles, double *share, struct hwc_error *error)
{
    const struct population *population = context;
    const struct hwc_walk *walk = &population->walk;
    const struct hwc_experiment experiment = {
        .arena = &population->arena,
        .event = HWC_NO_EVENT,
        .slower_than = slow_cycles,
        .steps = 2,
        .step = {{population->flushed ? HWC_FLUSH : HWC_RUN, walk, 2},
                 {HWC_MEASURE, walk, population->flushed ? 1 : policy.least_passes}},
    };
    struct hwc_sample sample;

    TRY(hwc_lab_sample(population->lab, &experiment, &sample, error));
    *share = sample.reading[0].slow / (double)walk->count;
    return HWC_OK;
}

/* A footprint of `bytes`, which the level serves. */
static int open_hits(struct hwc_lab *lab, uint64_t bytes, struct population *population, struct hwc_error *error)
{
    uint64_t line = lab->known->level[1].fill_bytes;
    const struct hwc_footprint footprint = {(size_t)(bytes / line), line, HWC_LARGE_PAGES,
                                            hwc_pages_per_group(lab), HWC_LOAD};

    population->flushed = false;
    return hwc_open_footprint(lab, &footprint, &population->arena, &population->walk, error);
}

/* As many lines as a footprint of `bytes` has, which the level serves; for memory, flushed ones. */
static int open_misses(struct hwc_lab *lab, unsigned level, uint64_t bytes, struct population *population,
                       struct hwc_error *error)
{
    uint64_t line = lab->known->level[1].fill_bytes;

    population->flushed = level > lab->known->levels; /* memory */
    return hwc_open_sparse(lab, population->flushed ? policy.flushed_lines : (size_t)(bytes / line), line,
                           &population->arena, &population->walk, error);
}

static int least_quantile_of_hits(struct hwc_lab *lab, unsigned level, double *cycles, struct hwc_error *error)
{
    const struct hwc_level *known = &lab->known->level[level];
    struct population population = {.lab = lab};
    int status;

    TRY(open_hits(lab, (known->served_from + known->rough_low) / 2, &population, error));
    status = hwc_least_quantile(share_of_slow, &population, policy.hits_above, policy.resolution, cycles, error);
    hwc_close_footprint(lab, &population.arena, &population.walk);
    return status;
}

/* The same for references that the next level serves. */
static int least_quantile_of_misses(struct hwc_lab *lab, unsigned level, double *cycles, struct hwc_error *error)
{
    struct population population = {.lab = lab};
    int status;

    TRY(open_misses(lab, level + 1, lab->known->level[level + 1].rough_low, &population, error));
    status = hwc_least_quantile(share_of_slow, &population, policy.misses_above, policy.resolution, cycles, error);
    hwc_close_footprint(lab, &population.arena, &population.walk);
    return status;
}

int hwc_calibrate_slow(struct hwc_lab *lab, unsigned level, struct hwc_error *error)
{
    double hit, miss;

    lab->witness[level].slow_cycles = 0;
    if (!hwc_goes_by_time(&lab->witness[level]) || !lab->machine->times_each ||
        (level == lab->known->levels && !lab->machine->flushes))
        return HWC_OK;
    TRY(least_quantile_of_hits(lab, level, &hit, error));
    TRY(least_quantile_of_misses(lab, level, &miss, error));
    if (miss > policy.apart * hit)
        lab->witness[level].slow_cycles = fmin(policy.apart * hit, sqrt(hit * miss));
    return HWC_OK;
}
