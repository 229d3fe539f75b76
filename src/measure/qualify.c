#include "qualify.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "given_up.h"
#include "known_misses.h"
#include "line_placement.h"
#include "steady_state.h"

static const struct {
    size_t cold_lines, code_lines, thrash_lines;
    uint64_t last_word; /* of a page, bytes: it lies in the last line, however short lines are */
} policy = {
    /* Lines of the cold walk, one a page, so that no prefetcher brings the next; few of code, as code that has run
     * keeps costing a simulator time. Where nothing flushes, thrash_lines at one page offset fit in no cache of up to
     * 64 MiB. */
    .cold_lines = 1024,
    .code_lines = 256,
    .thrash_lines = 16384,
    .last_word = 8,
};

const char *hwc_event_status_name(enum hwc_event_status status)
{
    static const char *const names[] = {"absent", "trusted", "biased", "rejected"};
    return names[status];
}

/* An event that counts more than this share of the hits counts something else. */
static const double most_hits = 0.02;

enum hwc_event_status hwc_judge_event(double expected, double least, double most, double resident, double references,
                                      double *factor)
{
    double ratio = least / expected;

    *factor = 1.0;
    if (resident > most_hits * references)
        return HWC_EVENT_REJECTED; /* counts hits, or something else */
    if (ratio > 0.95 && ratio < 1.05)
        return HWC_EVENT_TRUSTED;
    if (ratio >= 1.05 || ratio < 0.2)
        return HWC_EVENT_REJECTED; /* more misses than references (an erratum, as UltraSPARC has), or hardly any */
    if (most > 1.1 * least)
        return HWC_EVENT_REJECTED; /* no stable factor */
    *factor = ratio;
    return HWC_EVENT_BIASED;
}

/* The kind of references that test this event. */
static enum hwc_access access_of(enum hwc_event event)
{
    switch (event) {
    case HWC_L1D_STORE_MISS:
    case HWC_L1D_WRITEBACK:
    case HWC_L2_WRITEBACK:
    case HWC_L3_WRITEBACK:
        return HWC_STORE;
    case HWC_L1I_MISS:
    case HWC_L2I_MISS:
    case HWC_ITLB_MISS:
    case HWC_ITLB2_MISS:
        return HWC_FETCH;
    default:
        return HWC_LOAD;
    }
}

static bool counts_translation(enum hwc_event event)
{
    return event == HWC_DTLB_MISS || event == HWC_DTLB2_MISS || event == HWC_ITLB_MISS || event == HWC_ITLB2_MISS;
}

static enum hwc_pages pages_of(enum hwc_event event)
{
    if (access_of(event) == HWC_FETCH)
        return HWC_CODE_PAGES;
    return counts_translation(event) ? HWC_SPARSE_PAGES : HWC_BASE_PAGES;
}

/* `at`: where in their pages the cold lines lie. */
static int open_known(struct hwc_known_misses *known, struct hwc_lab *lab, enum hwc_event event, uint64_t at,
                      struct hwc_error *error)
{
    /* Translation is tested on pages apart: one entry may cover several, or the system may merge them. */
    uint64_t page = lab->machine->page_bytes * (counts_translation(event) ? HWC_PAGES_APART : 1);
    /* Translations cannot be flushed, and a flush is not an eviction. */
    bool steady = !lab->machine->flushes || counts_translation(event) || hwc_is_writeback(event);
    bool code = event == HWC_L1I_MISS || event == HWC_L2I_MISS;
    size_t lines = code ? policy.code_lines : steady ? policy.thrash_lines : policy.cold_lines;

    lines = hwc_affordable_lines(lab, lines, page);
    TRY(hwc_known_open(known, lab, access_of(event), lines * page, pages_of(event), error));
    known->steady = steady;
    TRY(hwc_walk_sequence(&known->cold, at, page, lines, error));
    hwc_walk_shuffle(&known->cold, &lab->random);
    return HWC_OK;
}

/* A counter that counts less than this share of what there is counts nothing. */
static const double dead_share = 0.01;

static void explain_rejection(struct hwc_event_record *record, double resident, double references)
{
    if (hwc_is_writeback(record->event) && record->counted < 0.05 * record->expected)
        snprintf(record->reason, sizeof record->reason,
                 "counted %.0f for %.0f lines that were stored to and put out: the level hands stores on at once or "
                 "takes none in, or the counter does not count", record->counted, record->expected);
    else
        snprintf(record->reason, sizeof record->reason, "counted %.0f for %.0f misses, %.0f for %.0f hits",
                 record->counted, record->expected, resident, references);
    if (record->counted < dead_share * record->expected && resident <= dead_share * references)
        record->fault = HWC_FAULT_COUNTS_NOTHING;
    else if (resident > most_hits * references)
        record->fault = HWC_FAULT_COUNTS_HITS;
}

