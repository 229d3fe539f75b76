/* Playing an experiment, step by step. */
#include <math.h>
#include <string.h>

#include "kernels.h"
#include "measure.h"
#include "native_machine.h"
#include "off_cpu.h"
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

/* Watching for preemption while an experiment is played. */
struct attention {
    bool by_step; /* a long experiment is watched step by step: a context switch takes milliseconds off one of them */
    struct native_watch watch;
    struct native_off_cpu off;
};

/* What valgrind counts, nobody disturbs, and to look would be counted, too. */
static struct attention begin_to_watch(const struct hwc_experiment *experiment)
{
    struct attention attention = {.by_step = !RUNNING_ON_VALGRIND && hwc_is_long(experiment)};

    if (attention.by_step)
        attention.off = native_off_cpu_begin();
    attention.watch = native_watch_begin();
    return attention;
}

static bool was_disturbed(const struct native_machine *machine, const struct attention *attention)
{
    return !RUNNING_ON_VALGRIND && !native_watch_undisturbed(&attention->watch, machine->placement.cpu);
}

/* Before a step: what others took while its walk was written to memory is in no reading. */
static void look_anew(const struct native_machine *machine, struct attention *attention, struct hwc_sample *sample)
{
    sample->disturbed = sample->disturbed || was_disturbed(machine, attention);
    attention->off = native_off_cpu_begin();
    attention->watch = native_watch_begin();
}

/* After a step of a long experiment: the time that others had this CPU belongs to no reading. */
static void look_at_step(const struct native_machine *machine, const struct hwc_step *step,
                         struct attention *attention, struct hwc_sample *sample)
{
    if (was_disturbed(machine, attention)) {
        double cycles = native_off_cpu_since(&attention->off) * 1e9 * machine->base.cycles_per_ns;
        sample->disturbed = true;
        if (step->kind == HWC_MEASURE) {
            struct hwc_reading *reading = &sample->reading[sample->readings - 1];
            reading->cycles = fmax(reading->cycles - cycles, 0);
        }
    }
    attention->watch = native_watch_begin();
}

int native_play(struct hwc_machine *base, const struct hwc_experiment *experiment, struct hwc_sample *sample,
                struct hwc_error *error)
{
    struct native_machine *machine = native_self(base);
    struct native_route route[HWC_MAX_STEPS];
    bool stay = native_routes_stay(experiment);
    int status = native_attach_counter(machine, experiment->event, error);
    struct attention attention;

    *sample = (struct hwc_sample){.stopped = status != HWC_OK};
    if (base->has_clock)
        native_follow_frequency(machine);
    if (status == HWC_OK && stay)
        status = native_find_routes(machine, experiment, experiment->step, experiment->steps, route, error);
    attention = begin_to_watch(experiment);
    for (unsigned i = 0; status == HWC_OK && i < experiment->steps; i++) {
        if (hwc_must_stop(base))
            return hwc_fail(error, HWC_INTERRUPTED, "interrupted");
        if (!stay) {
            status = native_find_routes(machine, experiment, &experiment->step[i], 1, &route[i], error);
            if (attention.by_step)
                look_anew(machine, &attention, sample);
        }
        if (status == HWC_OK)
            status = play_step(machine, experiment, &experiment->step[i], &route[i], sample, error);
        if (status == HWC_OK && attention.by_step)
            look_at_step(machine, &experiment->step[i], &attention, sample);
    }
    sample->disturbed = sample->disturbed || was_disturbed(machine, &attention);
    return status;
}
