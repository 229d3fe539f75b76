#include "other_cpu.h"

void sim_other_cpu_free(struct sim_other_cpu *other)
{
    if (other->cpu != 0)
        sim_hierarchy_free(&other->hierarchy);
    other->cpu = 0;
}

/* One at a time: what a CPU left in its own caches is forgotten when the next one's turn comes. */
static int become(struct sim_machine *machine, unsigned cpu, struct hwc_error *error)
{
    struct sim_other_cpu *other = &machine->other;

    if (other->cpu == cpu)
        return HWC_OK;
    sim_other_cpu_free(other);
    TRY(sim_hierarchy_init_beside(&other->hierarchy, &machine->hierarchy, cpu, machine->seed + cpu, error));
    other->cpu = cpu;
    return HWC_OK;
}

/* A hypervisor moves the other CPUs to cores that share nothing with the thread's, and back: then they are as one whose
 * number is beyond all that share a cache. */
static unsigned where_it_stands(struct sim_machine *machine, unsigned cpu)
{
    uint64_t turn = machine->other.turns++, every = machine->description.cpus_move;

    return every > 0 && turn / every % 2 == 1 ? SIM_MOST_CPUS : cpu;
}

int sim_other_cpu_run(struct sim_machine *machine, unsigned cpu, const struct hwc_step *step, struct hwc_error *error)
{
    TRY(become(machine, where_it_stands(machine, cpu), error));
    sim_steady_forget(&machine->steady);
    for (uint32_t pass = 0; pass < step->passes; pass++)
        for (size_t i = 0; i < step->walk->count; i++)
            sim_hierarchy_access(&machine->other.hierarchy, &machine->places[i], step->walk->access, step->walk->type);
    return HWC_OK;
}
