#include "event_levels.h"

#include "steady_state.h"

/* Footprints that are walked, from the smallest up, each twice the one before. */
struct ladder {
    uint64_t smallest, largest; /* things: lines, or pages */
    uint64_t spacing;           /* bytes */
    enum hwc_access access;
    enum hwc_pages pages;
    unsigned steps; /* doublings for which the misses above are followed: no level is so much smaller */
    bool timed;     /* that a level between serves them shows in the time, too */
};

static const struct ladder lines = {
    .smallest = 64, .largest = 262144, .spacing = 64, .access = HWC_LOAD, .pages = HWC_BASE_PAGES, .steps = 3,
    .timed = true,
};

/* One line of each page, and not the same of all: they are to be in as many sets of the caches as they can. No TLB has
 * half as many entries as the largest has pages. */
static struct ladder pages_of(const struct hwc_lab *lab, enum hwc_access access)
{
    return (struct ladder){
        .smallest = 8, .largest = 16384, .spacing = lab->machine->page_bytes + 64, .access = access,
        .pages = access == HWC_FETCH ? HWC_CODE_PAGES : HWC_BASE_PAGES, .steps = 2,
    };
}

static const struct {
    unsigned samples;
    double misses;  /* of the references: past the level above */
    double follows; /* of the misses above: no fewer below */
    double sooner;  /* of the time of the largest footprint: a level between serves them */
} policy = {
    .samples = 2, .misses = 0.7, .follows = 0.8, .sooner = 0.7,
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

static int measure_in(struct hwc_lab *lab, const struct ladder *ladder, const struct hwc_arena *arena, uint64_t things,
                      const enum hwc_event event[2], struct footprint *footprint, struct hwc_error *error)
{
    struct hwc_walk walk;
    double ignored;
    int status;

    hwc_walk_init(&walk);
    walk.access = ladder->access;
    status = hwc_walk_sequence(&walk, 0, ladder->spacing, (size_t)things, error);
    if (status == HWC_OK) {
        hwc_walk_shuffle(&walk, &lab->random);
        status = count(lab, arena, &walk, event[0], &footprint->above, &footprint->cycles, error);
    }
    if (status == HWC_OK && is_past_above(footprint))
        status = count(lab, arena, &walk, event[1], &footprint->below, &ignored, error);
    hwc_walk_free(&walk);
    return status;
}

static int measure(struct hwc_lab *lab, const struct ladder *ladder, uint64_t things, const enum hwc_event event[2],
                   struct footprint *footprint, struct hwc_error *error)
{
    struct hwc_arena arena = {0};
    int status = lab->machine->ops->arena_open(lab->machine, things * ladder->spacing, ladder->pages, &arena, error);

    if (status == HWC_OK)
        status = measure_in(lab, ladder, &arena, things, event, footprint, error);
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
static int follows_above(struct hwc_lab *lab, const struct ladder *ladder, const enum hwc_event event[2], uint64_t *from,
                         bool *follows, struct hwc_error *error)
{
    struct footprint first = {0}, footprint = {0};
    unsigned steps = 0;

    *follows = false;
    for (uint64_t things = *from; steps < ladder->steps; things *= 2) {
        *from = steps == 0 ? things : *from;
        if (things > ladder->largest || things * ladder->spacing > lab->machine->max_arena_bytes) {
            *follows = !ladder->timed && steps > 0;
            return HWC_OK;
        }
        TRY(measure(lab, ladder, things, event, &footprint, error));
        if (!is_past_above(&footprint))
            continue;
        if (!is_followed(&footprint))
            return HWC_OK;
        first = steps++ == 0 ? footprint : first;
    }
    *follows = !ladder->timed;
    if (ladder->timed) {
        TRY(measure(lab, ladder, ladder->largest, event, &footprint, error));
        *follows = is_served_between(lab, &first, &footprint);
    }
    return HWC_OK;
}

/* `which`: of the two events. */
static void reject(struct hwc_event_record *record, const char *which, enum hwc_event other)
{
    record->status = HWC_EVENT_REJECTED;
    record->fault = HWC_FAULT_OTHER_LEVEL;
    hwc_write(record->reason, sizeof record->reason,
              "%s another level's misses: as many as %s of any walk that the level above does not hold", which,
              hwc_event_name(other));
}

static int check(struct hwc_lab *lab, enum hwc_event above, uint64_t *from, struct hwc_event_record *record,
                 struct hwc_error *error)
{
    const enum hwc_event event[2] = {above, record->event};

    while (hwc_is_believed(record)) {
        bool follows;
        int status = follows_above(lab, &lines, event, from, &follows, error);
        if (status != HWC_OK || !follows)
            return hwc_came_to_nothing(status) ? HWC_OK : status;
        reject(record, "counts", above);
        TRY(hwc_qualify_next(lab, record, error));
    }
    return HWC_OK;
}

/* Events of a first and a last level of TLBs. */
struct tlb_events {
    struct hwc_event_record *first, *last;
};

/* How their counts compare; NOT_KNOWN where they could not be taken. */
enum comparison { NOT_KNOWN, DIFFERENT, THE_SAME };

static int compare(struct hwc_lab *lab, const struct tlb_events *tlb, enum comparison *counts, struct hwc_error *error)
{
    const enum hwc_event event[2] = {tlb->first->event, tlb->last->event};
    struct ladder pages = pages_of(lab, event[0] == HWC_ITLB_MISS ? HWC_FETCH : HWC_LOAD);
    uint64_t from = pages.smallest;
    bool follows;
    int status = follows_above(lab, &pages, event, &from, &follows, error);

    *counts = status != HWC_OK ? NOT_KNOWN : follows ? THE_SAME : DIFFERENT;
    return hwc_came_to_nothing(status) ? HWC_OK : status;
}

/* `one` of the events counts as `other` does: is there another way to count it, by which it does not? Else all is as it
 * was. */
static int count_otherwise(struct hwc_lab *lab, const struct tlb_events *tlb, struct hwc_event_record *one,
                           enum hwc_event other, enum comparison *counts, struct hwc_error *error)
{
    unsigned ways_given_up = lab->ways_given_up, notes = lab->notes.count;

    while (hwc_is_believed(one)) {
        reject(one, "counts", other);
        TRY(hwc_qualify_next(lab, one, error));
        if (hwc_is_believed(one))
            TRY(compare(lab, tlb, counts, error));
        if (*counts == DIFFERENT)
            return HWC_OK;
    }
    *counts = THE_SAME; /* as before */
    lab->ways_given_up = ways_given_up;
    lab->notes.count = notes;
    return hwc_qualify_event(lab, one->event, one, error);
}

/* Where two events of TLBs always count the same, one of them counts the other's level, or there is one level only. Time
 * does not tell which: what misses a TLB may miss caches, too. Another way to count one of them, by which it differs from
 * the other, does: it counts more than the first did, or less than the last did, and so the other is right. */
static int check_tlbs(struct hwc_lab *lab, struct hwc_event_record *first, struct hwc_event_record *last,
                      struct hwc_error *error)
{
    static const char one_of_both[] = "it or the other counts";
    const struct tlb_events tlb = {first, last};
    enum comparison counts;

    if (!hwc_is_believed(first) || !hwc_is_believed(last))
        return HWC_OK;
    TRY(compare(lab, &tlb, &counts, error));
    if (counts == THE_SAME)
        TRY(count_otherwise(lab, &tlb, first, last->event, &counts, error));
    if (counts == THE_SAME)
        TRY(count_otherwise(lab, &tlb, last, first->event, &counts, error));
    if (counts == THE_SAME) {
        reject(first, one_of_both, last->event);
        reject(last, one_of_both, first->event);
    }
    return HWC_OK;
}

/* Is it one of these? NULL = all. */
static bool is_among(const bool *which, enum hwc_event event)
{
    return which == NULL || which[event];
}

/* The best event of the nearest level above that has one. */
static enum hwc_event event_above(const struct hwc_event_record *records, unsigned level)
{
    enum hwc_event above = HWC_NO_EVENT;

    while (above == HWC_NO_EVENT && --level > 0)
        above = hwc_best_event(records, level);
    return above;
}

int hwc_check_event_levels(struct hwc_lab *lab, struct hwc_event_record records[HWC_EVENT_COUNT], const bool *which,
                           struct hwc_error *error)
{
    uint64_t from = lines.smallest; /* lower levels are larger */

    for (unsigned level = 2; level <= HWC_MAX_CACHE_LEVEL; level++) {
        enum hwc_event above = event_above(records, level);
        for (const enum hwc_event *e = hwc_data_miss_events(level); above != HWC_NO_EVENT && *e != HWC_NO_EVENT; e++)
            if (is_among(which, *e))
                TRY(check(lab, above, &from, &records[*e], error));
    }
    if (is_among(which, HWC_DTLB_MISS) || is_among(which, HWC_DTLB2_MISS))
        TRY(check_tlbs(lab, &records[HWC_DTLB_MISS], &records[HWC_DTLB2_MISS], error));
    if (is_among(which, HWC_ITLB_MISS) || is_among(which, HWC_ITLB2_MISS))
        TRY(check_tlbs(lab, &records[HWC_ITLB_MISS], &records[HWC_ITLB2_MISS], error));
    hwc_choose_witnesses(lab, records);
    return HWC_OK;
}
