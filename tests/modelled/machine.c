/* hwchar on a CPU that is a model: the walks are the simulated hierarchy's, and what they count is asked of the kernel.
 *
 * HWCHAR_MODEL names a machine file, or one for each of some CPUs: "0=big.json,1=small.json". The machine that is opened
 * in place of this one plays walks as the simulated one does, and counts as this one does: families, names, the
 * backends and what is attached are the native machine's own. The stand-in (stand_in/stand_in.h), preloaded, is the
 * kernel; it asks modelled_count() for what its events count. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counts.h"
#include "native_machine.h"
#include "open_machine.h"

struct modelled_machine {
    struct native_machine native; /* first: it counts */
    struct hwc_machine *model;    /* it plays */
};

static struct sim_machine *counted; /* by the kernel: the machine that is open */

static struct hwc_machine *model_of(struct hwc_machine *base)
{
    return ((struct modelled_machine *)base)->model;
}

/* The kernel's question: how often has this come to pass, an event's name or a level's "prefetched1"? Negative: there is
 * nothing of that name. */
__attribute__((visibility("default"))) double modelled_count(const char *name);

double modelled_count(const char *name)
{
    enum hwc_event event = hwc_event_by_name(name);
    bool prefetched = strncmp(name, "prefetched", 10) == 0 && name[10] >= '1' && name[10] <= '4';

    if (!prefetched && event == HWC_NO_EVENT)
        return -1;
    if (counted == NULL)
        return 0;
    return prefetched ? (double)counted->hierarchy.prefetched[name[10] - '1'] : sim_raw_count(counted, event);
}

static int open_arena(struct hwc_machine *base, uint64_t bytes, enum hwc_pages pages, struct hwc_arena *arena,
                      struct hwc_error *error)
{
    return model_of(base)->ops->arena_open(model_of(base), bytes, pages, arena, error);
}

static void close_arena(struct hwc_machine *base, struct hwc_arena *arena)
{
    model_of(base)->ops->arena_close(model_of(base), arena);
}

/* A counter runs from before the step until after it, as on the native machine. */
static int play_counting(struct modelled_machine *machine, const struct hwc_experiment *step, struct hwc_sample *sample,
                         bool *stopped, struct hwc_error *error)
{
    struct ctr_reading reading;

    *stopped = true;
    TRY(ctr_start(&machine->native.counters, error));
    *stopped = false;
    TRY(machine->model->ops->play(machine->model, step, sample, error));
    *stopped = true;
    TRY(ctr_stop(&machine->native.counters, &reading, error));
    *stopped = false;
    sample->reading[0].counted = true;
    sample->reading[0].count = reading.value;
    sample->disturbed |= !reading.whole;
    return HWC_OK;
}

/* Step by step, so that what is counted is a step's. */
static int play_steps(struct modelled_machine *machine, const struct hwc_experiment *experiment,
                      struct hwc_sample *sample, struct hwc_error *error)
{
    *sample = (struct hwc_sample){0};
    for (unsigned i = 0; i < experiment->steps; i++) {
        struct hwc_experiment step = *experiment;
        bool counts = experiment->step[i].kind == HWC_MEASURE && experiment->slower_than == 0;
        struct hwc_sample one = {0};
        step.event = HWC_NO_EVENT;
        step.steps = 1;
        step.step[0] = experiment->step[i];
        if (counts)
            TRY(play_counting(machine, &step, &one, &sample->stopped, error));
        else
            TRY(machine->model->ops->play(machine->model, &step, &one, error));
        if (one.readings > 0)
            sample->reading[sample->readings++] = one.reading[0];
        sample->disturbed |= one.disturbed;
    }
    return HWC_OK;
}

static int play(struct hwc_machine *base, const struct hwc_experiment *experiment, struct hwc_sample *sample,
                struct hwc_error *error)
{
    struct modelled_machine *machine = (struct modelled_machine *)base;

    machine->model->stop = base->stop;
    if (experiment->event == HWC_NO_EVENT || experiment->event == HWC_PAGE_FAULT)
        return machine->model->ops->play(machine->model, experiment, sample, error);
    sample->stopped = true;
    TRY(native_attach_counter(&machine->native, experiment->event, error));
    return play_steps(machine, experiment, sample, error);
}

