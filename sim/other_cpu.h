/* Another CPU of a simulated machine, while it takes a step. It has caches of its
 * own and shares others with the measuring thread's. Nothing is timed or counted
 * on it, so that it has no TLBs and no clock. */
#ifndef HWC_SIM_OTHER_CPU_H
#define HWC_SIM_OTHER_CPU_H

#include "machine_state.h"

/* Have the CPU go through a walk that was located. */
int sim_other_cpu_run(struct sim_machine *machine, unsigned cpu, const struct hwc_step *step, struct hwc_error *error);

void sim_other_cpu_free(struct sim_other_cpu *other);

#endif
