/* Native counters by name, for perf_event_open. */
#ifndef HWC_COUNTERS_PERF_NAMES_H
#define HWC_COUNTERS_PERF_NAMES_H

#include <linux/perf_event.h>
#include <stddef.h>

#include "core_pmu.h"
#include "error.h"
#include "event.h"

/* Fill in what the name stands for on this CPU's PMU: a name of the kernel's, "rNNNN", terms of a PMU
 * (perf_terms.h), or a name that libpfm4 knows. */
int ctr_encode(const struct ctr_core_pmu *core, const char *native, struct perf_event_attr *attributes,
               struct hwc_error *error);

/* "cpu/config=0x1b7,config1=0x2": as perf spells it, but for what ends it. Returns its length, as snprintf does. */
int ctr_write_terms(const char *pmu, const struct perf_event_attr *attributes, char *text, size_t size);

/* The kernel's own names that count an event, i = 0, 1, ...; NULL after the last. `family`: of event tables. */
const char *ctr_kernel_name(const char *family, enum hwc_event event, unsigned i);

/* The i-th of the kernel's names for events of caches and TLBs; NULL after the last. */
const char *ctr_generic_name(unsigned i);

/* The first family that libpfm4 finds on this machine and that has an event table; or NULL. */
const char *ctr_pfm_family(void);

#endif