/* Of data, no sample can count more than there is. What others do adds to some more than to others, and the least of all
 * may pass by chance. */
static void hold_against_most(struct hwc_event_record *record, double most)
{
    if (record->fault != HWC_FAULT_NONE || access_of(record->event) == HWC_FETCH || most <= 1.1 * record->expected ||
        most <= 1.1 * record->counted)
        return;
    record->status = HWC_EVENT_REJECTED;
    record->fault = HWC_FAULT_COUNTS_OTHERS;
    snprintf(record->reason, sizeof record->reason,
             "counts what others do, too: from %.0f to %.0f for the same %.0f misses", record->counted, most,
             record->expected);
}

static void judge(const struct hwc_known_counts *counts, double expected, struct hwc_event_record *record)
{
    double references = HWC_RESIDENT_REFERENCES;
    double per_reference = counts->resident[1] - counts->resident[0];

    record->overhead = hwc_counting_overhead(counts);
    record->expected = expected;
    record->counted = fmax(0, counts->least - record->overhead);
    record->status = hwc_judge_event(record->expected, record->counted, fmax(0, counts->most - record->overhead),
                                     per_reference, references, &record->factor);
    if (record->status == HWC_EVENT_REJECTED)
        explain_rejection(record, per_reference, references);
    hold_against_most(record, fmax(0, counts->most - record->overhead));
}

static int count_and_judge(struct hwc_known_misses *known, struct hwc_event_record *record, struct hwc_error *error)
{
    struct hwc_known_counts counts;

    TRY(hwc_count_known(known, record->event, &counts, error));
    judge(&counts, (double)known->cold.count, record);
    return hwc_leave_nothing(known->lab, &known->arena, &known->cold, error);
}

/* Does it count more than there is, of data? What is prefetched may be what it counts, too. */
static bool over_counts(const struct hwc_event_record *record)
{
    return record->status == HWC_EVENT_REJECTED && record->fault == HWC_FAULT_NONE &&
           record->counted > record->expected && access_of(record->event) != HWC_FETCH &&
           !counts_translation(record->event) && !hwc_is_writeback(record->event);
}

/* Prefetchers do not go beyond a page: an event that counts what they bring counts right where the lines are the last of
 * their pages, and nowhere else. */
static int count_at_ends(struct hwc_lab *lab, struct hwc_event_record *record, struct hwc_error *error)
{
    struct hwc_event_record at_ends = {.event = record->event};
    struct hwc_known_misses known;
    int status = open_known(&known, lab, record->event, lab->machine->page_bytes - policy.last_word, error);

    if (status == HWC_OK)
        status = count_and_judge(&known, &at_ends, error);
    hwc_known_close(&known);
    if (status != HWC_OK || at_ends.status != HWC_EVENT_TRUSTED)
        return hwc_came_to_nothing(status) ? HWC_OK : status;
    record->fault = HWC_FAULT_COUNTS_PREFETCHES;
    snprintf(record->reason, sizeof record->reason,
             "counts prefetches, too: %.2f for each miss, but %.2f at the ends of pages, where prefetchers stop",
             record->counted / record->expected, at_ends.counted / at_ends.expected);
    return HWC_OK;
}

static int qualify(struct hwc_lab *lab, struct hwc_event_record *record, struct hwc_error *error)
{
    struct hwc_known_misses known;
    int status = open_known(&known, lab, record->event, 0, error);

    if (status == HWC_OK)
        status = count_and_judge(&known, record, error);
    hwc_known_close(&known);
    if (status == HWC_OK && over_counts(record))
        status = count_at_ends(lab, record, error);
    if (status != HWC_UNAVAILABLE && status != HWC_INCONCLUSIVE)
        return status;
    record->status = HWC_EVENT_REJECTED;
    hwc_write(record->reason, sizeof record->reason, "%s", error->message);
    return HWC_OK;
}

static const struct hwc_event_record *record_of(const struct hwc_event_record *records, enum hwc_event event)
{
    return event < HWC_EVENT_COUNT ? &records[event] : NULL;
}

/* An event named by the user goes first, then trusted ones in the order of preference, then biased ones. */
static const struct hwc_event_record *best_event(const struct hwc_event_record *records, unsigned level)
{
    const struct hwc_event_record *best = NULL;
    int best_rank = 0;

    for (const enum hwc_event *e = hwc_data_miss_events(level); *e != HWC_NO_EVENT; e++) {
        const struct hwc_event_record *record = record_of(records, *e);
        int rank;
        /* Store misses cannot stand in for those of a load chain. */
        if (!hwc_is_believed(record) || record->event == HWC_L1D_STORE_MISS)
            continue;
        rank = (strcmp(record->quality, "named by the user") == 0 ? 4 : 1) + (record->status == HWC_EVENT_TRUSTED);
        if (rank > best_rank) {
            best = record;
            best_rank = rank;
        }
    }
    return best;
}

