/* perf_event_open, as far as each kernel and PMU allows it. */
#ifndef HWC_COUNTERS_PERF_OPEN_H
#define HWC_COUNTERS_PERF_OPEN_H

#include <linux/perf_event.h>
#include <stdbool.h>

#include "core_pmu.h"
#include "error.h"

enum { CTR_NO_LEADER = -1 };

/* Open an event on this thread, in the group of an open one, its leader, or in one of its own: in user mode alone where
 * the PMU can leave the kernel out; *kernel_too says that it cannot. HWC_UNAVAILABLE says why there is no event, and
 * what would help. */
int ctr_open_event(struct perf_event_attr *attributes, const struct ctr_core_pmu *core, int leader, int *descriptor,
                   bool *kernel_too, struct hwc_error *error);

/* Try what each PMU counts, the cycles of user mode: 0, or its errno. */
int ctr_refusal_of_cycles(const struct ctr_core_pmu *core);

#endif
