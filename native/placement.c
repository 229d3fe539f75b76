#include "placement.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cpu_file.h"
#include "kinds.h"
#include "sibling.h"
#include "statistics.h"
#include "thread.h"
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

/* Of CPUs that are equally idle, those that may be told apart by what shares their cores: the last ones, as interrupts
 * gather on the first CPUs. */
enum { CANDIDATES = 8 };

/* Looks at a candidate, so far apart that a sibling's bursts fall between some of them, and how much more they must show
 * than at another to count. */
enum { LOOKS = 16 };
static const struct timespec between_looks = {.tv_nsec = 500000};
static const double more_load = 1.03;

/* Cores of one kind have these in common. */
static bool are_of_a_kind(int cpu, int other)
{
    static const char *const names[] = {"cpufreq/cpuinfo_max_freq", "cpu_capacity", "cache/index0/size",
                                        "cache/index2/size"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (native_cpu_number(cpu, names[i]) != native_cpu_number(other, names[i]))
            return false;
    return true;
}

/* Memory is as near to all CPUs of a package. */
static bool are_as_near(int cpu, int other)
{
    static const char name[] = "topology/physical_package_id";

    return native_cpu_number(cpu, name) == native_cpu_number(other, name);
}

/* Those that are as good as this one, itself among them. */
static void keep_like(int cpu, cpu_set_t *allowed)
{
    for (int other = 0; other < CPU_SETSIZE; other++)
        if (CPU_ISSET((size_t)other, allowed) && !(are_of_a_kind(cpu, other) && are_as_near(cpu, other)))
            CPU_CLR((size_t)other, allowed);
    native_keep_kind(cpu, allowed); /* it reads more of each CPU */
}

/* The allowed CPUs that were least busy over 30 ms, the last first. Returns how many. */
static int list_quiet(const cpu_set_t *allowed, int cpus[CANDIDATES])
{
    struct usage before[CPU_SETSIZE], after[CPU_SETSIZE];
    struct timespec pause = {.tv_nsec = LOOK_NS};
    unsigned long long least = ULLONG_MAX;
    int count = 0;

    read_usage(before);
    nanosleep(&pause, NULL);
    read_usage(after);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET((size_t)cpu, allowed) && after[cpu].busy - before[cpu].busy < least)
            least = after[cpu].busy - before[cpu].busy;
    for (int cpu = CPU_SETSIZE; cpu-- > 0 && count < CANDIDATES;)
        if (CPU_ISSET((size_t)cpu, allowed) && after[cpu].busy - before[cpu].busy == least &&
            (count == 0 || are_of_a_kind(cpu, cpus[0])))
            cpus[count++] = cpu;
    return count;
}

int native_go_to(int cpu)
{
    const cpu_set_t one = native_only(cpu);

    return sched_setaffinity(0, sizeof one, &one) == 0 ? 0 : errno;
}

/* What shares the CPU's core does there: a high value of several looks. */
static double load_beside(int cpu)
{
    double load[LOOKS];

    if (native_go_to(cpu) != 0)
        return INFINITY;
    for (int i = 0; i < LOOKS; i++) {
        load[i] = native_sibling_load();
        nanosleep(&between_looks, NULL);
    }
    hwc_sort(load, LOOKS);
    return load[LOOKS * 3 / 4];
}

/* A busy thread on the same core, of another process or of another machine's, takes ways of every cache and slots of
 * every table. The first is kept unless another does better. */
static int least_loaded(const int *cpus, int count)
{
    int best = cpus[0];
    double least = count > 1 ? load_beside(best) : 0;

    for (int i = 1; i < count; i++) {
        double load = load_beside(cpus[i]);
        if (load * more_load < least) {
            least = load;
            best = cpus[i];
        }
    }
    return best;
}

static int quietest(const cpu_set_t *allowed)
{
    int cpus[CANDIDATES], count = list_quiet(allowed, cpus);

    return count > 0 ? least_loaded(cpus, count) : -1;
}

static int quietest_of_kind(int cpu, const cpu_set_t *allowed)
{
    cpu_set_t alike = *allowed;

    native_keep_kind(cpu, &alike);
    return quietest(&alike);
}

int native_pin(struct native_placement *placement, int cpu, bool any_of_kind, struct hwc_error *error)
{
    CPU_ZERO(&placement->before);
    if (sched_getaffinity(0, sizeof placement->before, &placement->before) != 0)
        return hwc_fail(error, HWC_SYSTEM, "the thread's CPUs cannot be read: %s", strerror(errno));
    if (cpu < 0 && RUNNING_ON_VALGRIND) {
        placement->cpu = sched_getcpu();
        return HWC_OK;
    }
    if (cpu < 0)
        cpu = quietest(&placement->before);
    else if (any_of_kind && !RUNNING_ON_VALGRIND)
        cpu = quietest_of_kind(cpu, &placement->before);
    if (cpu >= (int)CPU_SETSIZE || cpu < 0 || native_go_to(cpu) != 0)
        return hwc_fail(error, HWC_BAD_INPUT, "--cpu=%d: there is no such CPU, or this process may not use it", cpu);
    placement->cpu = cpu;
    return HWC_OK;
}

/* This CPU first, if it is among them. */
static void put_first(int cpu, int *cpus, int count)
{
    for (int i = 1; i < count; i++)
        if (cpus[i] == cpu) {
            cpus[i] = cpus[0];
            cpus[0] = cpu;
        }
}

bool native_move_on(struct native_placement *placement)
{
    int cpus[CANDIDATES], count, from = placement->cpu;
    cpu_set_t alike = placement->before;

    keep_like(from, &alike);
    count = list_quiet(&alike, cpus);
    put_first(from, cpus, count);
    placement->cpu = count > 0 ? least_loaded(cpus, count) : from;
    if (native_go_to(placement->cpu) != 0) {
        placement->cpu = from;
        native_go_to(from);
    }
    return placement->cpu != from;
}

void native_unpin(const struct native_placement *placement)
{
    sched_setaffinity(0, sizeof placement->before, &placement->before);
}

void native_repin(const struct native_placement *placement)
{
    if (placement->cpu >= 0)
        native_go_to(placement->cpu);
}

unsigned native_count_others(const struct native_placement *placement)
{
    int others = CPU_COUNT(&placement->before) - CPU_ISSET((size_t)placement->cpu, &placement->before);

    return (unsigned)others;
}

int native_other_allowed(const struct native_placement *placement, unsigned i)
{
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        bool other = CPU_ISSET((size_t)cpu, &placement->before) && cpu != placement->cpu;
        if (other && --i == 0)
            return cpu;
    }
    return -1;
}

int native_allowed(const struct native_placement *placement, unsigned i)
{
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if ((CPU_ISSET((size_t)cpu, &placement->before) || cpu == placement->cpu) && i-- == 0)
            return cpu;
    return -1;
}
