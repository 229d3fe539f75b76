/* PMUs outside the cores, as sysfs lists them: one for each part of a cache that cores share, or one for all. */
#ifndef HWC_COUNTERS_UNCORE_UNITS_H
#define HWC_COUNTERS_UNCORE_UNITS_H

#include <stdbool.h>
#include <stddef.h>

enum { CTR_MOST_UNITS = 256 };

struct ctr_unit {
    char name[64]; /* "uncore_cha_12" */
    int cpu;       /* on which the kernel counts it */
};

/* Where a CPU stands among those that share its last level. */
struct ctr_place {
    unsigned core;   /* how many cores of them have lower numbers */
    unsigned thread; /* how many threads of its core have */
};

/* The units of a kind, "uncore_cha": those that serve the CPU, by the cache that it shares or the package that it is
 * in, or all where the kernel does not say. */
unsigned ctr_find_units(const char *kind, int cpu, struct ctr_unit units[CTR_MOST_UNITS]);

/* False if the kernel does not say. */
bool ctr_find_place(int cpu, struct ctr_place *place);

#endif
