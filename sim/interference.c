#include "interference.h"

#include <math.h>

#include "passes.h"

/* Time that a context switch or an interrupt takes, besides the lines that it loses. */
#define SWITCH_NS 5000.0

static double next_switch(struct sim_machine *machine)
{
    const struct sim_noise *noise = &machine->description.noise;
    double per_ms = noise->context_switches_per_ms + noise->interrupts_per_ms;

    if (per_ms <= 0)
        return INFINITY;
    return -log(1.0 - hwc_random_unit(&machine->random)) / per_ms * machine->description.frequency_mhz * 1e3;
}

/* A context switch or an interrupt, chosen at random by their rates. */
static void meet_switch(struct sim_machine *machine)
{
    const struct sim_noise *noise = &machine->description.noise;
    double either = noise->context_switches_per_ms + noise->interrupts_per_ms;
    unsigned lines = noise->lines_lost_per_switch;

    if (hwc_random_unit(&machine->random) * either < noise->context_switches_per_ms)
        machine->switched = true;

    sim_hierarchy_disturb(&machine->hierarchy, lines);
    sim_tlbs_disturb(&machine->tlbs, lines, &machine->hierarchy.random);
    machine->switch_cycles += SWITCH_NS * machine->description.frequency_mhz / 1e3;
    sim_steady_forget(&machine->steady);
}

static double random_whole(struct sim_machine *machine, double expected)
{
    return floor(expected + hwc_random_unit(&machine->noise.random));
}

/* A share of a table's entries. */
static void lose_entries(struct sim_machine *machine, struct sim_cache *cache, const struct sim_table *table,
                         double share)
{
    sim_cache_lose(cache, (unsigned)random_whole(machine, share * (double)table->entries), &machine->hierarchy.random);
}

/* While the thread does not run, others use its first-level caches, its first TLBs and what page-table walks ask. */
static void lose_first(struct sim_machine *machine, double share)
{
    const struct sim_description *description = &machine->description;

    for (unsigned i = 0; i < description->levels; i++) {
        const struct sim_cache_shape *shape = &description->level[i].shape;
        uint64_t lines = shape->size_bytes / shape->line_bytes;
        if (description->level[i].level == 1)
            sim_hierarchy_lose(&machine->hierarchy, i, (uint64_t)random_whole(machine, share * (double)lines));
    }
    for (unsigned i = 0; i < description->tlbs; i++)
        if (description->tlb[i].level == 1)
            lose_entries(machine, &machine->tlbs.cache[i], &description->tlb[i].table, share);
    for (unsigned i = 0; i < description->page_walk_caches; i++)
        lose_entries(machine, &machine->tlbs.page_walk[i], &description->page_walk[i].table, share);
    sim_steady_forget(&machine->steady);
}

/* The other levels may be used by others at any time. */
static void lose_lower(struct sim_machine *machine, double ns)
{
    for (unsigned i = 0; i < machine->description.levels; i++) {
        const struct sim_level *level = &machine->description.level[i];
        uint64_t lines = level->shape.size_bytes / level->shape.line_bytes;
        double share, ways;
        if (level->level == 1)
            continue;
        share = fmin(1, sim_noise_loss(&machine->noise, level->shape.size_bytes) * ns);
        ways = random_whole(machine, share * (double)lines);
        if (ways > 0) {
            sim_hierarchy_lose(&machine->hierarchy, i, (uint64_t)ways);
            sim_steady_forget(&machine->steady);
        }
    }
}

static void meet_recorded(struct sim_machine *machine)
{
    struct sim_noise_event event;

    sim_noise_next(&machine->noise, &event);
    lose_lower(machine, event.elapsed_ns);
    if (event.gap_ns <= 0)
        return;
    lose_first(machine, event.lost);
    machine->switched = machine->switched || event.preempted;
    machine->switch_cycles += event.gap_ns * machine->noise.cycles_per_ns;
    machine->gaps++;
}

double sim_next_interference(struct sim_machine *machine)
{
    return sim_noise_plays(&machine->noise) ? sim_noise_wait(&machine->noise) : next_switch(machine);
}

void sim_interfere(struct sim_machine *machine)
{
    if (sim_noise_plays(&machine->noise))
        meet_recorded(machine);
    else
        meet_switch(machine);
}

double sim_excess_cycles(struct sim_machine *machine, const struct sim_counts *before, const struct sim_counts *after)
{
    const struct sim_path *path = sim_current_path(machine);
    double cycles = 0, ignored, rest = sim_cycles_of(machine, after, &ignored) - sim_cycles_of(machine, before, &ignored);

    for (unsigned level = 0; level <= path->levels; level++) {
        struct sim_server server = sim_server_of(machine, level);
        uint64_t references = 0;
        for (unsigned missed = 0; missed <= machine->translation.levels; missed++)
            references += after->served[level][missed] - before->served[level][missed];
        if (references > 0) /* what a stream takes more is in proportion to what it takes */
            cycles += sim_noise_excess(&machine->noise, &server, (double)references) * machine->latency[level][0] /
                      server.latency_cycles;
        rest -= (double)references * machine->latency[level][0];
    }
    /* Page walks and wrong guesses are not recorded, and follow the core's frequency. */
    return cycles + (machine->noise.slower - 1) * rest;
}
