/* The PMU of a CPU's core, as sysfs lists it. Where there are two kinds of core, each kind has its own. */
#ifndef HWC_COUNTERS_CORE_PMU_H
#define HWC_COUNTERS_CORE_PMU_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

struct ctr_core_pmu {
    char name[64]; /* "cpu", "cpu_atom", "armv8_pmuv3_0", "apple_firestorm_pmu" */
    uint32_t type; /* the attribute type of its raw events */
};

/* The PMU whose `cpus` holds the CPU. Where none has such a file there is one kind of core: "cpu", PERF_TYPE_RAW. */
void ctr_find_core_pmu(int cpu, struct ctr_core_pmu *pmu);

/* The upper half of a generic event's code: names the PMU where each kind of core has its own. */
static inline uint64_t ctr_extended_type(const struct ctr_core_pmu *pmu)
{
    return pmu->type == PERF_TYPE_RAW ? 0 : (uint64_t)pmu->type << 32;
}

/* Does the kernel list the event in the PMU's events folder? */
bool ctr_core_pmu_lists(const struct ctr_core_pmu *pmu, const char *event);

#define CTR_DEVICES "/sys/bus/event_source/devices"

/* The first line of a file, whole, without its end. The caller frees it. NULL = there is none. */
char *ctr_line_of(const char *path);

/* The first line of a PMU's file in sysfs, whole, without its end. The caller frees it. NULL = there is none. */
char *ctr_device_line(const char *pmu, const char *file_name);

/* Is the CPU in a list such as "0-3,8"? */
bool ctr_holds_cpu(const char *list, int cpu);

#endif
