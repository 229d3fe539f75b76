#include "event_levels.h"

#include <stdio.h>

#include "steady_state.h"

static const struct {
    uint64_t smallest, largest; /* bytes */
    uint64_t spacing;
    unsigned samples;
    double misses;  /* of the references: past the level above */
    double follows; /* of the misses above: no fewer below */
    unsigned steps; /* doublings for which they are followed: no level is so much smaller */
    double sooner;  /* of the time of the largest footprint: a level between serves them */
} policy = {
    .smallest = UINT64_C(4) << 10, .largest = UINT64_C(16) << 20, .spacing = 64, .samples = 2,
    .misses = 0.7, .follows = 0.8, .steps = 3, .sooner = 0.7,
};

/* A footprint's misses of both events, a reference, and its time. Below is counted where the level above does not hold
 * it. */
struct footprint {
    double above, below;
    double cycles;
};

static bool is_past_above(const struct footprint *footprint)
{
    return footprint->above >= policy.misses;
}

static int count(struct hwc_lab *lab, const struct hwc_arena *arena, const struct hwc_walk *walk, enum hwc_event event,
                 double *misses, double *cycles, struct hwc_error *error)
{
    struct hwc_steady steady;

    TRY(hwc_measure_steady(lab, arena, walk, event, policy.samples, &steady, error));
    *misses = steady.misses / (double)walk->count;
    *cycles = steady.cycles / (double)walk->count;
    return HWC_OK;
}

static int measure_in(struct hwc_lab *lab, const struct hwc_arena *arena, uint64_t bytes, const enum hwc_event event[2],
                      struct footprint *footprint, struct hwc_error *error)
{
    struct hwc_walk walk;
    double ignored;
    int status;

    hwc_walk_init(&walk);
    status = hwc_walk_sequence(&walk, 0, policy.spacing, (size_t)(bytes / policy.spacing), error);
    if (status == HWC_OK) {
        hwc_walk_shuffle(&walk, &lab->random);
        status = count(lab, arena, &walk, event[0], &footprint->above, &footprint->cycles, error);
    }
    if (status == HWC_OK && is_past_above(footprint))
        status = count(lab, arena, &walk, event[1], &footprint->below, &ignored, error);
    hwc_walk_free(&walk);
    return status;
}

static int measure(struct hwc_lab *lab, uint64_t bytes, const enum hwc_event event[2], struct footprint *footprint,
                   struct hwc_error *error)
{
    struct hwc_arena arena = {0};
    int status = lab->machine->ops->arena_open(lab->machine, bytes, HWC_BASE_PAGES, &arena, error);

    if (status == HWC_OK)
        status = measure_in(lab, &arena, bytes, event, footprint, error);
    hwc_close_arena(lab, &arena);
    return status;
}

static bool is_followed(const struct footprint *footprint)
{
    return footprint->below >= policy.follows * footprint->above;
}

/* Without a clock, the counts alone must do. */
static bool is_served_between(const struct hwc_lab *lab, const struct footprint *first, const struct footprint *largest)
{
    return !lab->machine->has_clock || first->cycles < policy.sooner * largest->cycles;
}

/* Does the event below count as many misses as the one above, wherever the level above is full? *from: it is not so in
 * any smaller footprint; moved up to where it is. */
static int follows_above(struct hwc_lab *lab, const enum hwc_event event[2], uint64_t *from, bool *follows,
                         struct hwc_error *error)
{
    struct footprint first = {0}, footprint = {0};
    unsigned steps = 0;

    *follows = false;
    for (uint64_t bytes = *from; steps < policy.steps; bytes *= 2) {
        *from = steps == 0 ? bytes : *from;
        if (bytes > policy.largest || bytes > lab->machine->max_arena_bytes)
            return HWC_OK;
        TRY(measure(lab, bytes, event, &footprint, error));
        if (!is_past_above(&footprint))
            continue;
        if (!is_followed(&footprint))
            return HWC_OK;
        first = steps++ == 0 ? footprint : first;
    }
    TRY(measure(lab, policy.largest, event, &footprint, error));
    *follows = is_served_between(lab, &first, &footprint);
    return HWC_OK;
}

static int check(struct hwc_lab *lab, enum hwc_event above, uint64_t *from, struct hwc_event_record *record,
                 struct hwc_error *error)
{
    const enum hwc_event event[2] = {above, record->event};
    bool follows;
    int status;

    if (record->status != HWC_EVENT_TRUSTED && record->status != HWC_EVENT_BIASED)
        return HWC_OK;
    status = follows_above(lab, event, from, &follows, error);
    if (hwc_came_to_nothing(status))
        return HWC_OK;
    if (status != HWC_OK || !follows)
        return status;
    record->status = HWC_EVENT_REJECTED;
    record->fault = HWC_FAULT_OTHER_LEVEL;
    snprintf(record->reason, sizeof record->reason,
             "counts another level's misses: as many as %s of any walk that the level above does not hold",
             hwc_event_name(above));
    return HWC_OK;
}

int hwc_check_event_levels(struct hwc_lab *lab, struct hwc_event_record records[HWC_EVENT_COUNT],
                           struct hwc_error *error)
{
    uint64_t from = policy.smallest; /* lower levels are larger */

    for (unsigned level = 2; level <= HWC_MAX_CACHE_LEVEL; level++) {
        enum hwc_event above = hwc_best_event(records, level - 1);
        for (const enum hwc_event *e = hwc_data_miss_events(level); above != HWC_NO_EVENT && *e != HWC_NO_EVENT; e++)
            TRY(check(lab, above, &from, &records[*e], error));
    }
    hwc_choose_witnesses(lab, records);
    return HWC_OK;
}
