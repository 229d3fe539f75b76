/* The plan: which machine, which probes in which order, and what becomes of
 * the profile. */
#ifndef HWC_PLAN_H
#define HWC_PLAN_H

#include "options.h"
#include "profile.h"

/* Open the machine, run what was asked for, fill the profile. HWC_INTERRUPTED
 * leaves in the profile what was found so far. */
int hwc_plan_run(const struct hwc_options *options, struct hwc_profile *profile, struct hwc_error *error);

#endif
