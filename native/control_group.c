#include "control_group.h"

#include <stdio.h>
#include <string.h>

static bool read_of(const char *folder, const char *name, uint64_t *value)
{
    char path[1400];
    FILE *file;
    bool got;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "r");
    got = file != NULL && fscanf(file, "%lu", value) == 1;
    if (file != NULL)
        fclose(file);
    return got;
}

/* Of version 1: memory and swap have a limit together. Unlimited ones are enormous. */
static bool read_first(struct native_control_group *group)
{
    const char *folder = group->folder;
    uint64_t both = UINT64_MAX, used = 0, swappiness = 1;

    if (!read_of(folder, "memory.limit_in_bytes", &group->limit_bytes))
        return false;
    read_of(folder, "memory.usage_in_bytes", &group->used_bytes);
    if (read_of(folder, "memory.memsw.limit_in_bytes", &both) && read_of(folder, "memory.memsw.usage_in_bytes", &used))
        group->swap_bytes = both > used ? both - used : 0;
    if (read_of(folder, "memory.swappiness", &swappiness) && swappiness == 0)
        group->swap_bytes = 0;
    return true;
}

/* Of version 2: no limit is the word "max". */
static bool read_second(struct native_control_group *group)
{
    const char *folder = group->folder;
    uint64_t most = 0, used = 0;

    if (!read_of(folder, "memory.max", &group->limit_bytes))
        return false;
    read_of(folder, "memory.current", &group->used_bytes);
    if (read_of(folder, "memory.swap.max", &most) && read_of(folder, "memory.swap.current", &used))
        group->swap_bytes = most > used ? most - used : 0;
    return true;
}

/* Lines are "0::/path" in version 2, "N:memory:/path" in version 1. */
bool native_read_control_group(struct native_control_group *group)
{
    FILE *file = fopen("/proc/self/cgroup", "r");
    char line[1024];
    bool found = false;

    while (!found && file != NULL && fgets(line, sizeof line, file) != NULL) {
        const char *path = strrchr(line, ':');
        bool first = strstr(line, ":memory:") != NULL;
        if (path == NULL || (!first && strncmp(line, "0::", 3) != 0))
            continue;
        line[strcspn(line, "\n")] = '\0';
        *group = (struct native_control_group){.swap_bytes = UINT64_MAX};
        snprintf(group->folder, sizeof group->folder, first ? "/sys/fs/cgroup/memory%s" : "/sys/fs/cgroup%s", path + 1);
        found = first ? read_first(group) : read_second(group);
    }
    if (file != NULL)
        fclose(file);
    return found;
}
