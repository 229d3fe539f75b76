/* The steps that measure. Each fills the sample's next reading. */
#ifndef HWC_NATIVE_MEASURE_H
#define HWC_NATIVE_MEASURE_H

#include "route.h"

/* Count or time the step as a whole; if the experiment asks for slow references,
 * time each reference instead. */
int native_measure(struct native_machine *machine, const struct hwc_experiment *experiment,
                   const struct hwc_step *step, const struct native_route *route, struct hwc_sample *sample,
                   struct hwc_error *error);

#endif
