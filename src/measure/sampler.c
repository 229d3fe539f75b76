#include "sampler.h"

uint64_t hwc_references_of(const struct hwc_experiment *experiment)
{
    uint64_t references = 0;

    for (unsigned i = 0; i < experiment->steps; i++)
        if (experiment->step[i].walk != NULL)
            references += hwc_walk_references(experiment->step[i].walk) * experiment->step[i].passes;
    return references;
}

/* A disturbed sample is taken again, unless it is so long that a context switch is next to nothing in it. If every try
 * is disturbed, the last one is accepted, marked as disturbed. */
#define MOST_TRIES 5
#define LONG_REFERENCES 100000

int hwc_lab_sample(struct hwc_lab *lab, const struct hwc_experiment *experiment, struct hwc_sample *sample,
                   struct hwc_error *error)
{
    uint64_t references = hwc_references_of(experiment);
    int most = references < LONG_REFERENCES ? MOST_TRIES : 1;

    if (hwc_lab_overdrawn(lab))
        return hwc_fail(error, HWC_INCONCLUSIVE, HWC_BUDGET_SPENT);
    for (int tries = 0; tries < most; tries++) {
        TRY(lab->machine->ops->play(lab->machine, experiment, sample, error));
        lab->references += references;
        lab->samples_taken++;
        if (!sample->disturbed)
            return HWC_OK;
        lab->samples_disturbed++;
    }
    return HWC_OK;
}

int hwc_lab_run(struct hwc_lab *lab, const struct hwc_arena *arena, const struct hwc_walk *walk, uint32_t passes,
                struct hwc_error *error)
{
    const struct hwc_experiment experiment = {
        .arena = arena, .event = HWC_NO_EVENT, .steps = 1, .step = {{HWC_RUN, walk, passes}}};
    struct hwc_sample ignored;

    return hwc_lab_sample(lab, &experiment, &ignored, error);
}
