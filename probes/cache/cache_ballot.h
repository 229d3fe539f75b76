/* Ballots on a data-cache level: what a vote on its geometry decides, for the
 * first level (first_level.c) and for those below (lower_level.c). */
#ifndef HWC_CACHE_BALLOT_H
#define HWC_CACHE_BALLOT_H

#include "conflict.h"
#include "poll.h"

enum hwc_cache_question {
    HWC_ASK_LINE,
    HWC_ASK_SIZE,
    HWC_ASK_WAYS,
    HWC_ASK_PERIOD,
    HWC_ASK_EFFECTIVE,
    HWC_ASK_FILL,
    HWC_CACHE_QUESTIONS
};

/* The level, and how it is looked at. */
struct hwc_cache_look {
    unsigned level;
    struct hwc_look look;
};

/* Measure once, on fresh pages (hwc_measure); the context is a struct hwc_cache_look, and none of the first level. */
int hwc_measure_first_level(struct hwc_lab *lab, void *context, struct hwc_ballot *ballot, struct hwc_error *error);
int hwc_measure_lower_level(struct hwc_lab *lab, void *context, struct hwc_ballot *ballot, struct hwc_error *error);

/* Cast the ballot by the geometry found at this stride; HWC_UNAVAILABLE where it is no cache's. */
int hwc_answer_geometry(struct hwc_lab *lab, unsigned level, uint64_t stride, const struct hwc_geometry *geometry,
                        struct hwc_ballot *ballot, struct hwc_error *error);

/* How to look at a lower level: tried out, so that the vote is held where it comes to something. HWC_UNAVAILABLE with
 * the reason where it cannot be looked at. */
int hwc_plan_lower_level(struct hwc_lab *lab, unsigned level, struct hwc_look *look, struct hwc_error *error);

#endif
