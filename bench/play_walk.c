/* Play one walk for a while and say how many references a second that was.
 *
 *   play_walk native FOOTPRINT_KIB PASSES
 *   play_walk MACHINE.json FOOTPRINT_KIB PASSES [each]
 *
 * The walk is the spaced shuffle that the latency probe plays, over lines of 64
 * bytes. With "each", every pass goes through the caches one by one; without, a
 * simulated machine multiplies passes that repeat. Prints "references seconds",
 * of CPU time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "description.h"
#include "hierarchy.h"
#include "native.h"
#include "seconds.h"
#include "simulated.h"

#define LINE_BYTES 64

/* Every pass through the caches of the description, on contiguous memory. */
static int play_each(const char *file, uint64_t kib, uint32_t passes, struct hwc_error *error)
{
    static struct sim_description description;
    static struct sim_hierarchy hierarchy;
    size_t lines = (size_t)(kib * 1024 / LINE_BYTES);
    struct sim_place *places = calloc(lines + 1, sizeof *places);
    struct hwc_random random;
    struct hwc_walk walk;
    int status = places != NULL ? sim_description_read(file, &description, error)
                                : hwc_fail(error, HWC_NO_MEMORY, "no memory");

    hwc_walk_init(&walk);
    hwc_random_seed(&random, 1);
    if (status == HWC_OK)
        status = sim_hierarchy_init(&hierarchy, &description, 1, error);
    if (status == HWC_OK)
        status = hwc_walk_spaced_shuffle(&walk, lines, LINE_BYTES, description.page_bytes, &random, error);
    if (status == HWC_OK) {
        double begin;
        for (size_t i = 0; i < walk.count; i++)
            sim_hierarchy_locate(&hierarchy, SIM_DATA_SIDE, walk.offsets[i], walk.offsets[i], &places[i]);
        begin = hwc_seconds(CLOCK_PROCESS_CPUTIME_ID);
        for (uint32_t pass = 0; pass < passes; pass++)
            for (size_t i = 0; i < walk.count; i++)
                sim_hierarchy_access(&hierarchy, &places[i], HWC_LOAD, HWC_INTEGER);
        printf("%llu %.6f\n", (unsigned long long)walk.count * passes, hwc_seconds(CLOCK_PROCESS_CPUTIME_ID) - begin);
    }
    sim_hierarchy_free(&hierarchy);
    hwc_walk_free(&walk);
    free(places);
    return status;
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
    uint64_t bytes = HWC_SPACED_SHUFFLE * (lines + 1) * LINE_BYTES;
    int status = machine->ops->arena_open(machine, bytes, HWC_LARGE_PAGES, &arena, error);

    if (status != HWC_OK)
        return status;
    hwc_random_seed(&random, 1);
    hwc_walk_init(&walk);
    status = hwc_walk_spaced_shuffle(&walk, lines, LINE_BYTES, machine->page_bytes, &random, error);
    if (status == HWC_OK) {
        struct hwc_experiment experiment = {
            .arena = &arena, .event = HWC_NO_EVENT, .steps = 1, .step = {{HWC_RUN, &walk, 1}}};
        status = machine->ops->play(machine, &experiment, &sample, error);
        experiment.step[0].passes = passes;
        begin = hwc_seconds(CLOCK_PROCESS_CPUTIME_ID);
        if (status == HWC_OK)
            status = machine->ops->play(machine, &experiment, &sample, error);
        printf("%llu %.6f\n", (unsigned long long)walk.count * passes, hwc_seconds(CLOCK_PROCESS_CPUTIME_ID) - begin);
    }
    hwc_walk_free(&walk);
    machine->ops->arena_close(machine, &arena);
    return status;
}

int main(int count, char **arguments)
{
    struct hwc_machine *machine = NULL;
    struct hwc_error error;
    uint64_t kib;
    uint32_t passes;
    int status;

    if (count < 4) {
        fprintf(stderr, "play_walk: native|MACHINE.json FOOTPRINT_KIB PASSES [each]\n");
        return 2;
    }
    kib = strtoull(arguments[2], NULL, 10);
    passes = (uint32_t)strtoul(arguments[3], NULL, 10);
    if (count > 4) {
        status = play_each(arguments[1], kib, passes, &error);
    } else {
        status = open_machine(arguments[1], &machine, &error);
        if (status == HWC_OK) {
            status = play(machine, kib, passes, &error);
            machine->ops->close(machine);
        }
    }
    if (status != HWC_OK)
        fprintf(stderr, "play_walk: %s\n", error.message);
    return status == HWC_OK ? 0 : 1;
}
