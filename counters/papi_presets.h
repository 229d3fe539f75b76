/* PAPI's presets on this CPU, and of which native events each is made. Only where hwchar is built with PAPI. */
#ifndef HWC_COUNTERS_PAPI_PRESETS_H
#define HWC_COUNTERS_PAPI_PRESETS_H

#include <stdbool.h>

#include "machine.h"

/* The name of the i-th preset that PAPI defines on this CPU, or event that the user's PAPI_USER_EVENTS_FILE does. */
bool ctr_papi_preset(unsigned i, char name[HWC_NATIVE_NAME]);

/* Its definition, and PAPI's description of it; of a native event, the description alone. */
void ctr_papi_define(const char *name, struct hwc_listed *listed);

#endif
