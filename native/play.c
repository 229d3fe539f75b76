/* Playing an experiment, step by step. */
#include <string.h>

#include "kernels.h"
#include "measure.h"
#include "native_machine.h"
#include "preemption.h"
#include "route.h"
#include "under_valgrind.h"

/* Where no instruction flushes lines, reading this much evicts them (AMP 3.1, step 1). */
#define EVICTION_BYTES (UINT64_C(64) << 20)
#define EVICTION_STRIDE 32 /* no last-level cache has shorter lines */

static int evict_by_reading(struct native_machine *machine, struct hwc_error *error)
{
    const volatile char *base;

    if (machine->eviction.handle == NULL) {
        int status = native_memory_map(&machine->memory, EVICTION_BYTES, HWC_BASE_PAGES, &machine->eviction, error);
        if (status != HWC_OK)
            return status;
        memset(native_base_of(&machine->eviction), 1, EVICTION_BYTES);
    }
    base = native_base_of(&machine->eviction);
    for (int round = 0; round < 2; round++)
        for (uint64_t at = 0; at < EVICTION_BYTES; at += EVICTION_STRIDE)
            (void)base[at];
    return HWC_OK;
}

static int flush(struct native_machine *machine, const struct native_route *route, struct hwc_error *error)
{
    const struct hwc_walk *walk = route->walk;

    if (!machine->base.flushes)
        return evict_by_reading(machine, error);
    for (size_t i = 0; i < walk->count; i++)
        native_flush_line(route->base + walk->offsets[i]);
    native_fence();
    return HWC_OK;
}

static int release(struct native_machine *machine, const struct hwc_arena *arena, struct hwc_error *error)
{
    native_forget_layout(machine, arena);
    return native_memory_release(arena, error);
}

static int play_step(struct native_machine *machine, const struct hwc_experiment *experiment,
                     const struct hwc_step *step, const struct native_route *route, struct hwc_sample *sample,
                     struct hwc_error *error)
{
    struct native_journey journey;

    switch (step->kind) {
    case HWC_RELEASE:
        return release(machine, experiment->arena, error);
    case HWC_FLUSH:
        return flush(machine, route, error);
    case HWC_RUN:
        journey = native_prepare(route, step->passes);
        native_go(&journey);
        if (step->walk->access == HWC_STORE)
            native_fence(); /* the store buffer may still hold stores whose lines are not in the caches yet */
        return HWC_OK;
    case HWC_RUN_ELSEWHERE:
        journey = native_prepare(route, step->passes);
        return native_other_cpu_go(&machine->other, native_other_allowed(&machine->placement, experiment->other_cpu),
                                   &journey, error);
    default:
        return native_measure(machine, experiment, step, route, sample, error);
    }
}

static bool was_disturbed(const struct native_machine *machine, const struct native_watch *watch)
{
    return !RUNNING_ON_VALGRIND && !native_watch_undisturbed(watch, machine->placement.cpu);
}

int native_play(struct hwc_machine *base, const struct hwc_experiment *experiment, struct hwc_sample *sample,
                struct hwc_error *error)
{
    struct native_machine *machine = native_self(base);
    struct native_route route[HWC_MAX_STEPS];
    bool stay = native_routes_stay(experiment);
    int status = native_attach_counter(machine, experiment->event, error);
    struct native_watch watch;

    *sample = (struct hwc_sample){0};
    if (status == HWC_OK && stay)
        status = native_find_routes(machine, experiment, experiment->step, experiment->steps, route, error);
    watch = native_watch_begin();
    for (unsigned i = 0; status == HWC_OK && i < experiment->steps; i++) {
        if (hwc_must_stop(base))
            return hwc_fail(error, HWC_INTERRUPTED, "interrupted");
        if (!stay)
            status = native_find_routes(machine, experiment, &experiment->step[i], 1, &route[i], error);
        if (status == HWC_OK)
            status = play_step(machine, experiment, &experiment->step[i], &route[i], sample, error);
    }
    sample->disturbed = sample->disturbed || was_disturbed(machine, &watch);
    return status;
}
