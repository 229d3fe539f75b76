/* A simulated machine's operations `event_source`, `use_source`, `listed` and `named`. */
#ifndef HWC_SIM_SOURCES_H
#define HWC_SIM_SOURCES_H

#include "machine.h"

void sim_event_source(struct hwc_machine *base, enum hwc_event event, unsigned rank,
                      struct hwc_event_source *source);
void sim_use_source(struct hwc_machine *base, enum hwc_event event, const struct hwc_event_source *source);
bool sim_listed(struct hwc_machine *base, unsigned i, struct hwc_listed *listed);
void sim_named(struct hwc_machine *base, const char *name, struct hwc_listed *listed);

#endif
