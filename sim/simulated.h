/* A simulated machine behind the core's machine interface. It counts events
 * itself and has a clock made of latencies and noise. */
#ifndef HWC_SIM_SIMULATED_H
#define HWC_SIM_SIMULATED_H

#include <stdint.h>

#include "description.h"
#include "machine.h"

/* Takes a copy of the description. Close with (*machine)->ops->close. */
int sim_machine_open(struct hwc_machine **machine, const struct sim_description *description, uint64_t seed,
                     struct hwc_error *error);

#endif
