/* Counters are suspects until they pass: each event is held against
 * references whose misses are known beforehand. */
#ifndef HWC_QUALIFY_H
#define HWC_QUALIFY_H

#include "lab.h"
#include "profile.h"

/* Qualify every event that the machine offers, record the verdicts in the
 * profile, and choose each level's witness. */
int hwc_qualify_events(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error);

/* The verdict on one event, from what was expected and counted. Pure.
 * `expected` misses were counted as `least` (minimum) to `most`; a resident
 * walk of `references` counted `resident` beyond the overhead. */
enum hwc_event_status hwc_judge_event(double expected, double least, double most, double resident, double references,
                                      double *factor);

#endif
