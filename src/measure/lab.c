#include "lab.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kept_arena.h"
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
    for (int i = 0; i < HWC_KEPT_ARENAS; i++)
        hwc_close_kept(lab, &lab->kept[i]);
    free(lab->own_walks);
    lab->own_walks = NULL;
    free((void *)lab->known);
    lab->known = NULL;
}

double hwc_lab_elapsed(const struct hwc_lab *lab)
{
    return hwc_seconds(CLOCK_MONOTONIC) - lab->started;
}

static const struct {
    double seconds, with_a_probe, longest;
    double of_budget;
} patience = {
    .seconds = 10,      /* a run is not late before this, without the time that went by waiting for others */
    .with_a_probe = 4,  /* after that, each probe has this long, likewise */
    .longest = 30,      /* and the run as a whole, all its time */
    .of_budget = 0.5,   /* of a budget, one probe gets at least this share */
};

bool hwc_lab_is_late(const struct hwc_lab *lab)
{
    double elapsed = hwc_lab_elapsed(lab), budget = lab->settings.budget_seconds;
    double worked = elapsed - lab->company.waited;
    double by_probe = worked - (lab->probe_started - lab->probe_waited);
    double with_probe = fmax(patience.with_a_probe, patience.of_budget * budget);
    double longest = fmax(patience.longest, budget);

    return lab->machine->live && lab->machine->interference && worked > patience.seconds &&
           (by_probe > with_probe || elapsed > longest);
}

/* A CPU takes no longer for a reference that its nearest levels serve. */
#define CHEAP_NS 10.0

bool hwc_references_are_dear(const struct hwc_machine *machine)
{
    return machine->reference_ns > CHEAP_NS;
}

bool hwc_lab_may_take_minutes(const struct hwc_lab *lab)
{
    return lab->settings.budget_seconds >= 60;
}

double hwc_lab_seconds_left(const struct hwc_lab *lab)
{
    double ends = lab->probe_ends > 0 ? lab->probe_ends : lab->settings.budget_seconds;

    return lab->settings.budget_seconds > 0 ? ends - hwc_lab_elapsed(lab) : INFINITY;
}

bool hwc_lab_overdrawn(const struct hwc_lab *lab)
{
    return hwc_lab_seconds_left(lab) < 0;
}

void hwc_close_arena(struct hwc_lab *lab, struct hwc_arena *arena)
{
    if (arena->handle != NULL)
        lab->machine->ops->arena_close(lab->machine, arena);
    arena->handle = NULL;
}
