/* What the system documents about its caches: for the report alone. */
#ifndef HWC_NATIVE_DOCUMENTED_H
#define HWC_NATIVE_DOCUMENTED_H

#include "machine.h"

/* sysfs; where it says nothing, hwloc. */
void native_read_documented(int cpu, struct hwc_documented *documented);

#endif
