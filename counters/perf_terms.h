/* Native counters that are spelled by the terms of a PMU, as perf takes them: "cpu/event=0xd1,umask=0x20/". */
#ifndef HWC_COUNTERS_PERF_TERMS_H
#define HWC_COUNTERS_PERF_TERMS_H

#include <linux/perf_event.h>
#include <stdbool.h>

#include "core_pmu.h"
#include "error.h"

bool ctr_is_of_terms(const char *native);

/* The PMU's files say which bits of which field a term sets, and what its named events are. "cpu" is the PMU of this
 * CPU's core, whatever that is called. */
int ctr_encode_terms(const struct ctr_core_pmu *core, const char *native, struct perf_event_attr *attributes,
                     struct hwc_error *error);

#endif
