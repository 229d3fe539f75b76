#include "placement.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "under_valgrind.h"

#define LOOK_NS 30000000

struct usage {
    unsigned long long busy, stolen;
};

static bool parse_line(const char *line, int *cpu, struct usage *usage)
{
    unsigned long long user, nice, system, idle, wait, irq, softirq, steal = 0;

    if (sscanf(line, "cpu%d %llu %llu %llu %llu %llu %llu %llu %llu", cpu, &user, &nice, &system, &idle, &wait, &irq,
               &softirq, &steal) < 8)
        return false;
    usage->busy = user + nice + system + irq + softirq + steal;
    usage->stolen = steal;
    return true;
}

static void read_usage(struct usage usage[CPU_SETSIZE])
{
    FILE *file = fopen("/proc/stat", "r");
    char line[512];

    memset(usage, 0, (size_t)CPU_SETSIZE * sizeof *usage);
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        struct usage one;
        int cpu;
        if (strncmp(line, "cpu ", 4) != 0 && parse_line(line, &cpu, &one) && cpu >= 0 && cpu < CPU_SETSIZE)
            usage[cpu] = one;
    }
    if (file != NULL)
        fclose(file);
}

unsigned long long native_stolen(int cpu)
{
    static const struct usage nothing;
    struct usage usage[CPU_SETSIZE];

    read_usage(usage);
    return cpu >= 0 && cpu < CPU_SETSIZE ? usage[cpu].stolen : nothing.stolen;
}

/* The allowed CPU that was least busy over 30 ms; of several the last, as
 * interrupts gather on the first CPUs. */
static int quietest(const cpu_set_t *allowed)
{
    struct usage before[CPU_SETSIZE], after[CPU_SETSIZE];
    struct timespec pause = {.tv_nsec = LOOK_NS};
    int best = -1;

    read_usage(before);
    nanosleep(&pause, NULL);
    read_usage(after);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET((size_t)cpu, allowed) &&
            (best < 0 || after[cpu].busy - before[cpu].busy <= after[best].busy - before[best].busy))
            best = cpu;
    return best;
}

int native_pin(struct native_placement *placement, int cpu, struct hwc_error *error)
{
    cpu_set_t one;

    CPU_ZERO(&placement->before);
    if (sched_getaffinity(0, sizeof placement->before, &placement->before) != 0)
        return hwc_fail(error, HWC_SYSTEM, "the thread's CPUs cannot be read: %s", strerror(errno));
    if (cpu < 0 && RUNNING_ON_VALGRIND) {
        placement->cpu = sched_getcpu();
        return HWC_OK;
    }
    if (cpu < 0)
        cpu = quietest(&placement->before);
    CPU_ZERO(&one);
    if (cpu < CPU_SETSIZE && cpu >= 0)
        CPU_SET((size_t)cpu, &one);
    if (cpu >= (int)CPU_SETSIZE || sched_setaffinity(0, sizeof one, &one) != 0)
        return hwc_fail(error, HWC_BAD_INPUT, "--cpu=%d: there is no such CPU, or this process may not use it", cpu);
    placement->cpu = cpu;
    return HWC_OK;
}

void native_unpin(const struct native_placement *placement)
{
    sched_setaffinity(0, sizeof placement->before, &placement->before);
}
