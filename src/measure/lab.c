#include "lab.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "seconds.h"

int hwc_lab_open(struct hwc_lab *lab, struct hwc_machine *machine, const struct hwc_settings *settings,
                 struct hwc_error *error)
{
    memset(lab, 0, sizeof *lab);
    lab->machine = machine;
    lab->settings = *settings;
    lab->started = hwc_seconds(CLOCK_MONOTONIC);
    hwc_random_seed(&lab->random, settings->seed);
    lab->known = calloc(1, sizeof *lab->known);
    return lab->known != NULL ? HWC_OK : hwc_fail(error, HWC_NO_MEMORY, "no memory for a run");
}

void hwc_lab_close(struct hwc_lab *lab)
{
    free((void *)lab->known);
    lab->known = NULL;
}

double hwc_lab_elapsed(const struct hwc_lab *lab)
{
    return hwc_seconds(CLOCK_MONOTONIC) - lab->started;
}

#define PATIENCE_SECONDS 30.0
#define PATIENCE_WITH_A_PROBE 5.0
#define LONGEST_SECONDS 60.0

/* Of a budget, one probe gets so much at least. */
#define OF_BUDGET 0.5

bool hwc_lab_is_late(const struct hwc_lab *lab)
{
    double elapsed = hwc_lab_elapsed(lab), budget = lab->settings.budget_seconds;
    double with_probe = fmax(PATIENCE_WITH_A_PROBE, OF_BUDGET * budget), longest = fmax(LONGEST_SECONDS, budget);

    return lab->machine->live && lab->machine->interference && elapsed > PATIENCE_SECONDS &&
           (elapsed - lab->probe_started > with_probe || elapsed > longest);
}

/* What a CPU takes for one that its nearest levels serve. */
#define CHEAP_NS 10.0

bool hwc_references_are_dear(const struct hwc_machine *machine)
{
    return machine->reference_ns > CHEAP_NS;
}

bool hwc_lab_overdrawn(const struct hwc_lab *lab)
{
    return lab->settings.budget_seconds > 0 && hwc_lab_elapsed(lab) > lab->settings.budget_seconds;
}

void hwc_close_arena(struct hwc_lab *lab, struct hwc_arena *arena)
{
    if (arena->handle != NULL)
        lab->machine->ops->arena_close(lab->machine, arena);
}
