/* The sampler: plays experiments, and drops the samples that were disturbed. */
#ifndef HWC_SAMPLER_H
#define HWC_SAMPLER_H

#include "experiment.h"
#include "lab.h"

/* One undisturbed sample or, after several tries, the last of the disturbed. */
int hwc_lab_sample(struct hwc_lab *lab, const struct hwc_experiment *experiment, struct hwc_sample *sample,
                   struct hwc_error *error);

/* Go through a walk so often, for what that leaves behind: nothing is measured. */
int hwc_lab_run(struct hwc_lab *lab, const struct hwc_arena *arena, const struct hwc_walk *walk, uint32_t passes,
                struct hwc_error *error);

#endif
