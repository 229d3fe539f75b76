#include "uncore_units.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core_pmu.h"

enum { MOST_INDICES = 8, MOST_CPUS = 8192 };

/* The kind, and a number if it has one. */
static bool is_of_kind(const char *name, const char *kind)
{
    size_t length = strlen(kind);

    if (strncmp(name, kind, length) != 0)
        return false;
    name += length + (name[length] == '_');
    return name[strspn(name, "0123456789")] == '\0';
}

static char *cpu_line(int cpu, const char *file)
{
    char path[128];

    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/%s", cpu, file);
    return ctr_line_of(path);
}

/* The CPUs that share the CPU's last level; NULL if the kernel does not say. The caller frees it. */
static char *sharers(int cpu)
{
    long highest = 0;
    char *list = NULL;

    for (int i = 0; i < MOST_INDICES; i++) {
        char file[64], *level;
        snprintf(file, sizeof file, "cache/index%d/level", i);
        level = cpu_line(cpu, file);
        if (level != NULL && strtol(level, NULL, 10) > highest) {
            highest = strtol(level, NULL, 10);
            snprintf(file, sizeof file, "cache/index%d/shared_cpu_list", i);
            free(list);
            list = cpu_line(cpu, file);
        }
        free(level);
    }
    return list;
}

/* The first CPU of a list that is in another, too; -1 if there is none. */
static int first_of_both(const char *list, const char *other)
{
    while (*list >= '0' && *list <= '9') {
        char *end;
        long low = strtol(list, &end, 10), high = *end == '-' ? strtol(end + 1, &end, 10) : low;
        for (long cpu = low; cpu <= high && cpu < MOST_CPUS; cpu++)
            if (other == NULL || ctr_holds_cpu(other, (int)cpu))
                return (int)cpu;
        list = *end == ',' ? end + 1 : "";
    }
    return -1;
}

/* The CPU on which to count a unit; -1 if it serves others. */
static int counting_cpu(const char *name, int cpu, const char *sharing, const char *package)
{
    char *mask = ctr_device_line(name, "cpumask"), *associated = ctr_device_line(name, "associated_cpus");
    bool elsewhere = mask == NULL || (associated != NULL && !ctr_holds_cpu(associated, cpu));
    int found = elsewhere || sharing == NULL ? -1 : first_of_both(mask, sharing);

    if (!elsewhere && found < 0 && package != NULL)
        found = first_of_both(mask, package);
    if (!elsewhere && found < 0)
        found = first_of_both(mask, NULL);
    free(mask);
    free(associated);
    return found;
}

unsigned ctr_find_units(const char *kind, int cpu, struct ctr_unit units[CTR_MOST_UNITS])
{
    char *sharing = sharers(cpu), *package = cpu_line(cpu, "topology/package_cpus_list");
    DIR *folder = opendir(CTR_DEVICES);
    const struct dirent *entry;
    unsigned found = 0;

    while (folder != NULL && found < CTR_MOST_UNITS && (entry = readdir(folder)) != NULL) {
        struct ctr_unit *unit = &units[found];
        if (strlen(entry->d_name) >= sizeof unit->name || !is_of_kind(entry->d_name, kind))
            continue;
        snprintf(unit->name, sizeof unit->name, "%.63s", entry->d_name);
        unit->cpu = counting_cpu(unit->name, cpu, sharing, package);
        found += unit->cpu >= 0;
    }
    if (folder != NULL)
        closedir(folder);
    free(sharing);
    free(package);
    return found;
}

/* How many CPUs of the list have lower numbers; of their cores' first ones alone, or of all. */
static unsigned count_below(const char *list, int cpu, bool cores)
{
    unsigned below = 0;

    for (int other = 0; other < cpu; other++) {
        char *siblings = ctr_holds_cpu(list, other) && cores ? cpu_line(other, "topology/thread_siblings_list") : NULL;
        below += ctr_holds_cpu(list, other) && (siblings == NULL || first_of_both(siblings, NULL) == other);
        free(siblings);
    }
    return below;
}

bool ctr_find_place(int cpu, struct ctr_place *place)
{
    char *sharing = sharers(cpu), *siblings = cpu_line(cpu, "topology/thread_siblings_list");
    bool known = sharing != NULL && siblings != NULL && ctr_holds_cpu(siblings, cpu);

    if (known) {
        place->core = count_below(sharing, first_of_both(siblings, NULL), true);
        place->thread = count_below(siblings, cpu, false);
    }
    free(sharing);
    free(siblings);
    return known;
}
