/* A validation: the same probes by both witnesses, on a machine that is opened afresh for each, so that neither knows what
 * the other has found. */
#ifndef HWC_BY_BOTH_H
#define HWC_BY_BOTH_H

#include "session.h"

/* Run the probes with counters and by the clock, and hold the findings against one another and against what is
 * documented. Where there are no counters, or no clock, they run once. A budget is for both runs together. The profile
 * is the caller's to free (hwc_profile_free); after HWC_INTERRUPTED it has what was found so far, else it is NULL unless
 * HWC_OK is returned. `request` must ask for counters. */
int hwc_run_by_both(struct hwc_profile **profile, const struct hwc_machine_request *request,
                    const struct hwc_settings *settings, const volatile sig_atomic_t *stop,
                    const struct hwc_probe *const *probes, size_t count, hwc_progress_callback progress, void *context,
                    struct hwc_error *error);

#endif
