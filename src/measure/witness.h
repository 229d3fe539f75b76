/* Witnesses: who says how many references miss, a counter or the clock; one for
 * each level and structure, settled before a probe asks. */
#ifndef HWC_WITNESS_H
#define HWC_WITNESS_H

#include <stdbool.h>

#include "event.h"
#include "experiment.h"

enum hwc_witness_kind { HWC_NO_WITNESS, HWC_COUNTER, HWC_CLOCK, HWC_SYSTEM_WITNESS };

const char *hwc_witness_name(enum hwc_witness_kind kind);

/* Who answers for a level. */
struct hwc_witness {
    enum hwc_witness_kind kind;
    enum hwc_event event;      /* counter: which */
    char counter[128];         /* counter: its native name */
    double factor;             /* counter: counts so many for each miss (1 for a trusted event) */
    double hit_cycles;         /* clock: a reference that this level serves */
    double miss_cycles;        /* clock: one that the next level serves */
    double slow_cycles;        /* clock: references timed one by one take less when they hit and more when they miss;
                                  0 = they cannot be told apart */
};

/* Does it count misses, rather than weigh the time that they take? */
static inline bool hwc_counts(const struct hwc_witness *witness)
{
    return witness->kind == HWC_COUNTER || (witness->kind == HWC_CLOCK && witness->slow_cycles > 0);
}

static inline bool hwc_can_answer(const struct hwc_witness *witness)
{
    return witness->kind != HWC_NO_WITNESS;
}

/* Does it count the misses themselves? */
static inline bool hwc_counts_events(const struct hwc_witness *witness)
{
    return witness->kind == HWC_COUNTER;
}

/* Does it read how long a walk takes as a whole? Then it must know what hits and misses take. */
static inline bool hwc_goes_by_time(const struct hwc_witness *witness)
{
    return witness->kind == HWC_CLOCK && witness->slow_cycles <= 0;
}

/* Does it tell misses from hits? By time, a miss must take longer. */
static inline bool hwc_tells(const struct hwc_witness *witness)
{
    return hwc_can_answer(witness) && (!hwc_goes_by_time(witness) || witness->miss_cycles > witness->hit_cycles);
}

/* What it counts; HWC_NO_EVENT where it does not go by an event. */
static inline enum hwc_event hwc_event_of(const struct hwc_witness *witness)
{
    return witness->kind == HWC_COUNTER ? witness->event : HWC_NO_EVENT;
}

/* A counter of an event whose count stands for itself. */
static inline struct hwc_witness hwc_by_event(enum hwc_event event)
{
    return (struct hwc_witness){.kind = HWC_COUNTER, .event = event, .factor = 1};
}

/* Whole walks' time, of no level. */
extern const struct hwc_witness hwc_by_clock;

/* Have the experiment count what the witness counts: its event, or slow references. */
void hwc_ask_witness(const struct hwc_witness *witness, struct hwc_experiment *experiment);

/* Misses, by the count of an event or by the time of the whole, in units of
 * the level's miss. What hits would take is not taken off. */
double hwc_weigh_reading(const struct hwc_witness *witness, const struct hwc_reading *reading);

/* What hits weigh: 0 by the count of an event; by time, what they take. */
double hwc_weight_of_hits(const struct hwc_witness *witness, double hits);

/* The same, but where the witness counts slow references, those. */
double hwc_count_reading(const struct hwc_witness *witness, const struct hwc_reading *reading);

/* What is measured besides data caches; each has a witness of its own. */
enum hwc_structure { HWC_L1I, HWC_L2I, HWC_DTLB1, HWC_DTLB2, HWC_ITLB1, HWC_ITLB2, HWC_STRUCTURES };

/* The event that counts its misses. */
enum hwc_event hwc_structure_event(enum hwc_structure structure);

/* Is it asked by fetches? */
static inline bool hwc_is_of_code(enum hwc_structure structure)
{
    return structure == HWC_L1I || structure == HWC_L2I || structure == HWC_ITLB1 || structure == HWC_ITLB2;
}

/* Levels of translation, of data and of code. */
static inline unsigned hwc_tlb_level(enum hwc_structure structure)
{
    return structure == HWC_DTLB2 || structure == HWC_ITLB2 ? 2 : 1;
}

static inline enum hwc_structure hwc_data_tlb(unsigned level)
{
    return level == 1 ? HWC_DTLB1 : HWC_DTLB2;
}

static inline enum hwc_structure hwc_code_tlb(unsigned level)
{
    return level == 1 ? HWC_ITLB1 : HWC_ITLB2;
}

#endif
