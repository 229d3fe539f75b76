/* Counters are suspects until they pass: each event is tested with
 * references whose misses are known beforehand. */
#ifndef HWC_QUALIFY_H
#define HWC_QUALIFY_H

#include "lab.h"

enum hwc_event_status { HWC_EVENT_ABSENT, HWC_EVENT_TRUSTED, HWC_EVENT_BIASED, HWC_EVENT_REJECTED };

/* What is wrong with a rejected event, where that is known. */
enum hwc_event_fault {
    HWC_FAULT_NONE,
    HWC_FAULT_COUNTS_NOTHING,
    HWC_FAULT_COUNTS_HITS,
    HWC_FAULT_COUNTS_PREFETCHES,
    HWC_FAULT_OTHER_LEVEL,
    HWC_FAULT_COUNTS_OTHERS
};

struct hwc_event_record {
    enum hwc_event event;
    char counter[HWC_NATIVE_NAME];
    char backend[16]; /* whose counter it is; empty = the machine's own */
    char quality[64];
    enum hwc_event_status status;
    enum hwc_event_fault fault;
    double overhead;
    double expected, counted;
    double factor;
    char reason[HWC_MESSAGE];
    size_t cause_at; /* where in the reason the cause begins: an absent event's may name the counter that was tried */
};

/* Does it count misses, if need be with a factor? NULL = there is none. */
static inline bool hwc_is_believed(const struct hwc_event_record *record)
{
    return record != NULL && (record->status == HWC_EVENT_TRUSTED || record->status == HWC_EVENT_BIASED);
}

const char *hwc_event_status_name(enum hwc_event_status status);

/* Qualify every event that the machine offers, record the verdict on each, and
 * choose each level's witness. */
int hwc_qualify_events(struct hwc_lab *lab, struct hwc_event_record records[HWC_EVENT_COUNT], struct hwc_error *error);

/* Try the ways to count an event, best first, until one can be believed; the first failure is kept for the record where
 * none can. */
int hwc_qualify_event(struct hwc_lab *lab, enum hwc_event event, struct hwc_event_record *kept, struct hwc_error *error);

/* Give up the record's way, which is rejected, for the next that can be believed. It stays where too many were given up
 * before: another look for a way would find this one again. */
int hwc_qualify_next(struct hwc_lab *lab, struct hwc_event_record *record, struct hwc_error *error);

/* The event that counts data misses of a level best, by these records: HWC_NO_EVENT if none is believed. */
enum hwc_event hwc_best_event(const struct hwc_event_record *records, unsigned level);

/* Choose each level's witness anew, as the records have changed. */
void hwc_choose_witnesses(struct hwc_lab *lab, const struct hwc_event_record *records);

/* The verdict on one event, from what was expected and counted. Pure.
 * `expected` misses were counted as `least` (minimum) to `most`; a resident
 * walk of `references` counted `resident` beyond the overhead. */
enum hwc_event_status hwc_judge_event(double expected, double least, double most, double resident, double references,
                                      double *factor);

#endif
