/* What a simulated machine's events count. */
#ifndef HWC_SIM_COUNTS_H
#define HWC_SIM_COUNTS_H

#include "machine_state.h"

/* So far, before the machine file's factor. */
double sim_raw_count(const struct sim_machine *machine, enum hwc_event event);

/* Is there anything that the event could count? */
bool sim_has_subject(const struct sim_machine *machine, enum hwc_event event);

/* The level of caches or TLBs whose event it is, for messages: 0 where it is of none. */
unsigned sim_event_level(enum hwc_event event);
bool sim_event_of_tlb(enum hwc_event event);

#endif
