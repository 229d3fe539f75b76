/* Event counts of a simulated machine. */
#ifndef HWC_SIM_COUNTS_H
#define HWC_SIM_COUNTS_H

#include "machine_state.h"

/* The event's count so far, before the machine file's factor. */
double sim_raw_count(const struct sim_machine *machine, enum hwc_event event);

/* Does the machine have anything that the event could count? */
bool sim_has_subject(const struct sim_machine *machine, enum hwc_event event);

/* The event's level of caches or TLBs, for messages; 0 if it belongs to none. */
unsigned sim_event_level(enum hwc_event event);
bool sim_event_of_tlb(enum hwc_event event);

#endif
