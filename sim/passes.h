/* Passes over a walk on a simulated machine. */
#ifndef HWC_SIM_PASSES_H
#define HWC_SIM_PASSES_H

#include "machine_state.h"

/* Find the addresses and sets of the walk's cells once for all passes. */
int sim_locate(struct sim_machine *machine, const struct hwc_arena *arena, const struct hwc_walk *walk,
               struct hwc_error *error);

/* Play a walk that was located. Passes that repeat earlier ones are skipped, but counted. */
void sim_play_passes(struct sim_machine *machine, const struct hwc_walk *walk, uint32_t passes);

/* Cycles that the references of these counts took; *variance is theirs for a relative latency jitter of 1. */
double sim_cycles_of(const struct sim_machine *machine, const struct sim_counts *counts, double *variance);

#endif
