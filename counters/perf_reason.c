#include "perf_reason.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core_pmu.h"

int ctr_setting(const char *name, int otherwise)
{
    int value = otherwise;
    char path[96], *line;

    snprintf(path, sizeof path, "/proc/sys/kernel/%s", name);
    line = ctr_line_of(path);
    if (line == NULL || sscanf(line, "%d", &value) != 1)
        value = otherwise;
    free(line);
    return value;
}

int ctr_perf_paranoid(void)
{
    return ctr_setting("perf_event_paranoid", -100);
}

void ctr_perf_reason(int error_number, int paranoid, char *text, size_t size)
{
    switch (error_number) {
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
        snprintf(text, size,
                 "this kernel sees no PMU that counts it (a virtual machine without a virtual PMU, most often); run on "
                 "bare metal, or have the hypervisor pass the PMU through");
        break;
    case EACCES:
        snprintf(text, size,
                 "perf_event_paranoid is %d and forbids it; sysctl kernel.perf_event_paranoid=2, or CAP_PERFMON, "
                 "allows it",
                 paranoid);
        break;
    case EPERM:
        snprintf(text, size,
                 "perf_event_open is forbidden, by seccomp (a container's default profile) or a security module; allow "
                 "it in the container's seccomp profile");
        break;
    case ENOSYS:
        snprintf(text, size, "there is no perf_event_open here: a kernel without it, a seccomp filter, or qemu-user");
        break;
    case EMFILE:
    case ENFILE:
        snprintf(text, size, "too few file descriptors; raise ulimit -n");
        break;
    case EBUSY:
    case ENOSPC:
        snprintf(text, size,
                 "the counters are taken, by the NMI watchdog or another profiler; sysctl kernel.nmi_watchdog=0 frees "
                 "one");
        break;
    case EINVAL:
        snprintf(text, size, "this PMU does not know the event");
        break;
    default:
        snprintf(text, size, "perf_event_open: %s", strerror(error_number));
        break;
    }
}
