#include "measure.h"

#include <sys/resource.h>

#include "kernels.h"

static long minor_faults(void)
{
    struct rusage usage;

    return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_minflt : 0;
}

/* Start the counter, and bring the route's list into the first level before and after that. */
static int start(struct native_machine *machine, const struct native_route *route, bool counting,
                 struct hwc_error *error)
{
    int status = HWC_OK;

    if (route->order.visits > 0)
        native_list_warm(&route->order); /* its misses are not counted */
    if (counting)
        status = ctr_start(&machine->counters, error);
    if (status == HWC_OK && counting && route->order.visits > 0)
        native_list_warm(&route->order); /* starting the counter may have evicted some of it */
    return status;
}

/* Core cycles of a step that took `ticks`; 0 without a clock. *steady is false if
 * the frequency changed during the step. */
static double cycles_of(struct native_machine *machine, uint64_t ticks, double pulse_before, bool *steady)
{
    *steady = true;
    if (!machine->base.has_clock)
        return 0;
    return (double)ticks * native_clock_between(&machine->clock, pulse_before,
                                                native_clock_recent_pulse(&machine->clock), steady);
}

static int measure_whole(struct native_machine *machine, const struct hwc_experiment *experiment,
                         const struct hwc_step *step, const struct native_route *route, struct hwc_sample *sample,
                         struct hwc_error *error)
{
    bool by_rusage = experiment->event == HWC_PAGE_FAULT && native_faults_by_rusage(machine);
    bool counting = experiment->event != HWC_NO_EVENT && !by_rusage;
    struct ctr_reading counted = {.whole = true};
    long faults = by_rusage ? minor_faults() : 0;
    double pulse = machine->base.has_clock ? native_clock_recent_pulse(&machine->clock) : 0;
    struct hwc_reading *reading = &sample->reading[sample->readings++];
    const struct native_journey journey = native_prepare(route, step->passes);
    uint64_t begin, end;
    bool steady;
    int status;

    native_clock_dither(&machine->clock);
    status = start(machine, route, counting, error); /* from here on, each line of ours that is read may miss */
    sample->stopped = status != HWC_OK;
    if (status != HWC_OK)
        return status;
    begin = native_ticks();
    native_go(&journey);
    end = native_ticks();
    if (counting)
        status = ctr_stop(&machine->counters, &counted, error);
    sample->stopped = status != HWC_OK;
    reading->cycles = cycles_of(machine, end - begin, pulse, &steady);
    reading->counted = counting || by_rusage;
    reading->count = by_rusage ? (double)(minor_faults() - faults) : counted.value;
    sample->disturbed = sample->disturbed || !counted.whole || !(steady || counting);
    return status;
}

/* Evictions by others only add slow references, so the pass with the fewest counts. A pass with none ends the loop. */
static void measure_each(struct native_machine *machine, const struct hwc_experiment *experiment,
                         const struct hwc_step *step, const struct native_route *route, struct hwc_sample *sample)
{
    const uint64_t *cells = (const uint64_t *)(const void *)route->base;
    const struct hwc_walk *walk = route->walk;
    double pulse = native_clock_pulse(&machine->clock);
    bool steady;
    uint32_t ticks = (uint32_t)(experiment->slower_than / native_clock_between(&machine->clock, pulse, pulse, &steady));
    uint64_t fewest = UINT64_MAX;

    for (uint32_t i = 0; i < step->passes && fewest > 0; i++) {
        uint64_t slow = route->order.visits > 0
                            ? native_play_order_timed(route->base, &route->order, ticks)
                            : native_chase_timed(cells, walk->offsets[0] / HWC_CELL_BYTES, walk->count, ticks);
        fewest = slow < fewest ? slow : fewest;
    }
    sample->reading[sample->readings++].slow = (double)fewest;
}

int native_measure(struct native_machine *machine, const struct hwc_experiment *experiment,
                   const struct hwc_step *step, const struct native_route *route, struct hwc_sample *sample,
                   struct hwc_error *error)
{
    if (sample->readings == HWC_MAX_READINGS)
        return hwc_fail(error, HWC_SYSTEM, "an experiment measures more than %d steps", HWC_MAX_READINGS);
    if (experiment->slower_than <= 0)
        return measure_whole(machine, experiment, step, route, sample, error);
    measure_each(machine, experiment, step, route, sample);
    return HWC_OK;
}
