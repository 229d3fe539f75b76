/* Witnesses: what tells how many references miss, a counter or the clock; one for
 * each level and structure, chosen before a probe asks. */
#ifndef HWC_WITNESS_H
#define HWC_WITNESS_H

#include <stdbool.h>

#include "event.h"
#include "experiment.h"

enum hwc_witness_kind { HWC_NO_WITNESS, HWC_COUNTER, HWC_CLOCK, HWC_SYSTEM_WITNESS };

const char *hwc_witness_name(enum hwc_witness_kind kind);

/* In a validation, what counts in the clock's own walks, too (own_walks.h). */
struct hwc_onlooker {
    bool counts;
    enum hwc_event event;
    double factor; /* its count for each miss */
};

/* Who answers for a level. */
struct hwc_witness {
    enum hwc_witness_kind kind;
    enum hwc_event event;      /* counter: which */
    char counter[HWC_NATIVE_NAME]; /* counter: its native name */
    double factor;             /* counter: its count for each miss (1 for a trusted event) */
    double hit_cycles;         /* clock: a reference that this level serves */
    double miss_cycles;        /* clock: one that the next level serves */
    double least_miss_cycles;  /* and what that takes at least, where it is not known well; 0 = it is */
    double slow_cycles;        /* clock: references timed one by one take less when they hit and more when they miss;
                                  0 = they cannot be told apart */
    struct hwc_onlooker onlooker; /* clock */
};

/* Does it count misses one by one, rather than infer them from the time of a walk? */
static inline bool hwc_counts(const struct hwc_witness *witness)
{
    return witness->kind == HWC_COUNTER || (witness->kind == HWC_CLOCK && witness->slow_cycles > 0);
}

static inline bool hwc_can_answer(const struct hwc_witness *witness)
{
    return witness->kind != HWC_NO_WITNESS;
}

/* Does it count misses by a counter, not by timing references? */
static inline bool hwc_counts_events(const struct hwc_witness *witness)
{
    return witness->kind == HWC_COUNTER;
}

/* Does it time a walk as a whole? Then it must know the time of hits and of misses. */
static inline bool hwc_goes_by_time(const struct hwc_witness *witness)
{
    return witness->kind == HWC_CLOCK && witness->slow_cycles <= 0;
}

/* Does it tell misses from hits? By time, a miss must take longer. */
static inline bool hwc_tells(const struct hwc_witness *witness)
{
    return hwc_can_answer(witness) && (!hwc_goes_by_time(witness) || witness->miss_cycles > witness->hit_cycles);
}

/* Clock: what a miss adds to a hit. */
static inline double hwc_added_by_miss(const struct hwc_witness *witness)
{
    return witness->miss_cycles - witness->hit_cycles;
}

/* The same, at least. */
static inline double hwc_least_added_by_miss(const struct hwc_witness *witness)
{
    bool is_less = witness->least_miss_cycles > 0 && witness->least_miss_cycles < witness->miss_cycles;

    return is_less ? witness->least_miss_cycles - witness->hit_cycles : hwc_added_by_miss(witness);
}

/* A step of the clock, in misses; 0 of one that does not go by time. */
static inline double hwc_step_in_misses(const struct hwc_witness *witness, double step_cycles)
{
    return hwc_goes_by_time(witness) ? step_cycles / hwc_added_by_miss(witness) : 0;
}

/* The event that it counts; HWC_NO_EVENT if it uses the clock. */
static inline enum hwc_event hwc_event_of(const struct hwc_witness *witness)
{
    return witness->kind == HWC_COUNTER ? witness->event : HWC_NO_EVENT;
}

/* A counter of an event whose count stands for itself. */
static inline struct hwc_witness hwc_by_event(enum hwc_event event)
{
    return (struct hwc_witness){.kind = HWC_COUNTER, .event = event, .factor = 1};
}

/* The time of whole walks; belongs to no level. */
extern const struct hwc_witness hwc_by_clock;

/* Have the experiment count what the witness counts: its event, or slow references. */
void hwc_ask_witness(const struct hwc_witness *witness, struct hwc_experiment *experiment);

/* Misses, by the count of an event, or by the time of the walk in units of what
 * a miss of the level adds. The time of hits is not subtracted. */
double hwc_weigh_reading(const struct hwc_witness *witness, const struct hwc_reading *reading);

/* The weight of hits in such a reading: 0 by the count of an event; by time, the time they take. */
double hwc_weight_of_hits(const struct hwc_witness *witness, double hits);

/* As hwc_weigh_reading, but the slow references if the witness counts those. */
double hwc_count_reading(const struct hwc_witness *witness, const struct hwc_reading *reading);

/* What is measured besides data caches; each has a witness of its own. */
enum hwc_structure { HWC_L1I, HWC_L2I, HWC_DTLB1, HWC_DTLB2, HWC_ITLB1, HWC_ITLB2, HWC_STRUCTURES };

/* The event that counts its misses. */
enum hwc_event hwc_structure_event(enum hwc_structure structure);

/* Do fetches reference it? */
static inline bool hwc_is_of_code(enum hwc_structure structure)
{
    return structure == HWC_L1I || structure == HWC_L2I || structure == HWC_ITLB1 || structure == HWC_ITLB2;
}

static inline enum hwc_structure hwc_code_cache(unsigned level)
{
    return level == 1 ? HWC_L1I : HWC_L2I;
}

/* The TLB level of a structure, and the data and code TLBs of a level. */
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
