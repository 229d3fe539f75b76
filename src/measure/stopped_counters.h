/* Counters that were believed and count no more: another program took them, or they died.
 *
 * A probe that asks such a counter comes to nothing. Before it is run once more, the next way to count the event that
 * can be believed takes its place, or else the clock. The way that failed is given up for the rest of the run, even if it
 * would count again: it might stop again in the middle. */
#ifndef HWC_STOPPED_COUNTERS_H
#define HWC_STOPPED_COUNTERS_H

#include "lab.h"
#include "qualify.h"

/* Did the counter of an event that is believed fail when it was last asked? */
bool hwc_has_any_stopped(const struct hwc_lab *lab, const struct hwc_event_record records[HWC_EVENT_COUNT]);

/* Give up those counters, and find others for their events, unless too many were given up before. Witnesses that have
 * none then have no answer. */
int hwc_replace_stopped(struct hwc_lab *lab, struct hwc_event_record records[HWC_EVENT_COUNT], struct hwc_error *error);

#endif
