#include "sampler.h"

/* A disturbed sample is taken again, unless it is long. If every try is disturbed, the last one is accepted, marked as
 * disturbed. */
#define MOST_TRIES 5

int hwc_lab_sample(struct hwc_lab *lab, const struct hwc_experiment *experiment, struct hwc_sample *sample,
                   struct hwc_error *error)
{
    uint64_t references = hwc_references_of(experiment);
    int most = hwc_is_long(experiment) ? 1 : MOST_TRIES;

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
