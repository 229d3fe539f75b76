/* Steady states of simulated caches.
 *
 * A repeated walk brings deterministic caches back to an earlier state, mostly
 * after a pass or two. From then on passes repeat, and their counts can be
 * multiplied instead of simulated. States are compared by a 64-bit hash of the
 * sets that the walk visits, and of all else that its hits depend on. */
#ifndef HWC_SIM_STEADY_H
#define HWC_SIM_STEADY_H

#include "hierarchy.h"
#include "tlb.h"

enum { SIM_LONGEST_PERIOD = 24 };

struct sim_steady {
    bool possible;   /* the hierarchy is deterministic, and all its state lies in the sets */
    unsigned known;  /* states remembered, the newest last */
    unsigned period; /* passes until a state repeats; 0 = not known */
    unsigned futile; /* looks that found no repetition */
    struct {
        uint64_t state;
        struct sim_counts counts; /* at that state */
    } past[SIM_LONGEST_PERIOD + 1];
};

void sim_steady_init(struct sim_steady *steady, const struct sim_hierarchy *hierarchy);

/* Call when anything but passes has changed the caches. */
void sim_steady_forget(struct sim_steady *steady);

/* Look at the state after a pass over the places. `counts` accumulate from look to
 * look; `further` is a hash of what passes depend on besides caches and
 * translation. */
void sim_steady_look(struct sim_steady *steady, const struct sim_hierarchy *hierarchy,
                     const struct sim_translation *translation, const struct sim_place *places, size_t count,
                     uint64_t further, const struct sim_counts *counts);

/* What one period adds; false when none is known. */
bool sim_steady_period(const struct sim_steady *steady, struct sim_counts *adds);

/* `periods` were skipped: add what they would have counted to the remembered counts. */
void sim_steady_skipped(struct sim_steady *steady, const struct sim_counts *adds, uint64_t periods);

#endif
