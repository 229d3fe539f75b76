/* Passes over a walk on a simulated machine. */
#ifndef HWC_SIM_PASSES_H
#define HWC_SIM_PASSES_H

#include "machine_state.h"

/* Find the walk's cells once; passes then go through them without translating. */
int sim_locate(struct sim_machine *machine, const struct hwc_arena *arena, const struct hwc_walk *walk,
               struct hwc_error *error);

/* Play a walk that was located. Passes that repeat earlier ones are skipped, and counted. */
void sim_play_passes(struct sim_machine *machine, const struct hwc_walk *walk, uint32_t passes);

/* Cycles that the references of these counts took, and their variance in references' own. */
double sim_cycles_of(const struct sim_machine *machine, const struct sim_counts *counts, double *variance);

/* Cycles until the next context switch or interrupt: drawn anew. */
double sim_next_switch(struct sim_machine *machine);

#endif
