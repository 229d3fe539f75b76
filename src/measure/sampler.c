#include "sampler.h"

#define MOST_TRIES 5

/* A machine that disturbs everything gets the last sample accepted after many
 * tries: minimum or median over samples still stand between it and a wrong
 * value. */
int hwc_lab_sample(struct hwc_lab *lab, const struct hwc_experiment *experiment, struct hwc_sample *sample,
                   struct hwc_error *error)
{
    for (int tries = 0; tries < MOST_TRIES; tries++) {
        int status = lab->machine->ops->play(lab->machine, experiment, sample, error);
        if (status != HWC_OK)
            return status;
        lab->samples_taken++;
        if (!sample->disturbed)
            return HWC_OK;
        lab->samples_dropped++;
    }
    return HWC_OK;
}
