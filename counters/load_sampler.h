/* Sampling this thread's loads, each with where its data came from: by the CPU's own means, as far as the kernel offers
 * them: PEBS' load latency on Intel, IBS on AMD, the statistical profiling extension (SPE) on Arm. */
#ifndef HWC_COUNTERS_LOAD_SAMPLER_H
#define HWC_COUNTERS_LOAD_SAMPLER_H

#include "core_pmu.h"
#include "error.h"
#include "served.h"

struct ctr_sampler;

/* HWC_UNAVAILABLE says why loads cannot be sampled here. */
int ctr_sampler_open(struct ctr_sampler **sampler, int cpu, const struct ctr_core_pmu *core, struct hwc_error *error);
void ctr_sampler_close(struct ctr_sampler *sampler); /* NULL: nothing is done */

int ctr_sampler_start(struct ctr_sampler *sampler, struct hwc_error *error);

/* Stop, and add what was sampled of loads from this memory on. */
int ctr_sampler_stop(struct ctr_sampler *sampler, const void *from, uint64_t bytes, struct hwc_served *served,
                     struct hwc_error *error);

#endif
