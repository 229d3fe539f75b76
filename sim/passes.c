#include "passes.h"

#include <math.h>
#include <stdlib.h>

#include "interference.h"

/* Looking for repeated states takes about as long as a pass; the longest walks have too few passes to gain from it. */
#define MOST_CELLS_TO_LOOK_AT (1 << 18)

/* A stream's lines do not wait for each other, nor for translation: each takes what its bytes take at the level that
 * serves it. */
static void look_up_transfers(struct sim_machine *machine, const struct hwc_walk *walk)
{
    const struct sim_path *path = sim_current_path(machine);
    double bytes = (double)walk->stream.bytes / (double)walk->count;

    for (unsigned served = 0; served <= path->levels; served++)
        for (unsigned missed = 0; missed <= machine->translation.levels; missed++)
            machine->latency[served][missed] =
                bytes / (served < path->levels ? path->level[served]->bytes_per_cycle
                                               : machine->description.memory_bytes_per_cycle);
}

static void look_up_latencies(struct sim_machine *machine)
{
    const struct sim_path *path = sim_current_path(machine);

    for (unsigned served = 0; served <= path->levels; served++)
        for (unsigned missed = 0; missed <= machine->translation.levels; missed++)
            machine->latency[served][missed] =
                (served < path->levels ? path->level[served]->latency_cycles
                                       : machine->description.memory_latency_cycles) +
                sim_translation_cycles(&machine->translation, missed);
}

/* In which way a line lies is drawn from its number; no two of a set lie in the same. */
static uint64_t way_of(const struct sim_path *path, unsigned level, const struct sim_place *place)
{
    return sim_mix(0, sim_line_at(path, level, place->physical_address)) % path->level[level]->shape.ways;
}

/* Do the loads of a pair conflict, where this level serves both? */
static bool conflict(const struct sim_path *path, unsigned level, const struct sim_place *pair)
{
    const struct sim_banks *banks = &path->level[level]->banks;
    uint64_t bank[2];

    if (banks->number == 0)
        return false;
    for (unsigned i = 0; i < 2; i++)
        bank[i] = pair[i].physical_address / banks->width_bytes % banks->number;
    if (bank[0] != bank[1] || sim_line_at(path, level, pair[0].physical_address) ==
                                  sim_line_at(path, level, pair[1].physical_address))
        return false;
    return !banks->by_way ||
           (pair[0].set[level] != pair[1].set[level] && way_of(path, level, &pair[0]) == way_of(path, level, &pair[1]));
}

/* The loads of a pair do not wait for each other: the first level that they ask serves several a cycle, unless they
 * conflict. Half of what that costs is charged to each. */
static void look_up_pairs(struct sim_machine *machine, const struct hwc_walk *walk)
{
    const struct sim_path *path = sim_current_path(machine);
    unsigned first = sim_first_asked(path, walk->type);
    double cost = conflict(path, first, machine->places) ? path->level[first]->banks.cost_cycles / 2 : 0;

    for (unsigned missed = 0; missed <= machine->translation.levels; missed++)
        machine->latency[first][missed] = 1 / machine->description.loads_per_cycle + cost +
                                          sim_translation_cycles(&machine->translation, missed);
}

/* What one translation covers: a host may have broken the system's pages up. */
static uint64_t translated_bytes(const struct sim_machine *machine, const struct hwc_arena *arena)
{
    uint64_t host = machine->description.host_page_bytes;

    return host > 0 && host < arena->page_bytes ? host : arena->page_bytes;
}

int sim_locate(struct sim_machine *machine, const struct hwc_arena *arena, const struct hwc_walk *walk,
                  struct hwc_error *error)
{
    enum sim_side side = sim_side_of(walk->access);

    if (machine->located_serial == walk->serial && machine->located_arena == arena->handle &&
        machine->located == walk->count)
        return HWC_OK;
    sim_steady_forget(&machine->steady);
    sim_tlbs_choose(&machine->tlbs, side, translated_bytes(machine, arena), sim_pages_growth(arena),
                    &machine->translation);
    if (hwc_walk_is_stream(walk))
        look_up_transfers(machine, walk);
    else
        look_up_latencies(machine);
    if (walk->count > machine->places_capacity) {
        struct sim_place *grown = realloc(machine->places, walk->count * sizeof *grown);
        if (grown == NULL)
            return hwc_fail(error, HWC_NO_MEMORY, "no memory to simulate a walk of %zu references", walk->count);
        machine->places = grown;
        machine->places_capacity = walk->count;
    }
    for (size_t i = 0; i < walk->count; i++) {
        uint64_t virtual_address, physical_address;
        sim_pages_translate(arena, walk->offsets[i], &virtual_address, &physical_address);
        sim_hierarchy_locate(&machine->hierarchy, side, virtual_address, physical_address, &machine->places[i]);
    }
    if (walk->pairs)
        look_up_pairs(machine, walk);
    machine->located_serial = walk->serial;
    machine->located_arena = arena->handle;
    machine->located = walk->count;
    return HWC_OK;
}

double sim_cycles_of(const struct sim_machine *machine, const struct sim_counts *counts, double *variance)
{
    double cycles = sim_btb_cycles(&machine->btb, counts) + sim_decoded_cycles(&machine->decoded, counts);

    *variance = 0;
    for (unsigned i = 0; i <= sim_current_path(machine)->levels; i++)
        for (unsigned missed = 0; missed <= machine->translation.levels; missed++) {
            double latency = machine->latency[i][missed];
            cycles += (double)counts->served[i][missed] * latency;
            *variance += (double)counts->served[i][missed] * latency * latency;
        }
    return cycles;
}

/* How many references ahead the host prefetches what a reference will search, and the place that tells where. */
enum { ANTICIPATED = 8, PLACE_ANTICIPATED = 24 };

