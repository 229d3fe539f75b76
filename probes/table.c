#include "table.h"

#include <stddef.h>

const struct hwc_probe *const hwc_probes[] = {
#define HWC_PROBE(name) &hwc_probe_##name,
#include "table.def"
#undef HWC_PROBE
    NULL,
};
