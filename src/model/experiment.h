/* Experiments: short scripts of steps over walks.
 *
 * AMP's "read N bytes; read them again, counting" (ISPASS 2001, 3.2) is
 * { RUN w }, { MEASURE w }. Every MEASURE fills the next reading of the
 * sample, so one play can measure several things in one state of the caches. */
#ifndef HWC_EXPERIMENT_H
#define HWC_EXPERIMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "arena.h"
#include "event.h"
#include "walk.h"

enum hwc_step_kind {
    HWC_FLUSH,   /* evict the walk's lines from every cache */
    HWC_RELEASE, /* give back all pages of the arena: the next touch of each is a page fault */
    HWC_RUN,
    HWC_RUN_ELSEWHERE, /* the experiment's other CPU goes through the walk, of loads, while this one waits */
    HWC_MEASURE,
};

struct hwc_step {
    enum hwc_step_kind kind;
    const struct hwc_walk *walk; /* NULL for HWC_RELEASE */
    uint32_t passes;             /* how often RUN and MEASURE go through the walk */
};

enum { HWC_MAX_STEPS = 8 };
enum { HWC_MAX_READINGS = 4 };

struct hwc_experiment {
    const struct hwc_arena *arena;
    enum hwc_event event; /* counted in the MEASURE steps; HWC_NO_EVENT counts nothing */
    bool apart;           /* the walks share no cell: all are laid out before the first step, none between steps */
    double slower_than;   /* core cycles; > 0: MEASURE only times each reference and counts those slower than this; for
                             machines with times_each */
    unsigned other_cpu;   /* 0 = none; else the machine's n-th other CPU, for RUN_ELSEWHERE */
    unsigned steps;
    struct hwc_step step[HWC_MAX_STEPS];
};

static inline const struct hwc_arena *hwc_arena_of(const struct hwc_experiment *experiment, const struct hwc_step *step)
{
    return step->walk != NULL && step->walk->arena != NULL ? step->walk->arena : experiment->arena;
}

/* The number of references in one play. */
static inline uint64_t hwc_references_of(const struct hwc_experiment *experiment)
{
    uint64_t references = 0;

    for (unsigned i = 0; i < experiment->steps; i++)
        if (experiment->step[i].walk != NULL)
            references += hwc_walk_references(experiment->step[i].walk) * experiment->step[i].passes;
    return references;
}

/* In an experiment this long a context switch is next to nothing, but for the time until the thread goes on. */
static inline bool hwc_is_long(const struct hwc_experiment *experiment)
{
    return hwc_references_of(experiment) >= 100000;
}

struct hwc_reading {
    double cycles; /* core cycles; 0 without a clock */
    bool counted;
    double count; /* of the experiment's event, if counted */
    double slow;  /* references slower than slower_than, in the pass with the fewest of them */
};

struct hwc_sample {
    unsigned readings;
    struct hwc_reading reading[HWC_MAX_READINGS];
    /* Something spoiled the sample: the thread was preempted or migrated, the
     * hypervisor stole time, or a counter did not run all the time. Callers
     * discard such samples and count them. */
    bool disturbed;
    bool stopped; /* with a status that is not HWC_OK: it was the counter that failed */
};

#endif
