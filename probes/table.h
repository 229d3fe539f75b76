/* Every probe, declared for the table and for the file that defines it. */
#ifndef HWC_PROBES_TABLE_H
#define HWC_PROBES_TABLE_H

#include "probe.h"

#define HWC_PROBE(name) extern const struct hwc_probe hwc_probe_##name;
#include "table.def"
#undef HWC_PROBE

#endif
