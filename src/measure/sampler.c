#include "sampler.h"

#define MOST_TRIES 5

static uint64_t references_of(const struct hwc_experiment *experiment)
{
    uint64_t references = 0;

    for (unsigned i = 0; i < experiment->steps; i++)
        if (experiment->step[i].walk != NULL)
            references += experiment->step[i].walk->count * (uint64_t)experiment->step[i].passes;
    return references;
}

/* A machine that disturbs everything gets the last sample accepted after many
 * tries: minimum or median over samples still stand between it and a wrong
 * value. */
int hwc_lab_sample(struct hwc_lab *lab, const struct hwc_experiment *experiment, struct hwc_sample *sample,
                   struct hwc_error *error)
{
    for (int tries = 0; tries < MOST_TRIES; tries++) {
        TRY(lab->machine->ops->play(lab->machine, experiment, sample, error));
        lab->references += references_of(experiment);
        lab->samples_taken++;
        if (!sample->disturbed)
            return HWC_OK;
        lab->samples_dropped++;
    }
    return HWC_OK;
}