/* A fetch that the cache of decoded instructions serves is as fast as a first-level hit. */
static unsigned access_place(struct sim_machine *machine, const struct sim_place *place, const struct hwc_walk *walk,
                             enum hwc_access access)
{
    struct sim_hierarchy *hierarchy = &machine->hierarchy;

    if (walk->access == HWC_FETCH) {
        if (sim_decoded_serves(&machine->decoded, place->virtual_address, walk->code_bytes, &hierarchy->random))
            return 0;
        hierarchy->counts.decoded += !walk->jumps;
    }
    return sim_hierarchy_access(hierarchy, place, access, walk->type);
}

/* Of a copy, every other reference writes. */
static enum hwc_access access_of(const struct hwc_walk *walk, size_t i)
{
    return walk->stream.kind == HWC_STREAM_COPY && i % 2 == 1 ? HWC_STORE : walk->access;
}

/* Reference the walk's places in this order; NULL = theirs. */
static void reference(struct sim_machine *machine, const struct hwc_walk *walk, const uint32_t *order, size_t count)
{
    struct sim_hierarchy *hierarchy = &machine->hierarchy;
    const struct sim_path *path = sim_current_path(machine);
    unsigned shift = sim_translation_shift(&machine->translation);
    uint64_t page = UINT64_MAX;
    double until = machine->cycles_to_interference;
    bool switches = until < INFINITY;

    for (size_t i = 0; i < count; i++) {
        const struct sim_place *place = &machine->places[order == NULL ? i : order[i]];
        unsigned served, missed = 0;
        if (i + PLACE_ANTICIPATED < count)
            __builtin_prefetch(&machine->places[order == NULL ? i + PLACE_ANTICIPATED : order[i + PLACE_ANTICIPATED]]);
        if (i + ANTICIPATED < count)
            sim_hierarchy_anticipate(path, &machine->places[order == NULL ? i + ANTICIPATED : order[i + ANTICIPATED]]);
        if (place->virtual_address >> shift != page) {
            page = place->virtual_address >> shift;
            missed = sim_translate(&machine->translation, place->virtual_address, &hierarchy->counts,
                                   &hierarchy->random);
        }
        if (walk->jumps)
            sim_btb_jump(&machine->btb, place->virtual_address, &hierarchy->counts, &hierarchy->random);
        served = access_place(machine, place, walk, access_of(walk, i));
        hierarchy->counts.served[served][missed]++;
        if (switches && (until -= machine->latency[served][missed]) <= 0) {
            sim_interfere(machine);
            until = sim_next_interference(machine);
        }
    }
    machine->cycles_to_interference = until;
}

enum { DRAWN_AT_ONCE = 4096 };

static void reference_drawn(struct sim_machine *machine, const struct hwc_walk *walk)
{
    struct hwc_draws draws = {.state = machine->draws};
    uint32_t order[DRAWN_AT_ONCE];

    for (uint64_t left = walk->drawn.references; left > 0;) {
        size_t count = left < DRAWN_AT_ONCE ? (size_t)left : DRAWN_AT_ONCE;
        for (size_t i = 0; i < count; i++) {
            order[i] = (uint32_t)hwc_draw_cell(&draws, &walk->drawn);
            __builtin_prefetch(&machine->places[order[i]]);
        }
        reference(machine, walk, order, count);
        left -= count;
    }
    machine->draws = draws.state;
}

static void pass(struct sim_machine *machine, const struct hwc_walk *walk)
{
    if (!hwc_walk_is_drawn(walk)) {
        reference(machine, walk, NULL, walk->count);
        return;
    }
    sim_steady_forget(&machine->steady); /* no pass is like another */
    reference_drawn(machine, walk);
}

/* Skip repeating passes: whole periods, before others do something. */
static uint32_t skip(struct sim_machine *machine, uint32_t passes)
{
    struct sim_counts adds;
    double cycles, variance, periods;

    if (!sim_steady_period(&machine->steady, &adds))
        return 0;
    cycles = sim_cycles_of(machine, &adds, &variance);
    periods = floor(fmin((double)passes / machine->steady.period, machine->cycles_to_interference / fmax(cycles, 1)));
    machine->cycles_to_interference -= periods * cycles;
    sim_counts_add(&machine->hierarchy.counts, &adds, (uint64_t)periods);
    sim_steady_skipped(&machine->steady, &adds, (uint64_t)periods);
    return (uint32_t)periods * machine->steady.period;
}

/* Check whether passes have begun to repeat. */
static void look(struct sim_machine *machine, const struct hwc_walk *walk)
{
    bool fetches = walk->access == HWC_FETCH;
    uint64_t further = 0;

    if (hwc_walk_is_drawn(walk) || walk->count > MOST_CELLS_TO_LOOK_AT ||
        (walk->jumps && !sim_btb_is_steady(&machine->btb)) ||
        (fetches && !sim_decoded_is_steady(&machine->decoded)))
        return;
    if (walk->jumps)
        further = sim_btb_state(&machine->btb, machine->places, walk->count);
    if (fetches)
        further = sim_mix(further, sim_decoded_state(&machine->decoded, machine->places, walk->count));
    sim_steady_look(&machine->steady, &machine->hierarchy, &machine->translation, machine->places, walk->count, further,
                    &machine->hierarchy.counts);
}

/* What a level gives to a stream is what it gives with the help of prefetchers: they rest while one is played. */
void sim_play_passes(struct sim_machine *machine, const struct hwc_walk *walk, uint32_t passes)
{
    machine->hierarchy.prefetchers.rest = hwc_walk_is_stream(walk);
    while (passes > 0) {
        passes -= skip(machine, passes);
        if (passes == 0)
            break;
        pass(machine, walk);
        passes--;
        look(machine, walk);
    }
}
