/* The lab: what a probe works in.
 *
 * It holds the machine, the settings of the run, what has been found so far,
 * and the one question that structural probes ask: how many of this walk's
 * references miss at this level in the steady state? Who answers, a counter
 * or the clock, is settled here, per level, before a probe runs. */
#ifndef HWC_LAB_H
#define HWC_LAB_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"
#include "event.h"
#include "machine.h"
#include "random.h"
#include "walk.h"

struct hwc_settings {
    unsigned votes;        /* AMP: 8 */
    unsigned samples;      /* AMP: the minimum of 8 */
    double budget_seconds; /* for the whole run; 0 = none */
    bool quick;            /* fewer votes and samples, and the profile says so */
    uint64_t seed;
};

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

/* What it counts; HWC_NO_EVENT where it does not go by an event. */
static inline enum hwc_event hwc_event_of(const struct hwc_witness *witness)
{
    return witness->kind == HWC_COUNTER ? witness->event : HWC_NO_EVENT;
}

/* Whole walks' time, of no level. */
extern const struct hwc_witness hwc_by_clock;

/* Have the experiment count what the witness counts: its event, or slow references. */
void hwc_ask_witness(const struct hwc_witness *witness, struct hwc_experiment *experiment);

/* Misses, by the count of an event or by the time of the whole, in units of
 * the level's miss. What hits would take is not taken off. */
double hwc_weigh_reading(const struct hwc_witness *witness, const struct hwc_reading *reading);

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

/* How a level was looked at: what a search needs to find its sets again. */
struct hwc_look {
    enum hwc_pages pages;
    uint64_t stride; /* 0 = it was not */
    size_t candidates;
    size_t fillers;
};

/* What is known of a data-cache level. 0 = not (yet) known. */
struct hwc_level {
    uint64_t line_bytes;
    uint64_t fill_bytes;      /* what a miss brings: a line, or several */
    uint64_t size_bytes;
    uint64_t effective_bytes; /* what walks can keep at this level or above; the size where that did not show */
    bool effective_shows;
    uint64_t ways;
    bool hashed, hash_asked;  /* a hash moves its sets about; whether was asked */
    uint64_t period_bytes;    /* addresses this far apart compete for one set: size / ways of an unsliced cache */
    struct hwc_look look;
    double conflict_misses;   /* that one line more than fits costs in a pass: ways + 1 under LRU, an eighth of it under random */
    double hit_cycles;        /* approximate: from the plateaus of the latency curve */
    uint64_t plateau_bytes;         /* where its plateau of the curve begins */
    uint64_t rough_low, rough_high; /* the capacity lies between, by the curve; 0 = not looked at */
};

#define HWC_MAX_TLB_LEVEL 2

/* What is known of a level of translation, for pages of one size. 0 = not known. */
struct hwc_tlb {
    uint64_t entries;
    uint64_t ways;
    uint64_t page_bytes;   /* what one entry covers */
    uint64_t period_bytes; /* what its sets cover: addresses this far apart compete for one, but where a hash chooses it */
    uint64_t apart_bytes;  /* addresses this far apart compete for one set in any case */
};

#define HWC_MAX_NOTES 48

struct hwc_notes {
    unsigned count;
    char text[HWC_MAX_NOTES][256];
};

/* Of the last so many readings. */
struct hwc_mean {
    double value, readings;
};

struct hwc_lab {
    struct hwc_machine *machine;
    struct hwc_settings settings;
    struct hwc_random random;
    double started;              /* seconds, monotonic */
    double probe_started;        /* seconds since then; of the probe at work */
    unsigned levels;             /* data-cache levels found; 0 = not yet counted */
    struct hwc_level level[HWC_MAX_CACHE_LEVEL + 2]; /* by level, from 1 */
    struct hwc_level code; /* the first instruction cache, where it is known */
    struct hwc_witness witness[HWC_MAX_CACHE_LEVEL + 2];
    struct hwc_witness other[HWC_STRUCTURES];
    struct hwc_witness writeback[HWC_MAX_CACHE_LEVEL + 1]; /* by level, from 1: counters of the lines that it writes back */
    struct hwc_tlb tlb[HWC_STRUCTURES], large_tlb[HWC_STRUCTURES]; /* of ordinary pages, and of large ones */
    struct hwc_mean first_again; /* cycles of reading one line of the first level, the reading included (evict.c) */
    bool hashed; /* lines far apart are spread over all sets of some cache: thinned footprints are no measure */
    uint64_t samples_taken;
    uint64_t samples_dropped;
    struct hwc_notes notes;
};

void hwc_lab_init(struct hwc_lab *lab, struct hwc_machine *machine, const struct hwc_settings *settings);

/* Add a note once; a note that is already there is not repeated. */
void hwc_note(struct hwc_notes *notes, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Seconds since the lab was opened. */
double hwc_lab_elapsed(const struct hwc_lab *lab);

/* Seconds that this thread has worked: what else runs on the machine does not count. */
double hwc_lab_worked(void);

/* A noisy machine could be asked for ever. Have its run, and the probe at work, taken what they reasonably may? A run
 * that is over its time leaves each later probe some of its own. */
bool hwc_lab_is_late(const struct hwc_lab *lab);

/* Is the budget spent? */
bool hwc_lab_overdrawn(const struct hwc_lab *lab);

/* Lines that between them fill one set of every level above. */
size_t hwc_ways_above(const struct hwc_lab *lab, unsigned level);

/* The longest period of the levels above. */
uint64_t hwc_period_above(const struct hwc_lab *lab, unsigned level);

/* Close an arena; where it was never opened (all zero), nothing. */
void hwc_close_arena(struct hwc_lab *lab, struct hwc_arena *arena);

/* One undisturbed sample, or after many tries the last of the disturbed. */
int hwc_lab_sample(struct hwc_lab *lab, const struct hwc_experiment *experiment, struct hwc_sample *sample,
                   struct hwc_error *error);

/* The least of so many samples' first readings, by hwc_weigh_reading. */
int hwc_weigh_least(struct hwc_lab *lab, const struct hwc_witness *witness, const struct hwc_experiment *experiment,
                    unsigned samples, double *least, struct hwc_error *error);

/* Flush the walk where the machine can: leave no line behind that a policy
 * might prefer to the next walk's. */
int hwc_leave_nothing(struct hwc_lab *lab, const struct hwc_arena *arena, const struct hwc_walk *walk,
                      struct hwc_error *error);

/* A walk in its steady state: everything per pass, the cost of starting and
 * reading counter and clock cancelled by differencing two lengths. */
struct hwc_steady {
    double cycles;  /* per pass */
    double misses;  /* per pass, of the event asked for */
    bool counted;
};

/* Measure the steady state of a walk: warm up, measure k and 2k passes, take
 * the minimum of each over the samples, and subtract. `event` may be
 * HWC_NO_EVENT, for time alone. `samples`: how many the minimum is taken
 * over; fewer when a counter repeats itself exactly, more when the spread
 * stays wide. */
int hwc_measure_steady(struct hwc_lab *lab, const struct hwc_arena *arena, const struct hwc_walk *walk,
                       enum hwc_event event, unsigned samples, struct hwc_steady *steady, struct hwc_error *error);

/* What a witness makes of a pass in the steady state: a counter, misses; the clock, cycles. */
int hwc_measure_by(struct hwc_lab *lab, const struct hwc_witness *witness, const struct hwc_arena *arena,
                   const struct hwc_walk *walk, unsigned samples, double *result, struct hwc_error *error);

#endif
