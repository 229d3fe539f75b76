/* How others spell a native counter. */
#ifndef HWC_COUNTERS_SPELLING_H
#define HWC_COUNTERS_SPELLING_H

#include <stdbool.h>
#include <stddef.h>

#include "core_pmu.h"

/* For `perf stat -e`, in user mode and shown under this label: "cpu/config=0x8d1,name=l1d_load_miss/u". False if perf
 * cannot count it: a preset of PAPI's, or a column of callgrind's. */
bool ctr_perf_spelling(const struct ctr_core_pmu *core, const char *native, const char *label, char *text, size_t size);

/* For PAPI, by a name that its libpfm4 knows: "skx::L1D:REPLACEMENT", "perf::L1-DCACHE-LOAD-MISSES". False if it has
 * none. */
bool ctr_papi_spelling(const char *native, char *text, size_t size);

#endif
