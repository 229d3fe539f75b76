/* Play one walk for a while and say how many references a second that was.
 *
 *   play_walk native FOOTPRINT_KIB PASSES
 *   play_walk MACHINE.json FOOTPRINT_KIB PASSES
 *
 * The walk is the scattered one that the latency probe plays, over lines of 64
 * bytes. Prints "references seconds", of CPU time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "description.h"
#include "native.h"
#include "simulated.h"

#define LINE_BYTES 64

static double cpu_seconds(void)
{
    struct timespec time;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int open_machine(const char *name, struct hwc_machine **machine, struct hwc_error *error)
{
    struct native_request request = {.cpu = -1};
    struct hwc_host host = {0};
    struct sim_description *description;
    int status;

    if (strcmp(name, "native") == 0)
        return native_machine_open(machine, &request, &host, error);
    description = malloc(sizeof *description);
    if (description == NULL)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory");
    status = sim_description_read(name, description, error);
    if (status == HWC_OK)
        status = sim_machine_open(machine, description, 1, error);
    free(description);
    return status;
}

static int play(struct hwc_machine *machine, uint64_t kib, uint32_t passes, struct hwc_error *error)
{
    size_t lines = (size_t)(kib * 1024 / LINE_BYTES);
    struct hwc_random random;
    struct hwc_arena arena;
    struct hwc_sample sample;
    struct hwc_walk walk;
    double begin;
    int status = machine->ops->arena_open(machine, 2 * (lines + 1) * LINE_BYTES, HWC_LARGE_PAGES, &arena, error);

    if (status != HWC_OK)
        return status;
    hwc_random_seed(&random, 1);
    hwc_walk_init(&walk);
    status = hwc_walk_scatter(&walk, lines, LINE_BYTES, machine->page_bytes, &random, error);
    if (status == HWC_OK) {
        struct hwc_experiment experiment = {
            .arena = &arena, .event = HWC_NO_EVENT, .steps = 1, .step = {{HWC_RUN, &walk, 1}}};
        status = machine->ops->play(machine, &experiment, &sample, error);
        experiment.step[0].passes = passes;
        begin = cpu_seconds();
        if (status == HWC_OK)
            status = machine->ops->play(machine, &experiment, &sample, error);
        printf("%llu %.6f\n", (unsigned long long)walk.count * passes, cpu_seconds() - begin);
    }
    hwc_walk_free(&walk);
    machine->ops->arena_close(machine, &arena);
    return status;
}

int main(int count, char **arguments)
{
    struct hwc_machine *machine = NULL;
    struct hwc_error error;
    int status;

    if (count != 4) {
        fprintf(stderr, "play_walk: native|MACHINE.json FOOTPRINT_KIB PASSES\n");
        return 2;
    }
    status = open_machine(arguments[1], &machine, &error);
    if (status == HWC_OK) {
        status = play(machine, strtoull(arguments[2], NULL, 10), (uint32_t)strtoul(arguments[3], NULL, 10), &error);
        machine->ops->close(machine);
    }
    if (status != HWC_OK)
        fprintf(stderr, "play_walk: %s\n", error.message);
    return status == HWC_OK ? 0 : 1;
}
