#include "compare.h"

#include "sampler.h"
#include "statistics.h"

#define WARM_PASSES 4
#define MOST_SAMPLES 48
#define REFERENCES_PER_READING 512

static uint32_t passes_of(const struct hwc_walk *walk)
{
    uint32_t passes = walk->count > 0 ? (uint32_t)(REFERENCES_PER_READING / walk->count) : 1;

    return passes < 2 ? 2 : passes > 64 ? 64 : passes;
}

static void add(struct hwc_experiment *experiment, const struct hwc_walk *walk, uint32_t passes)
{
    if (walk->count == 0)
        return;
    experiment->step[experiment->steps++] = (struct hwc_step){HWC_RUN, walk, WARM_PASSES};
    experiment->step[experiment->steps++] = (struct hwc_step){HWC_MEASURE, walk, passes};
}

/* Cycles of a pass, translation taken off; reads on from *next. */
static double cycles_of(const struct hwc_sample *sample, unsigned *next, const struct hwc_walk *twin, uint32_t passes)
{
    double cycles = sample->reading[(*next)++].cycles;

    if (twin->count > 0)
        cycles -= sample->reading[(*next)++].cycles;
    return cycles / passes;
}

/* Enough when at most a quarter of the pairs lies on the other side. */
static bool is_settled(const double *excess, unsigned count, double threshold)
{
    unsigned above = 0;

    for (unsigned i = 0; i < count; i++)
        above += excess[i] > threshold;
    return above * 4 <= count || above * 4 >= 3 * count;
}

int hwc_compare(struct hwc_lab *lab, const struct hwc_comparison *comparison, double *excess, struct hwc_error *error)
{
    struct hwc_experiment experiment = {.arena = comparison->arena, .event = HWC_NO_EVENT, .apart = true};
    uint32_t passes = passes_of(comparison->walk);
    double share = (double)comparison->walk->count / (double)comparison->reference->count;
    double each[MOST_SAMPLES];
    unsigned most = 4 * comparison->samples < MOST_SAMPLES ? 4 * comparison->samples : MOST_SAMPLES;
    unsigned taken = 0;

    add(&experiment, comparison->reference, passes);
    add(&experiment, comparison->reference_twin, passes);
    add(&experiment, comparison->walk, passes);
    add(&experiment, comparison->walk_twin, passes);
    while (taken < most && (taken < comparison->samples || !is_settled(each, taken, comparison->threshold))) {
        struct hwc_sample sample;
        unsigned next = 0;
        double reference;
        int status = hwc_lab_sample(lab, &experiment, &sample, error);
        if (status != HWC_OK)
            return status;
        reference = cycles_of(&sample, &next, comparison->reference_twin, passes);
        each[taken++] = cycles_of(&sample, &next, comparison->walk_twin, passes) - share * reference;
    }
    *excess = hwc_median(each, taken);
    return HWC_OK;
}
