/* A run's budget: which probes come first, how much of it each may spend, and
 * what is said of what it was too short for. Probes need not know: once their part
 * is spent, no further sample is taken (sampler.h). */
#ifndef HWC_BUDGET_H
#define HWC_BUDGET_H

#include "schedule.h"

/* Let the basic probes, and what they need, come before the others. */
int hwc_basics_first(const struct hwc_probe *const *table, struct hwc_schedule *schedule, struct hwc_error *error);

/* The share of what is left that the probe at `index` may spend. */
double hwc_budget_share(const struct hwc_schedule *schedule, size_t index);

/* Say of all that the probe looks for, and has said nothing of, that the budget was spent. */
void hwc_say_spent(const struct hwc_probe *probe, struct hwc_profile *profile);

#endif
