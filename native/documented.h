/* What the system documents about its caches; only the report uses it. */
#ifndef HWC_NATIVE_DOCUMENTED_H
#define HWC_NATIVE_DOCUMENTED_H

#include "machine.h"

/* From sysfs, or from hwloc if sysfs describes no cache. */
void native_read_documented(int cpu, struct hwc_documented *documented);

#endif
