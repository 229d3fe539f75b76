/* What the doctor looks at. */
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "doctor.h"
#include "identity.h"
#include "perf_open.h"
#include "perf_reason.h"
#include "text.h"

static bool exists(const char *path)
{
    return access(path, F_OK) == 0;
}

/* Is a word in the file? Its lines may hold zeros. */
static bool has_word(const char *path, const char *word)
{
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t size = 0;
    bool found = false;

    while (file != NULL && !found && getdelim(&line, &size, '\n', file) >= 0)
        found = strstr(line, word) != NULL;
    free(line);
    if (file != NULL)
        fclose(file);
    return found;
}

/* Control groups are named after what made them, if the container sees their names. */
static void find_container(char *name, size_t size)
{
    static const char *const words[] = {"kubepods", "docker", "libpod", "containerd", "lxc"};
    static const char *const groups[] = {"/proc/1/cgroup", "/proc/self/cgroup"};
    const char *variable = getenv("container");

    name[0] = '\0';
    if (exists("/.dockerenv"))
        snprintf(name, size, "docker");
    else if (exists("/run/.containerenv"))
        snprintf(name, size, "podman");
    else if (variable != NULL && variable[0] != '\0')
        hwc_write(name, size, "%s", variable);
    for (size_t g = 0; g < 2; g++)
        for (size_t i = 0; name[0] == '\0' && i < sizeof words / sizeof words[0]; i++)
            if (has_word(groups[g], words[i]))
                snprintf(name, size, "%s", words[i]);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

enum { MOST_PMUS = 64 };

/* "uncore_cha_12": beside "uncore_cha_0". */
static bool is_further_unit(const char *name)
{
    const char *number = strrchr(name, '_');

    return strstr(name, "uncore") != NULL && number != NULL && isdigit((unsigned char)number[1]) &&
           strcmp(number, "_0") != 0;
}

/* Those of the kernel that are not the core's; of "uncore_cha_0" and its like, the first. */
static void list_pmus(const char *core, char text[CTR_PMU_NAMES])
{
    DIR *folder = opendir("/sys/bus/event_source/devices");
    const struct dirent *entry;
    char *names[MOST_PMUS];
    size_t count = 0, used = 0;

    while (folder != NULL && count < MOST_PMUS && (entry = readdir(folder)) != NULL) {
        if (entry->d_name[0] != '.' && strcmp(entry->d_name, core) != 0 && !is_further_unit(entry->d_name) &&
            (names[count] = strdup(entry->d_name)) != NULL)
            count++;
    }
    if (folder != NULL)
        closedir(folder);
    qsort(names, count, sizeof names[0], by_name);
    for (size_t i = 0; i < count; i++) {
        if (used + strlen(names[i]) + 3 < CTR_PMU_NAMES)
            used += (size_t)snprintf(text + used, CTR_PMU_NAMES - used, "%s%s", used > 0 ? ", " : "", names[i]);
        free(names[i]);
    }
}

/* A pinned event that finds no counter opens, and reads as end of file. */
static bool counts(int descriptor)
{
    uint64_t value;

    return read(descriptor, &value, sizeof value) == (ssize_t)sizeof value;
}

/* Branch mispredictions have no counter of their own on any core, as cycles and instructions often do. */
static unsigned count_free(const struct ctr_core_pmu *core)
{
    int descriptors[CTR_MOST_COUNTED];
    unsigned opened = 0, free_ones = 0;
    bool more = true;

    while (more && opened < CTR_MOST_COUNTED) {
        struct perf_event_attr attributes = {.type = PERF_TYPE_HARDWARE,
                                             .size = sizeof attributes,
                                             .config = PERF_COUNT_HW_BRANCH_MISSES | ctr_extended_type(core),
                                             .pinned = 1};
        struct hwc_error ignored;
        bool kernel_too;
        more = ctr_open_event(&attributes, core, CTR_NO_LEADER, &descriptors[opened], &kernel_too, &ignored) ==
               HWC_OK;
        if (more)
            more = counts(descriptors[opened++]);
        free_ones += more;
    }
    while (opened > 0)
        close(descriptors[--opened]);
    return free_ones;
}

void ctr_find_facts(int cpu, const char *hypervisor, struct ctr_facts *facts)
{
    struct ctr_core_pmu core;
    char *type;

    *facts = (struct ctr_facts){.paranoid = ctr_perf_paranoid()};
    find_container(facts->container, sizeof facts->container);
    hwc_write(facts->hypervisor, sizeof facts->hypervisor, "%s", hypervisor);
    ctr_find_core_pmu(cpu, &core);
    type = ctr_device_line(core.name, "type");
    facts->has_pmu = type != NULL;
    free(type);
    hwc_write(facts->pmu, sizeof facts->pmu, "%s", core.name);
    list_pmus(core.name, facts->others);
    facts->watchdog = ctr_setting("nmi_watchdog", 0) != 0;
    facts->refusal = ctr_refusal_of_cycles(&core);
    facts->free = facts->refusal == 0 ? count_free(&core) : 0;
    facts->has_family = ctr_cpu_family(cpu, &core) != NULL;
#ifdef HWC_HAVE_PAPI
    facts->with_papi = true;
#endif
}
