#include "paging.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "control_group.h"
#include "statistics.h"
#include "thread.h"

/* Chosen, not measured: far less than the two seconds by which the kernel's statistics may be old. */
#define READ_EVERY_US 5000

uint64_t native_paging_limit(const struct native_memory *memory, const char **reason)
{
    struct native_control_group group;
    uint64_t swap = 0;

    *reason = NULL;
    if (!memory->of_group || !native_read_control_group(&group)) {
        *reason = "no control group limits this program's memory, and to outgrow all that there is would bring the "
                  "machine to a halt";
        return 0;
    }
    native_read_field("/proc/meminfo", "SwapFree:", &swap);
    swap = hwc_lesser(swap, group.swap_bytes);
    if (swap < group.limit_bytes) {
        *reason = "there is too little swap to take what the control group's memory does not hold: as much is needed";
        return 0;
    }
    return group.limit_bytes + group.limit_bytes / 4;
}

static void *read_all_the_time(void *context)
{
    struct native_paging *paging = context;
    int file = open(paging->statistics, O_RDONLY | O_CLOEXEC);
    char text[4096];

    while (file >= 0 && !atomic_load(&paging->ends) && pread(file, text, sizeof text, 0) >= 0)
        usleep(READ_EVERY_US);
    if (file >= 0)
        close(file);
    return NULL;
}

void native_paging_begin(struct native_paging *paging, const struct native_placement *placement)
{
    struct native_control_group group;
    cpu_set_t others = placement->before;

    if (paging->running || !native_read_control_group(&group))
        return;
    if (placement->cpu >= 0 && CPU_COUNT(&others) > 1)
        CPU_CLR((size_t)placement->cpu, &others);
    snprintf(paging->statistics, sizeof paging->statistics, "%s/memory.stat", group.folder);
    atomic_init(&paging->ends, false);
    paging->running = native_start_thread(&paging->thread, &others, read_all_the_time, paging) == 0;
}

void native_paging_end(struct native_paging *paging)
{
    if (!paging->running)
        return;
    atomic_store(&paging->ends, true);
    pthread_join(paging->thread, NULL);
    paging->running = false;
}
