#include "body_time.h"

#include <math.h>

#include "need_core.h"
#include "sampler.h"
#include "statistics.h"

/* No line is longer than half of this, nor is what a line's miss brings along. */
static const uint64_t apart_bytes = 256;
/* Few pages are few entries of a TLB: the misses are the caches' alone. */
static const uint64_t arena_bytes = UINT64_C(1) << 20;

/* Of an instruction that is executed for the first time: a core takes less, even if all of its code comes from memory.
 * Where it is translated first, it takes some hundreds. */
static const double translated_cycles = 60;

enum { FRESH = 1024, TRIALS = 3 };

/* Cycles of each instruction of a body that was not executed before. */
static int time_first(struct hwc_body_time *time, size_t instructions, double *cycles, struct hwc_error *error)
{
    struct hwc_machine *machine = time->lab->machine;
    const struct hwc_body body = {.stretches = 1, .stretch = {{{HWC_OP_INT}, 1, instructions}}};
    const struct hwc_experiment experiment = {
        .arena = &time->arena, .event = HWC_NO_EVENT, .steps = 1, .step = {{HWC_MEASURE, &time->walk, 1}}};
    struct hwc_sample sample;
    int status;

    time->walk.body = &body;
    status = machine->ops->play(machine, &experiment, &sample, error); /* once: the second time is not the first */
    time->walk.body = NULL;
    if (status == HWC_OK)
        *cycles = sample.reading[0].cycles / (double)instructions;
    return status;
}

/* Bodies of several lengths, as none may have been executed before. */
static int refuse_translation(struct hwc_body_time *time, struct hwc_error *error)
{
    double cycles[TRIALS];

    for (size_t i = 0; i < TRIALS; i++)
        TRY(time_first(time, FRESH + i, &cycles[i], error));
    if (hwc_median(cycles, TRIALS) > translated_cycles)
        return hwc_fail(error, HWC_UNAVAILABLE, "code is translated before it is executed: its times say nothing of "
                                                "a core");
    return HWC_OK;
}

int hwc_body_time_open(struct hwc_body_time *time, struct hwc_lab *lab, size_t cells, struct hwc_error *error)
{
    *time = (struct hwc_body_time){.lab = lab};
    hwc_walk_init(&time->walk);
    TRY(hwc_need_core(lab->machine, error));
    if (!lab->machine->has_clock)
        return hwc_fail(error, HWC_UNAVAILABLE, "there is no clock");
    TRY(lab->machine->ops->arena_open(lab->machine, arena_bytes, HWC_LARGE_PAGES, &time->arena, error));
    TRY(hwc_walk_sequence(&time->walk, 0, apart_bytes, arena_bytes / apart_bytes, error));
    hwc_walk_shuffle(&time->walk, &lab->random);
    if (time->walk.count > 2 * cells)
        time->walk.count = 2 * cells;
    hwc_walk_touch(&time->walk);
    return refuse_translation(time, error);
}

void hwc_body_time_close(struct hwc_body_time *time)
{
    hwc_walk_free(&time->walk);
    hwc_close_arena(time->lab, &time->arena);
}

int hwc_need_own_code(struct hwc_lab *lab, struct hwc_error *error)
{
    struct hwc_body_time time;
    struct hwc_error why;
    int status = hwc_body_time_open(&time, lab, 1, &why);

    hwc_body_time_close(&time);
    return status == HWC_UNAVAILABLE ? hwc_fail(error, status, "%s", why.message) : HWC_OK;
}

int hwc_time_turn(struct hwc_body_time *time, const struct hwc_body *body, uint32_t turns, bool flushed, double *cycles,
                  struct hwc_error *error)
{
    struct hwc_walk *walk = &time->walk;
    struct hwc_experiment experiment = {.arena = &time->arena, .event = HWC_NO_EVENT};
    struct hwc_sample sample;

    walk->body = body;
    experiment.step[experiment.steps++] = (struct hwc_step){HWC_RUN, walk, 2}; /* brings its code in */
    if (flushed)
        experiment.step[experiment.steps++] = (struct hwc_step){HWC_FLUSH, walk, 1};
    experiment.step[experiment.steps++] = (struct hwc_step){HWC_MEASURE, walk, turns};
    TRY(hwc_lab_sample(time->lab, &experiment, &sample, error));
    *cycles = sample.reading[0].cycles / turns;
    return HWC_OK;
}

int hwc_least_turn(struct hwc_body_time *time, const struct hwc_body *body, uint32_t turns, double *cycles,
                   struct hwc_error *error)
{
    *cycles = INFINITY;
    for (unsigned i = 0; i < time->lab->settings.samples; i++) {
        double once = 0;
        TRY(hwc_time_turn(time, body, turns, false, &once, error));
        *cycles = fmin(*cycles, once);
    }
    return HWC_OK;
}

int hwc_measure_core(struct hwc_lab *lab, const struct hwc_probe *probe, size_t cells, hwc_core_measure measure,
                     struct hwc_profile *profile, struct hwc_error *error)
{
    struct hwc_body_time time;
    int status = hwc_body_time_open(&time, lab, cells, error);

    if (status == HWC_OK)
        status = measure(&time, &profile->core, error);
    hwc_body_time_close(&time);
    if (!hwc_came_to_nothing(status))
        return status;
    for (int i = 0; i < HWC_MAX_NEEDS && probe->provides[i] != HWC_NO_FIELD; i++)
        if (!profile->core.finding[probe->provides[i]].asked)
            hwc_finding_failed(&profile->core.finding[probe->provides[i]], error);
    return HWC_OK;
}