static void let_answer(struct hwc_witness *witness, const struct hwc_event_record *record)
{
    witness->kind = HWC_COUNTER;
    witness->event = record->event;
    witness->factor = record->factor;
    snprintf(witness->counter, sizeof witness->counter, "%s", record->counter);
}

/* A counter that is believed no more answers no more; the times of hits and misses stay. */
static void settle(struct hwc_witness *witness, const struct hwc_event_record *record)
{
    if (hwc_is_believed(record))
        let_answer(witness, record);
    else if (hwc_counts_events(witness))
        witness->kind = HWC_NO_WITNESS;
}

enum hwc_event hwc_best_event(const struct hwc_event_record *records, unsigned level)
{
    const struct hwc_event_record *best = best_event(records, level);

    return best != NULL ? best->event : HWC_NO_EVENT;
}

void hwc_choose_witnesses(struct hwc_lab *lab, const struct hwc_event_record *records)
{
    for (unsigned level = 1; level <= HWC_MAX_CACHE_LEVEL; level++) {
        settle(&lab->witness[level], best_event(records, level));
        settle(&lab->writeback[level], record_of(records, hwc_writeback_event(level)));
    }
    for (int i = 0; i < HWC_STRUCTURES; i++)
        settle(&lab->structure_witness[i], record_of(records, hwc_structure_event((enum hwc_structure)i)));
}

static void describe(struct hwc_event_record *record, const struct hwc_event_source *source)
{
    record->factor = 1.0;
    record->status = HWC_EVENT_ABSENT;
    snprintf(record->counter, sizeof record->counter, "%s", source->counter);
    snprintf(record->backend, sizeof record->backend, "%s", source->backend != NULL ? source->backend : "");
    snprintf(record->quality, sizeof record->quality, "%s", source->quality);
    snprintf(record->reason, sizeof record->reason, "%s", source->reason);
    record->cause_at = source->cause_at;
}

/* Probes that ask for these hold them against pages themselves. */
static bool is_of_kernel(enum hwc_event event)
{
    return event == HWC_PAGE_FAULT || event == HWC_MAJOR_FAULT;
}

/* A better way than the one that is believed failed: what it counts is worth knowing. */
static void note_passed_over(struct hwc_lab *lab, const struct hwc_event_record *best)
{
    hwc_note(&lab->notes, "%s is not counted by %s: %s", hwc_event_name(best->event), best->counter, best->reason);
}

static int try_way(struct hwc_lab *lab, struct hwc_event_record *record, struct hwc_error *error)
{
    const char *why = hwc_why_given_up(lab, record);

    if (why == NULL)
        return qualify(lab, record, error);
    record->status = HWC_EVENT_REJECTED;
    hwc_write(record->reason, sizeof record->reason, "%s", why);
    return HWC_OK;
}

int hwc_qualify_event(struct hwc_lab *lab, enum hwc_event event, struct hwc_event_record *kept, struct hwc_error *error)
{
    for (unsigned rank = 0;; rank++) {
        struct hwc_event_record record = {.event = event};
        struct hwc_event_source source;

        lab->machine->ops->event_source(lab->machine, event, rank, &source);
        if (source.available && lab->machine->ops->use_source != NULL)
            lab->machine->ops->use_source(lab->machine, event, &source);
        describe(&record, &source);
        if (rank == 0)
            *kept = record;
        if (!source.available || is_of_kernel(event))
            return HWC_OK;
        TRY(try_way(lab, &record, error));
        if (rank > 0 && record.status != HWC_EVENT_REJECTED)
            note_passed_over(lab, kept);
        if (rank == 0 || record.status != HWC_EVENT_REJECTED)
            *kept = record;
        if (record.status != HWC_EVENT_REJECTED)
            return HWC_OK;
    }
}

int hwc_qualify_next(struct hwc_lab *lab, struct hwc_event_record *record, struct hwc_error *error)
{
    return hwc_give_up(lab, record) ? hwc_qualify_event(lab, record->event, record, error) : HWC_OK;
}

int hwc_qualify_events(struct hwc_lab *lab, struct hwc_event_record records[HWC_EVENT_COUNT], struct hwc_error *error)
{
    for (int event = 0; event < HWC_EVENT_COUNT; event++)
        TRY(hwc_qualify_event(lab, (enum hwc_event)event, &records[event], error));
    hwc_choose_witnesses(lab, records);
    return HWC_OK;
}
