/* Steady states of simulated caches.
 *
 * A walk that goes round and round brings deterministic caches back to a state
 * that they were in before, mostly after a pass or two; from then on passes
 * repeat, and their counts can be multiplied instead of played. States are
 * compared by a 64-bit hash over the sets that the walk visits, and over what
 * else bears on what its references hit. */
#ifndef HWC_SIM_STEADY_H
#define HWC_SIM_STEADY_H

#include "hierarchy.h"
#include "tlb.h"

enum { SIM_LONGEST_PERIOD = 24 };

struct sim_steady {
    bool possible;   /* nothing in the hierarchy is left to chance or lies outside the sets */
    unsigned known;  /* states remembered, the newest last */
    unsigned period; /* passes from one state to the same again; 0 = not known */
    unsigned futile; /* states looked at without a repetition */
    struct {
        uint64_t state;
        struct sim_counts counts; /* at that state */
    } past[SIM_LONGEST_PERIOD + 1];
};

void sim_steady_init(struct sim_steady *steady, const struct sim_hierarchy *hierarchy);

/* Something else has happened to the caches. */
void sim_steady_forget(struct sim_steady *steady);

/* Look at the state after a pass over the places. `counts` go on from one look
 * to the next; `further` is a hash of what passes depend on besides caches and
 * translation. */
void sim_steady_look(struct sim_steady *steady, const struct sim_hierarchy *hierarchy,
                     const struct sim_translation *translation, const struct sim_place *places, size_t count,
                     uint64_t further, const struct sim_counts *counts);

/* What one period adds; false when none is known. */
bool sim_steady_period(const struct sim_steady *steady, struct sim_counts *adds);

/* `periods` were skipped: shift what is remembered by what they would have added. */
void sim_steady_skipped(struct sim_steady *steady, const struct sim_counts *adds, uint64_t periods);

#endif
