/* The time of a turn of a loop with a given body (body.h). */
#ifndef HWC_BODY_TIME_H
#define HWC_BODY_TIME_H

#include "probe.h"

struct hwc_body_time {
    struct hwc_lab *lab;
    struct hwc_arena arena;
    struct hwc_walk walk; /* two chains */
};

/* Chains of so many cells each, one to a pair of lines, in random order: after a flush every load misses, and
 * no prefetcher foresees it. HWC_UNAVAILABLE where the machine executes no bodies. Close in any case. */
int hwc_body_time_open(struct hwc_body_time *time, struct hwc_lab *lab, size_t cells, struct hwc_error *error);
void hwc_body_time_close(struct hwc_body_time *time);

/* HWC_UNAVAILABLE where code is translated before it is executed: then no time of any code says something of the core.
 * HWC_OK also where that could not be learned. */
int hwc_need_own_code(struct hwc_lab *lab, struct hwc_error *error);

/* Core cycles of one turn: one sample of `turns` turns. If `flushed`, from lines that no cache holds; then there are at
 * most as many turns as cells. */
int hwc_time_turn(struct hwc_body_time *time, const struct hwc_body *body, uint32_t turns, bool flushed, double *cycles,
                  struct hwc_error *error);

/* The least of the lab's usual number of samples. */
int hwc_least_turn(struct hwc_body_time *time, const struct hwc_body *body, uint32_t turns, double *cycles,
                   struct hwc_error *error);

/* Measure what a probe provides of the core, on chains of so many cells each. Where it comes to nothing, that is unknown
 * of which it has said nothing yet. */
typedef int (*hwc_core_measure)(struct hwc_body_time *time, struct hwc_record *core, struct hwc_error *error);
int hwc_measure_core(struct hwc_lab *lab, const struct hwc_probe *probe, size_t cells, hwc_core_measure measure,
                     struct hwc_profile *profile, struct hwc_error *error);

#endif
