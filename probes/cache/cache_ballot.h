/* Ballots of the vote on a data-cache level's geometry, for the first level
 * (first_level.c) and for the levels below (lower_level.c). */
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

/* A level, and how its lines are laid out to measure it. */
struct hwc_cache_look {
    unsigned level;
    struct hwc_look look;
};

/* Are the costs of a hit and a miss in the first level known? After a ballot that came to nothing they are not, as their
 * moment may have been a bad one. */
struct hwc_first_look {
    bool calibrated;
};

/* Measure them, unless they are known. */
int hwc_calibrate_first_once(struct hwc_lab *lab, struct hwc_first_look *look, struct hwc_error *error);

/* One measurement (hwc_measure). The context is a struct hwc_first_look, or hwc_cache_look. */
int hwc_measure_first_level(struct hwc_lab *lab, void *context, struct hwc_ballot *ballot, struct hwc_error *error);
int hwc_measure_lower_level(struct hwc_lab *lab, void *context, struct hwc_ballot *ballot, struct hwc_error *error);

/* Fill in the ballot from the geometry found at this stride. HWC_UNAVAILABLE if it cannot be a cache's. */
int hwc_answer_geometry(struct hwc_lab *lab, unsigned level, uint64_t stride, const struct hwc_geometry *geometry,
                        struct hwc_ballot *ballot, struct hwc_error *error);

/* Choose how to measure a lower level: layouts are tried before the vote, which uses the first that gives a result.
 * HWC_UNAVAILABLE with the reason if the level cannot be measured. */
int hwc_plan_lower_level(struct hwc_lab *lab, unsigned level, struct hwc_look *look, struct hwc_error *error);

/* Lines one page apart, whatever the physical order of the pages. */
struct hwc_look hwc_look_at_pages(const struct hwc_lab *lab, unsigned level);

/* The look, at pages that lie in one set of the first level. That one may go by virtual addresses, and where its period is
 * longer than a page, lines that share a set of this level then lie in several of its sets. */
struct hwc_look hwc_in_one_first_set(const struct hwc_lab *lab, unsigned level, struct hwc_look look);

#endif
