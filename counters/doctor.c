#include "doctor.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "text.h"

struct paragraph {
    char *text;
    size_t size, used;
};

static void say(struct paragraph *paragraph, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(struct paragraph *paragraph, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    hwc_write_list(paragraph->text + paragraph->used, paragraph->size - paragraph->used, format, arguments);
    va_end(arguments);
    paragraph->used = strlen(paragraph->text);
}

static void say_where(struct paragraph *paragraph, const struct ctr_facts *facts)
{
    if (facts->container[0] != '\0' && facts->hypervisor[0] != '\0')
        say(paragraph, "in this container (%s) of a virtual machine (%s)", facts->container, facts->hypervisor);
    else if (facts->container[0] != '\0')
        say(paragraph, "in this container (%s)", facts->container);
    else if (facts->hypervisor[0] != '\0')
        say(paragraph, "in this virtual machine (%s)", facts->hypervisor);
    else
        say(paragraph, "on this host");
}

static void say_pmus(struct paragraph *paragraph, const struct ctr_facts *facts)
{
    if (facts->has_pmu)
        say(paragraph, " The core's PMU is %s.", facts->pmu);
    else if (facts->others[0] != '\0')
        say(paragraph, " The kernel's PMUs are %s: none is a core's.", facts->others);
    else
        say(paragraph, " The kernel lists no PMU in /sys/bus/event_source/devices.");
}

/* Settings of the kernel are the host's. */
static const char *place_of_settings(const struct ctr_facts *facts)
{
    return facts->container[0] != '\0' ? "on the container's host" : "as root";
}

static void say_no_pmu(struct paragraph *paragraph, const struct ctr_facts *facts)
{
    if (facts->hypervisor[0] != '\0')
        say(paragraph, " The hypervisor passes no PMU through. Where it is yours, switch the virtual PMU on (QEMU and "
                       "libvirt: -cpu host,pmu=on; VMware: \"virtualize CPU performance counters\"; Xen: vpmu=1); in a "
                       "cloud, take a bare-metal instance.");
    else
        say(paragraph, " The kernel drives no PMU of this CPU: it is older than the CPU, was built without "
                       "CONFIG_PERF_EVENTS, or firmware has switched the PMU off; \"dmesg | grep -i pmu\" may say "
                       "which.");
}

static void say_forbidden(struct paragraph *paragraph, const struct ctr_facts *facts)
{
    say(paragraph, " kernel.perf_event_paranoid is %d and keeps users from counting. Run \"sysctl "
                   "kernel.perf_event_paranoid=2\" %s, or give hwchar the right: \"setcap cap_perfmon=ep hwchar\"%s.",
        facts->paranoid, place_of_settings(facts),
        facts->container[0] != '\0' ? ", with CAP_PERFMON for the container" : "");
}

static void say_kernel_too(struct paragraph *paragraph, const struct ctr_facts *facts)
{
    say(paragraph, " It cannot leave out what the kernel does, and kernel.perf_event_paranoid is %d, which forbids to count "
                   "that. Run \"sysctl kernel.perf_event_paranoid=1\" %s, or give hwchar CAP_PERFMON.",
        facts->paranoid, place_of_settings(facts));
}

static void say_filtered(struct paragraph *paragraph, const struct ctr_facts *facts)
{
    if (facts->container[0] != '\0')
        say(paragraph, " The container's seccomp profile refuses perf_event_open. Start it with a profile that allows "
                       "the call (docker and podman: --security-opt seccomp=FILE, or =unconfined; Kubernetes: "
                       "seccompProfile), and with --cap-add PERFMON if the call is then still refused.");
    else
        say(paragraph, " A seccomp filter or a security module refuses perf_event_open: allow it there, or start hwchar "
                       "outside the sandbox.");
}

static void say_taken(struct paragraph *paragraph, const struct ctr_facts *facts)
{
    if (facts->watchdog)
        say(paragraph, " Its counters are taken, one of them by the kernel's NMI watchdog. Run \"sysctl "
                       "kernel.nmi_watchdog=0\" %s; if that does not free one, end other profilers.",
            place_of_settings(facts));
    else
        say(paragraph, " Its counters are taken by another profiler or a monitoring service (perf, PCP, a cloud's agent): "
                       "end it while hwchar runs.");
}

static void say_unknown(struct paragraph *paragraph, const struct ctr_facts *facts)
{
    say(paragraph, " It counts cycles, but none of the events of caches that hwchar %s.",
        facts->has_family ? "knows for this CPU" : "tried: it has no table of this CPU's events");
    if (facts->hypervisor[0] != '\0')
        say(paragraph, " A virtual PMU often has a few events only.");
    say(paragraph, " \"perf list\" shows what the kernel counts; name it with --event=EVENT=COUNTER or --event-map=FILE.");
}

static void say_obstacle(struct paragraph *paragraph, const struct ctr_facts *facts)
{
    switch (facts->refusal) {
    case 0:
        if (facts->free == 0)
            say_taken(paragraph, facts);
        else
            say_unknown(paragraph, facts);
        break;
    case EACCES:
        say_forbidden(paragraph, facts);
        break;
    case EPERM:
        say_filtered(paragraph, facts);
        break;
    case ENOSYS:
        say(paragraph, " There is no perf_event_open: the kernel was built without it, a seccomp filter hides it, or this is "
                       "qemu-user.");
        break;
    case EBUSY:
    case ENOSPC:
        say_taken(paragraph, facts);
        break;
    case EMFILE:
    case ENFILE:
        say(paragraph, " There are too few file descriptors: raise \"ulimit -n\".");
        break;
    default:
        if (facts->refusal == EINVAL && facts->has_pmu && facts->paranoid > 1)
            say_kernel_too(paragraph, facts);
        else
            say_no_pmu(paragraph, facts);
    }
}

void ctr_diagnose(const struct ctr_facts *facts, char *text, size_t size)
{
    struct paragraph paragraph = {.text = text, .size = size};

    text[0] = '\0';
    say(&paragraph, "No cache miss can be counted ");
    say_where(&paragraph, facts);
    say(&paragraph, ".");
    say_pmus(&paragraph, facts);
    say_obstacle(&paragraph, facts);
    say(&paragraph, "%s Without counters, the clock answers; under callgrind, a model of the caches counts.",
        facts->with_papi ? " PAPI counts by the same interface." : "");
}

void ctr_diagnose_well(const struct ctr_facts *facts, char *text, size_t size)
{
    struct paragraph paragraph = {.text = text, .size = size};

    text[0] = '\0';
    if (facts->refusal != 0 || facts->free == 0)
        return;
    if (facts->free < CTR_MOST_COUNTED)
        say(&paragraph, "%s counts %u event%s at once", facts->pmu, facts->free, facts->free > 1 ? "s" : "");
    else
        say(&paragraph, "%s counts %d events at once, or more", facts->pmu, CTR_MOST_COUNTED);
    if (facts->watchdog)
        say(&paragraph, "; the NMI watchdog holds another counter (\"sysctl kernel.nmi_watchdog=0\" %s frees it)",
            place_of_settings(facts));
}
