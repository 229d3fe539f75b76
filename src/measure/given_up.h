/* Ways to count an event that are used no more in this run: they stopped, or count another level's misses. */
#ifndef HWC_GIVEN_UP_H
#define HWC_GIVEN_UP_H

#include "lab.h"
#include "qualify.h"

/* Remember the record's counter, and its reason. False if too many were given up before. */
bool hwc_give_up(struct hwc_lab *lab, const struct hwc_event_record *record);

/* Why this way to count the event was given up; NULL = it was not. */
const char *hwc_why_given_up(const struct hwc_lab *lab, const struct hwc_event_record *record);

#endif