/* Page faults are the model's, as its pages are. */
static void event_source(struct hwc_machine *base, enum hwc_event event, unsigned rank, struct hwc_event_source *source)
{
    if (event == HWC_PAGE_FAULT)
        model_of(base)->ops->event_source(model_of(base), event, rank, source);
    else
        native_event_source(base, event, rank, source);
}

static bool note(struct hwc_machine *base, unsigned i, char *text, size_t size)
{
    return model_of(base)->ops->note(model_of(base), i, text, size);
}

static int other_cpu(struct hwc_machine *base, unsigned i)
{
    return model_of(base)->ops->other_cpu(model_of(base), i);
}

static void close_machine(struct hwc_machine *base)
{
    struct modelled_machine *machine = (struct modelled_machine *)base;

    counted = NULL;
    if (machine->model != NULL)
        machine->model->ops->close(machine->model);
    ctr_close(&machine->native.counters);
    native_unpin(&machine->native.placement);
    free(machine);
}

static const struct hwc_machine_ops ops = {
    .arena_open = open_arena,
    .arena_close = close_arena,
    .play = play,
    .event_source = event_source,
    .use_source = native_use_source,
    .listed = native_listed,
    .named = native_named,
    .note = note,
    .other_cpu = other_cpu,
    .close = close_machine,
};

/* "0=big.json,1=small.json", or one for all. */
static void model_on(int cpu, const char *models, char *file, size_t size)
{
    char *list = strdup(models), *rest = NULL;

    for (char *model = strtok_r(list, ",", &rest); model != NULL; model = strtok_r(NULL, ",", &rest)) {
        char *of = strchr(model, '=');
        if (of == NULL || atoi(model) == cpu)
            snprintf(file, size, "%s", of == NULL ? model : of + 1);
    }
    free(list);
}

/* The linker has them so named. */
/* NOLINTBEGIN(bugprone-reserved-identifier) */
int __real_hwc_open_machine(struct hwc_machine **machine, const struct hwc_machine_request *request, uint64_t seed,
                            struct hwc_host *host, struct hwc_error *error);
int __wrap_hwc_open_machine(struct hwc_machine **machine, const struct hwc_machine_request *request, uint64_t seed,
                            struct hwc_host *host, struct hwc_error *error);
/* NOLINTEND(bugprone-reserved-identifier) */

static int open_counters(struct modelled_machine *machine, const struct hwc_machine_request *request,
                         struct hwc_error *error)
{
    struct native_request native;

    hwc_request_of_native(request, &native);
    machine->native.base = *machine->model;
    machine->native.base.ops = &ops;
    TRY(native_open_counters(&machine->native, &native, error));
    machine->native.base.counting_disturbs = false; /* the kernel's code goes through no model's caches */
    return HWC_OK;
}

static int open_modelled(struct modelled_machine *machine, const struct hwc_machine_request *request,
                         const char *models, uint64_t seed, struct hwc_host *host, struct hwc_error *error)
{
    struct hwc_machine_request of_model = *request;
    char file[4096] = "";
    int status = native_pin(&machine->native.placement, request->cpu, request->core_kind != NULL, error);

    if (status != HWC_OK)
        return status;
    model_on(machine->native.placement.cpu, models, file, sizeof file);
    of_model.machine_file = file;
    status = __real_hwc_open_machine(&machine->model, &of_model, seed, host, error);
    if (status != HWC_OK)
        return status;
    host->cpu = machine->native.placement.cpu;
    counted = (struct sim_machine *)machine->model;
    return open_counters(machine, request, error);
}

int __wrap_hwc_open_machine(struct hwc_machine **out, const struct hwc_machine_request *request, uint64_t seed,
                            struct hwc_host *host, struct hwc_error *error)
{
    const char *models = getenv("HWCHAR_MODEL");
    struct modelled_machine *machine;
    int status;

    if (models == NULL || request->machine_file != NULL)
        return __real_hwc_open_machine(out, request, seed, host, error);
    machine = calloc(1, sizeof *machine);
    if (machine == NULL)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory");
    status = open_modelled(machine, request, models, seed, host, error);
    if (status != HWC_OK)
        close_machine(&machine->native.base);
    else
        *out = &machine->native.base;
    return status;
}
