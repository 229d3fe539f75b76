#include "perf_open.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "perf_reason.h"

static int system_open(const struct perf_event_attr *attributes, int leader)
{
    return (int)syscall(SYS_perf_event_open, attributes, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
}

static void exclude(struct perf_event_attr *attributes, bool kernel, bool guest)
{
    attributes->exclude_kernel = attributes->exclude_hv = kernel;
    attributes->exclude_guest = guest;
    attributes->exclude_host = 0;
}

/* Apple's driver answers EOPNOTSUPP unless guests are left out, another EINVAL if they are, and a PMU without filters
 * EINVAL to any exclude bit. If none of them will do, errno is what the first try had. */
static int open_with_filters(struct perf_event_attr *attributes, int leader, bool *kernel_too)
{
    static const struct {
        bool kernel, guest;
    } excluded[] = {{true, true}, {true, false}, {false, false}};
    int first = 0;

    for (size_t i = 0; i < sizeof excluded / sizeof excluded[0]; i++) {
        int descriptor;
        exclude(attributes, excluded[i].kernel, excluded[i].guest);
        descriptor = system_open(attributes, leader);
        *kernel_too = !excluded[i].kernel;
        first = i == 0 ? errno : first;
        if (descriptor >= 0 || (i == 0 && errno != EINVAL))
            return descriptor;
    }
    errno = first;
    return -1;
}

/* Kernels before 5.13 do not know PMU types in generic events. */
static int open_with_type(struct perf_event_attr *attributes, int leader, bool *kernel_too)
{
    int descriptor = open_with_filters(attributes, leader, kernel_too);
    int first = errno;

    if (descriptor >= 0 || attributes->type != PERF_TYPE_HW_CACHE || attributes->config >> 32 == 0)
        return descriptor;
    attributes->config &= UINT32_MAX;
    descriptor = open_with_filters(attributes, leader, kernel_too);
    errno = first;
    return descriptor;
}

/* Try what each PMU counts, the cycles of user mode: 0, or its errno. */
static int refusal_of_cycles(const struct ctr_core_pmu *core, bool guest)
{
    struct perf_event_attr cycles = {
        .type = PERF_TYPE_HARDWARE,
        .size = sizeof cycles,
        .config = PERF_COUNT_HW_CPU_CYCLES | ctr_extended_type(core),
    };
    int descriptor;

    exclude(&cycles, true, guest);
    descriptor = system_open(&cycles, CTR_NO_LEADER);
    if (descriptor < 0)
        return errno;
    close(descriptor);
    return 0;
}

int ctr_refusal_of_cycles(const struct ctr_core_pmu *core)
{
    int refusal = refusal_of_cycles(core, true);

    return refusal == EINVAL ? refusal_of_cycles(core, false) : refusal;
}

/* The bit of config1 that asks for leave to read the counter in user mode, where the PMU has one ("config1:1"). */
static uint64_t bit_to_ask_by(const struct ctr_core_pmu *core)
{
    static const char field[] = "config1:";
    char *format = ctr_device_line(core->name, "format/rdpmc");
    bool is_bit = format != NULL && strncmp(format, field, strlen(field)) == 0;
    unsigned long bit = is_bit ? strtoul(format + strlen(field), NULL, 10) : 64;

    free(format);
    return bit < 64 ? UINT64_C(1) << bit : 0;
}

/* In other PMUs' events the bit means something else. */
static bool is_of_core(const struct perf_event_attr *attributes, const struct ctr_core_pmu *core)
{
    return attributes->type == core->type || attributes->type == PERF_TYPE_HARDWARE ||
           attributes->type == PERF_TYPE_HW_CACHE;
}

/* Arm's PMUs let user mode read a counter only if the event asks for it (Linux, Documentation/arch/arm64/perf.rst), and
 * refuse nothing where the administrator has not allowed it: then it would not help. */
static void ask_to_read_in_user_mode(struct perf_event_attr *attributes, const struct ctr_core_pmu *core)
{
    if (is_of_core(attributes, core) && ctr_setting("perf_user_access", 0) == 1)
        attributes->config1 |= bit_to_ask_by(core);
}

int ctr_open_event(struct perf_event_attr *attributes, const struct ctr_core_pmu *core, int leader, int *descriptor,
                   bool *kernel_too, struct hwc_error *error)
{
    char reason[400];
    int refusal;

    ask_to_read_in_user_mode(attributes, core);
    *descriptor = open_with_type(attributes, leader, kernel_too);
    refusal = errno;
    if (*descriptor >= 0)
        return HWC_OK;
    if (refusal == ENOENT && refusal_of_cycles(core, true) == 0)
        return hwc_fail(error, HWC_UNAVAILABLE, "the kernel has no such event for this CPU's PMU, %s", core->name);
    if (refusal == EINVAL && refusal_of_cycles(core, false) == EINVAL)
        return hwc_fail(error, HWC_UNAVAILABLE,
                        "this PMU cannot leave out what the kernel does, and perf_event_paranoid is %d, which forbids "
                        "to count that; sysctl kernel.perf_event_paranoid=1, or CAP_PERFMON, allows it",
                        ctr_perf_paranoid());
    ctr_perf_reason(refusal, ctr_perf_paranoid(), reason, sizeof reason);
    return hwc_fail(error, HWC_UNAVAILABLE, "%s", reason);
}
