#include "core_pmu.h"

#include <dirent.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool ctr_holds_cpu(const char *list, int cpu)
{
    while (*list != '\0' && *list != '\n') {
        char *end;
        long low = strtol(list, &end, 10);
        long high = low;
        if (end == list)
            return false;
        if (*end == '-')
            high = strtol(end + 1, &end, 10);
        if (cpu >= low && cpu <= high)
            return true;
        list = *end == ',' ? end + 1 : end;
    }
    return false;
}

char *ctr_line_of(const char *path)
{
    char *line = NULL;
    size_t size = 0;
    FILE *file = fopen(path, "r");

    if (file == NULL)
        return NULL;
    if (getline(&line, &size, file) < 0) {
        free(line);
        line = NULL;
    } else {
        line[strcspn(line, "\n")] = '\0';
    }
    fclose(file);
    return line;
}

char *ctr_device_line(const char *device, const char *file_name)
{
    char path[512];

    snprintf(path, sizeof path, CTR_DEVICES "/%.200s/%.100s", device, file_name);
    return ctr_line_of(path);
}

static bool counts_cpu(const char *device, int cpu)
{
    char *cpus = ctr_device_line(device, "cpus");
    bool counts = cpus != NULL && ctr_holds_cpu(cpus, cpu);

    free(cpus);
    return counts;
}

void ctr_find_core_pmu(int cpu, struct ctr_core_pmu *pmu)
{
    DIR *folder = opendir(CTR_DEVICES);
    const struct dirent *entry;

    *pmu = (struct ctr_core_pmu){.name = "cpu", .type = PERF_TYPE_RAW};
    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        char *type;
        if (entry->d_name[0] == '.' || strlen(entry->d_name) >= sizeof pmu->name || !counts_cpu(entry->d_name, cpu))
            continue;
        type = ctr_device_line(entry->d_name, "type");
        if (type != NULL) {
            snprintf(pmu->name, sizeof pmu->name, "%.63s", entry->d_name);
            pmu->type = (uint32_t)strtoul(type, NULL, 10);
        }
        free(type);
    }
    if (folder != NULL)
        closedir(folder);
}

bool ctr_core_pmu_lists(const struct ctr_core_pmu *pmu, const char *event)
{
    char path[512];

    snprintf(path, sizeof path, CTR_DEVICES "/%s/events/%.100s", pmu->name, event);
    return access(path, R_OK) == 0;
}
