/* What others do on a simulated machine while walks are played. */
#ifndef HWC_SIM_INTERFERENCE_H
#define HWC_SIM_INTERFERENCE_H

#include "machine_state.h"

/* Cycles until others do something: a context switch or an interrupt, drawn at random, or what comes next in the
 * recording. */
double sim_next_interference(struct sim_machine *machine);

/* It has come. */
void sim_interfere(struct sim_machine *machine);

/* Cycles that references took more than usual, by the recording, as counted between two counts. */
double sim_excess_cycles(struct sim_machine *machine, const struct sim_counts *before, const struct sim_counts *after);

#endif
