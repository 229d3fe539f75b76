/* Which level serves the loads of an experiment, as the CPU itself says of some of them. */
#include "load_sampler.h"
#include "native_machine.h"

static int sample(struct native_machine *machine, const struct hwc_experiment *experiment, struct hwc_served *served,
                  struct hwc_error *error)
{
    const struct hwc_arena *arena = experiment->arena;
    struct hwc_sample ignored;
    struct hwc_served stopped = {0}; /* where playing fails */
    int status;

    TRY(native_play(&machine->base, experiment, &ignored, error)); /* lays the walk out, and brings it in */
    TRY(ctr_sampler_start(machine->sampler, error));
    status = native_play(&machine->base, experiment, &ignored, error);
    if (status == HWC_OK)
        return ctr_sampler_stop(machine->sampler, native_base_of(arena), arena->bytes, served, error);
    (void)ctr_sampler_stop(machine->sampler, native_base_of(arena), arena->bytes, &stopped, &(struct hwc_error){0});
    return status;
}

int native_served(struct hwc_machine *base, const struct hwc_experiment *experiment, struct hwc_served *served,
                  struct hwc_error *error)
{
    struct native_machine *machine = native_self(base);
    struct ctr_core_pmu core;

    if (machine->sampler == NULL) {
        ctr_find_core_pmu(machine->placement.cpu, &core);
        TRY(ctr_sampler_open(&machine->sampler, machine->placement.cpu, &core, error));
    }
    return sample(machine, experiment, served, error);
}
