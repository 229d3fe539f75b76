#include "simulated.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "btb.h"
#include "decoded.h"
#include "hierarchy.h"
#include "pages.h"
#include "steady.h"
#include "tlb.h"

/* What one context switch costs the clock, besides the lines it loses. */
#define SWITCH_NS 5000.0
/* Looking for repeated states costs about a pass; the longest walks are played too few times for it to pay. */
#define MOST_CELLS_TO_LOOK_AT (1 << 18)
/* Cycles from reading the clock to reading it again. */
#define CLOCK_OVERHEAD_CYCLES 30.0

struct sim_machine {
    struct hwc_machine base; /* first: the core holds a pointer to it */
    struct sim_description description;
    struct sim_hierarchy hierarchy;
    struct sim_tlbs tlbs;
    struct sim_btb btb;
    struct sim_decoded decoded;
    struct sim_translation translation; /* of the last walk's references */
    /* what they take, by the level that had them and the TLBs that missed */
    double latency[SIM_MAX_DATA_LEVELS + 1][SIM_TLB_LEVELS + 1];
    struct hwc_random random;
    struct sim_pages pages;
    uint64_t page_faults;
    bool switched; /* since the sample began */
    double cycles_to_switch; /* until the next context switch */
    double switch_cycles;    /* that context switches took */
    struct sim_steady steady;
    /* the last walk's cells, located */
    uint64_t located_serial;
    const void *located_arena;
    size_t located;
    size_t places_capacity;
    struct sim_place *places;
};

static struct sim_machine *self(struct hwc_machine *machine)
{
    return (struct sim_machine *)machine;
}

static int arena_open(struct hwc_machine *machine, uint64_t bytes, enum hwc_pages pages, struct hwc_arena *arena,
                      struct hwc_error *error)
{
    return sim_pages_map(&self(machine)->pages, bytes, pages, arena, error);
}

static void arena_close(struct hwc_machine *machine, struct hwc_arena *arena)
{
    self(machine)->located_serial = 0;
    sim_pages_unmap(arena);
}

static const struct sim_path *current_path(const struct sim_machine *machine)
{
    return &machine->hierarchy.path[machine->translation.side];
}

static void look_up_latencies(struct sim_machine *machine)
{
    const struct sim_path *path = current_path(machine);

    for (unsigned served = 0; served <= path->levels; served++)
        for (unsigned missed = 0; missed <= machine->translation.levels; missed++)
            machine->latency[served][missed] =
                (served < path->levels ? path->level[served]->latency_cycles
                                       : machine->description.memory_latency_cycles) +
                sim_translation_cycles(&machine->translation, missed);
}

/* Find the walk's cells once; passes then go through them without translating. */
static int locate(struct sim_machine *machine, const struct hwc_arena *arena, const struct hwc_walk *walk,
                  struct hwc_error *error)
{
    enum sim_side side = sim_side_of(walk->access);

    if (machine->located_serial == walk->serial && machine->located_arena == arena->handle &&
        machine->located == walk->count)
        return HWC_OK;
    sim_steady_forget(&machine->steady);
    sim_tlbs_choose(&machine->tlbs, side, arena->page_bytes, sim_pages_growth(arena), &machine->translation);
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
    machine->located_serial = walk->serial;
    machine->located_arena = arena->handle;
    machine->located = walk->count;
    return HWC_OK;
}

static double next_switch(struct sim_machine *machine)
{
    const struct sim_noise *noise = &machine->description.noise;
    double per_ms = noise->context_switches_per_ms + noise->interrupts_per_ms;

    if (per_ms <= 0)
        return INFINITY;
    return -log(1.0 - hwc_random_unit(&machine->random)) / per_ms * machine->description.frequency_mhz * 1e3;
}

/* Cycles that the references of these counts took, and their variance in references' own. */
static double cycles_of(const struct sim_machine *machine, const struct sim_counts *counts, double *variance)
{
    double cycles = sim_btb_cycles(&machine->btb, counts) + sim_decoded_cycles(&machine->decoded, counts);

    *variance = 0;
    for (unsigned i = 0; i <= current_path(machine)->levels; i++)
        for (unsigned missed = 0; missed <= machine->translation.levels; missed++) {
            double latency = machine->latency[i][missed];
            cycles += (double)counts->served[i][missed] * latency;
            *variance += (double)counts->served[i][missed] * latency * latency;
        }
    return cycles;
}

/* How far ahead the host's caches are told what comes. */
#define ANTICIPATED 8

/* A context switch, or an interrupt, by how often each comes. */
static void disturb(struct sim_machine *machine)
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

/* What is served decoded comes as fast as from the first level. */
static unsigned access_place(struct sim_machine *machine, const struct sim_place *place, const struct hwc_walk *walk)
{
    struct sim_hierarchy *hierarchy = &machine->hierarchy;

    if (walk->access == HWC_FETCH) {
        if (sim_decoded_serves(&machine->decoded, place->virtual_address, walk->code_bytes, &hierarchy->random))
            return 0;
        hierarchy->counts.decoded += !walk->jumps;
    }
    return sim_hierarchy_access(hierarchy, place, walk->access, walk->type);
}

static void pass(struct sim_machine *machine, const struct hwc_walk *walk)
{
    struct sim_hierarchy *hierarchy = &machine->hierarchy;
    const struct sim_path *path = current_path(machine);
    unsigned shift = sim_translation_shift(&machine->translation);
    uint64_t page = UINT64_MAX;
    double until = machine->cycles_to_switch;
    bool switches = until < INFINITY;

    for (size_t i = 0; i < walk->count; i++) {
        const struct sim_place *place = &machine->places[i];
        unsigned served, missed = 0;
        if (i + ANTICIPATED < walk->count)
            sim_hierarchy_anticipate(path, place + ANTICIPATED);
        if (place->virtual_address >> shift != page) {
            page = place->virtual_address >> shift;
            missed = sim_translate(&machine->translation, place->virtual_address, &hierarchy->counts,
                                   &hierarchy->random);
        }
        if (walk->jumps)
            sim_btb_jump(&machine->btb, place->virtual_address, &hierarchy->counts, &hierarchy->random);
        served = access_place(machine, place, walk);
        hierarchy->counts.served[served][missed]++;
        if (switches && (until -= machine->latency[served][missed]) <= 0) {
            disturb(machine);
            until = next_switch(machine);
        }
    }
    machine->cycles_to_switch = until;
}

/* Skip passes that repeat: whole periods, before the next context switch. */
static uint32_t skip(struct sim_machine *machine, uint32_t passes)
{
    struct sim_counts adds;
    double cycles, variance, periods;

    if (!sim_steady_period(&machine->steady, &adds))
        return 0;
    cycles = cycles_of(machine, &adds, &variance);
    periods = floor(fmin((double)passes / machine->steady.period, machine->cycles_to_switch / fmax(cycles, 1)));
    machine->cycles_to_switch -= periods * cycles;
    sim_counts_add(&machine->hierarchy.counts, &adds, (uint64_t)periods);
    sim_steady_skipped(&machine->steady, &adds, (uint64_t)periods);
    return (uint32_t)periods * machine->steady.period;
}

/* See whether passes begin to repeat. */
static void look(struct sim_machine *machine, const struct hwc_walk *walk)
{
    bool fetches = walk->access == HWC_FETCH;
    uint64_t further = 0;

    if (walk->count > MOST_CELLS_TO_LOOK_AT || (walk->jumps && !sim_btb_is_steady(&machine->btb)) ||
        (fetches && !sim_decoded_is_steady(&machine->decoded)))
        return;
    if (walk->jumps)
        further = sim_btb_state(&machine->btb, machine->places, walk->count);
    if (fetches)
        further = sim_mix(further, sim_decoded_state(&machine->decoded, machine->places, walk->count));
    sim_steady_look(&machine->steady, &machine->hierarchy, &machine->translation, machine->places, walk->count, further,
                    &machine->hierarchy.counts);
}

static void play_passes(struct sim_machine *machine, const struct hwc_walk *walk, uint32_t passes)
{
    while (passes > 0) {
        passes -= skip(machine, passes);
        if (passes == 0)
            break;
        pass(machine, walk);
        passes--;
        look(machine, walk);
    }
}

/* So far: references of the current walk's side that no TLB had. */
static uint64_t table_walks(const struct sim_machine *machine)
{
    const struct sim_translation *translation = &machine->translation;

    if (translation->levels == 0)
        return 0;
    return machine->hierarchy.counts.untranslated[translation->side][translation->level[translation->levels - 1].index];
}

/* The operating system's turn, after each step. */
static void resize_pages(struct sim_machine *machine, const struct hwc_arena *arena, const struct hwc_walk *walk,
                         uint64_t walks)
{
    if (!machine->description.page_resizing || !sim_pages_thrash(arena, walk, walks))
        return;
    sim_tlbs_flush(&machine->tlbs);
    machine->located_serial = 0;
}

/* Misses of the caches of a level, by kinds of access. */
static uint64_t demand_misses(const struct sim_hierarchy *hierarchy, unsigned level, const bool *accesses)
{
    uint64_t misses = 0;

    for (int access = 0; access < SIM_ACCESSES; access++) {
        const struct sim_path *path = &hierarchy->path[sim_side_of((enum hwc_access)access)];
        for (unsigned i = 0; accesses[access] && i < path->levels; i++)
            misses += path->level[i]->level == level ? hierarchy->counts.misses[i][access] : 0;
    }
    return misses;
}

/* Misses of one side's TLBs of a level; 0 = of the last. */
static uint64_t translation_misses(const struct sim_machine *machine, enum sim_side side, unsigned level)
{
    const struct sim_description *description = &machine->description;
    uint64_t misses = 0;

    for (unsigned i = 0; i < description->tlbs; i++)
        misses += description->tlb[i].level == level ? machine->hierarchy.counts.untranslated[side][i] : 0;
    return misses;
}

#define LOADS [HWC_LOAD] = true
#define STORES [HWC_STORE] = true
#define FETCHES [HWC_FETCH] = true

/* What events count. The unified levels' own events count data, as demand events do. */
static const struct meaning {
    unsigned cache, tlb; /* level */
    bool written_back;   /* lines that the cache puts out, not references that it misses */
    bool access[SIM_ACCESSES];
} meanings[HWC_EVENT_COUNT] = {
    [HWC_L1D_LOAD_MISS] = {.cache = 1, .access = {LOADS}},
    [HWC_L1D_STORE_MISS] = {.cache = 1, .access = {STORES}},
    [HWC_L1D_MISS] = {.cache = 1, .access = {LOADS, STORES}},
    [HWC_L1I_MISS] = {.cache = 1, .access = {FETCHES}},
    [HWC_L2I_MISS] = {.cache = 2, .access = {FETCHES}},
    [HWC_L2_LOAD_MISS] = {.cache = 2, .access = {LOADS}},
    [HWC_L2_MISS] = {.cache = 2, .access = {LOADS, STORES}},
    [HWC_L3_LOAD_MISS] = {.cache = 3, .access = {LOADS}},
    [HWC_L3_MISS] = {.cache = 3, .access = {LOADS, STORES}},
    [HWC_L4_MISS] = {.cache = 4, .access = {LOADS, STORES}},
    [HWC_DTLB_MISS] = {.tlb = 1, .access = {LOADS, STORES}},
    [HWC_DTLB2_MISS] = {.tlb = 2, .access = {LOADS, STORES}},
    [HWC_ITLB_MISS] = {.tlb = 1, .access = {FETCHES}},
    [HWC_ITLB2_MISS] = {.tlb = 2, .access = {FETCHES}},
    [HWC_L1D_WRITEBACK] = {.cache = 1, .written_back = true},
    [HWC_L2_WRITEBACK] = {.cache = 2, .written_back = true},
    [HWC_L3_WRITEBACK] = {.cache = 3, .written_back = true},
};

static double raw_count(const struct sim_machine *machine, enum hwc_event event)
{
    const struct sim_hierarchy *hierarchy = &machine->hierarchy;
    const struct meaning *meaning = &meanings[event];
    uint64_t count;

    if (event == HWC_PAGE_FAULT)
        return (double)machine->page_faults;
    if (meaning->tlb > 0)
        return (double)translation_misses(machine, meaning->access[HWC_FETCH] ? SIM_CODE_SIDE : SIM_DATA_SIDE,
                                          meaning->tlb);
    if (meaning->cache == 0)
        return 0;
    if (meaning->written_back)
        return (double)hierarchy->counts.written_back[meaning->cache - 1];
    count = demand_misses(hierarchy, meaning->cache, meaning->access);
    if (machine->description.event[event].counts_prefetch && meaning->access[HWC_LOAD])
        count += hierarchy->prefetched[meaning->cache - 1];
    return (double)count;
}

/* Is there anything that the event could count? */
static bool has_subject(const struct sim_machine *machine, enum hwc_event event)
{
    const struct meaning *meaning = &meanings[event];
    enum sim_kind other = meaning->access[HWC_FETCH] ? SIM_DATA : SIM_INSTRUCTION;

    for (unsigned i = 0; i < machine->description.levels; i++)
        if (machine->description.level[i].level == meaning->cache && machine->description.level[i].kind != other)
            return true;
    for (unsigned i = 0; i < machine->description.tlbs; i++)
        if (machine->description.tlb[i].level == meaning->tlb && machine->description.tlb[i].kind != other)
            return true;
    return event == HWC_PAGE_FAULT;
}

/* As a clock shows it that is advanced by many cycles at once: from one step to another, begun anywhere within one. */
static double in_steps(struct sim_machine *machine, double cycles)
{
    double step = machine->base.step_cycles;

    return floor(cycles / step + hwc_random_unit(&machine->random)) * step;
}

static void measure(struct sim_machine *machine, const struct hwc_experiment *experiment, const struct hwc_step *step,
                    struct hwc_reading *reading)
{
    const struct sim_noise *noise = &machine->description.noise;
    enum hwc_event event = experiment->event;
    double before = event != HWC_NO_EVENT ? raw_count(machine, event) : 0;
    double cycles, before_cycles, variance, before_variance;

    before_cycles = cycles_of(machine, &machine->hierarchy.counts, &before_variance);
    machine->switch_cycles = 0;
    play_passes(machine, step->walk, step->passes);
    cycles = cycles_of(machine, &machine->hierarchy.counts, &variance) - before_cycles + machine->switch_cycles;
    *reading = (struct hwc_reading){0};
    reading->cycles = cycles + CLOCK_OVERHEAD_CYCLES +
                      noise->latency_jitter * sqrt(variance - before_variance) * hwc_random_normal(&machine->random);
    if (machine->base.step_cycles > 0)
        reading->cycles = in_steps(machine, reading->cycles);
    if (event != HWC_NO_EVENT && machine->description.event[event].state == SIM_EXACT) {
        reading->counted = true;
        reading->count = (raw_count(machine, event) - before) * machine->description.event[event].factor;
        if (event != HWC_PAGE_FAULT)
            reading->count += noise->counter_overhead;
    }
}

/* References slower than asked for in the pass that has fewest. */
static void measure_each(struct sim_machine *machine, const struct hwc_experiment *experiment,
                         const struct hwc_step *step, struct hwc_reading *reading)
{
    double jitter = machine->description.noise.latency_jitter;

    *reading = (struct hwc_reading){.slow = INFINITY};
    for (uint32_t i = 0; i < step->passes && reading->slow > 0; i++) {
        struct sim_counts before = machine->hierarchy.counts, added;
        double slow = 0;
        play_passes(machine, step->walk, 1);
        sim_counts_between(&before, &machine->hierarchy.counts, &added);
        for (unsigned level = 0; level <= current_path(machine)->levels; level++)
            for (unsigned missed = 0; missed <= machine->translation.levels; missed++)
                if (machine->latency[level][missed] * (1 + jitter * hwc_random_normal(&machine->random)) +
                        CLOCK_OVERHEAD_CYCLES > experiment->slower_than)
                    slow += (double)added.served[level][missed];
        reading->slow = fmin(reading->slow, slow);
    }
}

static void flush(struct sim_machine *machine, const struct hwc_walk *walk)
{
    sim_steady_forget(&machine->steady);
    for (size_t i = 0; i < walk->count; i++)
        sim_hierarchy_flush(&machine->hierarchy, machine->translation.side, &machine->places[i]);
}

/* Faults come with the first touch, before the passes. */
static void measure_faults(struct sim_machine *machine, const struct hwc_experiment *experiment,
                           const struct hwc_step *step, struct hwc_reading *reading)
{
    measure(machine, experiment, step, reading);
    reading->count = (double)machine->page_faults;
    machine->page_faults = 0;
}

/* A step of a walk that was located. */
static void play_step(struct sim_machine *machine, const struct hwc_experiment *experiment,
                      const struct hwc_step *step, struct hwc_sample *sample)
{
    bool faults = experiment->event == HWC_PAGE_FAULT;

    if (step->kind == HWC_FLUSH) {
        flush(machine, step->walk);
        return;
    }
    if (faults)
        machine->page_faults += sim_pages_touch(experiment->arena, step->walk) * (step->kind == HWC_MEASURE);
    if (step->kind == HWC_RUN)
        play_passes(machine, step->walk, step->passes);
    if (step->kind != HWC_MEASURE || sample->readings == HWC_MAX_READINGS)
        return;
    if (faults)
        measure_faults(machine, experiment, step, &sample->reading[sample->readings++]);
    else if (experiment->slower_than > 0)
        measure_each(machine, experiment, step, &sample->reading[sample->readings++]);
    else
        measure(machine, experiment, step, &sample->reading[sample->readings++]);
}

static int play(struct hwc_machine *base, const struct hwc_experiment *experiment, struct hwc_sample *sample,
                struct hwc_error *error)
{
    struct sim_machine *machine = self(base);

    *sample = (struct hwc_sample){0};
    machine->switched = false;
    for (unsigned i = 0; i < experiment->steps; i++) {
        const struct hwc_step *step = &experiment->step[i];
        const struct hwc_arena *arena = hwc_arena_of(experiment, step);
        uint64_t walks;
        int status;

        if (hwc_must_stop(base))
            return hwc_fail(error, HWC_INTERRUPTED, "interrupted");
        if (step->kind == HWC_RELEASE) {
            sim_pages_release(arena);
            continue;
        }
        status = locate(machine, arena, step->walk, error);
        if (status != HWC_OK)
            return status;
        walks = table_walks(machine);
        play_step(machine, experiment, step, sample);
        resize_pages(machine, arena, step->walk, table_walks(machine) - walks);
    }
    sample->disturbed = machine->switched;
    return HWC_OK;
}

static void event_source(struct hwc_machine *base, enum hwc_event event, unsigned rank,
                         struct hwc_event_source *source)
{
    struct sim_machine *machine = self(base);

    *source = (struct hwc_event_source){0};
    if (rank > 0) {
        snprintf(source->reason, sizeof source->reason, "a model counts an event in one way only");
    } else if (!has_subject(machine, event)) {
        snprintf(source->reason, sizeof source->reason, "the machine file has no %s of level %u",
                 meanings[event].tlb > 0 ? "TLB" : "cache", meanings[event].tlb + meanings[event].cache);
    } else if (machine->description.event[event].state == SIM_ABSENT) {
        snprintf(source->reason, sizeof source->reason, "the machine file says that it is absent");
    } else {
        source->available = true;
        snprintf(source->counter, sizeof source->counter, "simulated:%s", hwc_event_name(event));
        snprintf(source->quality, sizeof source->quality, "model");
    }
}

static bool note(struct hwc_machine *base, unsigned i, char *text, size_t size)
{
    struct sim_machine *machine = self(base);

    if (i == 0) {
        snprintf(text, size, "simulated machine: %s", machine->description.name);
        return true;
    }
    if (i == 1 && machine->description.source[0] != '\0') {
        snprintf(text, size, "the machine file's source: %s", machine->description.source);
        return true;
    }
    return false;
}

static void close_machine(struct hwc_machine *base)
{
    struct sim_machine *machine = self(base);

    sim_hierarchy_free(&machine->hierarchy);
    sim_tlbs_free(&machine->tlbs);
    sim_btb_free(&machine->btb);
    sim_decoded_free(&machine->decoded);
    sim_pages_free(&machine->pages);
    free(machine->places);
    free(machine);
}

/* The file's own figures stand beside the measured ones in the report. */
static void document(struct sim_machine *machine)
{
    struct hwc_documented *documented = &machine->base.documented;

    snprintf(documented->source, sizeof documented->source, "machine file");
    documented->page_bytes = machine->description.page_bytes;
    documented->memory_latency_cycles = machine->description.memory_latency_cycles;
    documented->frequency_mhz = machine->description.frequency_mhz;
    for (unsigned i = 0; i < machine->description.levels; i++) {
        const struct sim_level *level = &machine->description.level[i];
        documented->cache[documented->caches++] = (struct hwc_documented_cache){
            .level = level->level,
            .data = level->kind != SIM_INSTRUCTION,
            .instruction = level->kind != SIM_DATA,
            .line_bytes = level->shape.line_bytes,
            .size_bytes = level->shape.size_bytes,
            .ways = level->shape.ways,
            .latency_cycles = level->latency_cycles,
        };
    }
}

/* Of the model. */
#define REFERENCE_NS 50.0

static const struct hwc_machine_ops simulated_ops = {
    .arena_open = arena_open,
    .arena_close = arena_close,
    .play = play,
    .event_source = event_source,
    .note = note,
    .close = close_machine,
};

int sim_machine_open(struct hwc_machine **out, const struct sim_description *description, uint64_t seed,
                     struct hwc_error *error)
{
    struct sim_machine *machine = calloc(1, sizeof *machine);
    int status;

    if (machine == NULL)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory for a simulated machine");
    machine->description = *description;
    hwc_random_seed(&machine->random, seed ^ UINT64_C(0x5eed0fc10c4));
    status = sim_hierarchy_init(&machine->hierarchy, &machine->description, seed, error);
    if (status == HWC_OK)
        status = sim_tlbs_init(&machine->tlbs, &machine->description, error);
    if (status == HWC_OK)
        status = sim_btb_init(&machine->btb, &machine->description, error);
    if (status == HWC_OK)
        status = sim_decoded_init(&machine->decoded, &machine->description, error);
    if (status == HWC_OK)
        status = sim_pages_init(&machine->pages, &machine->description, seed, error);
    if (status != HWC_OK) {
        close_machine(&machine->base);
        return status;
    }
    sim_steady_init(&machine->steady, &machine->hierarchy);
    machine->cycles_to_switch = next_switch(machine);
    machine->base = (struct hwc_machine){
        .ops = &simulated_ops,
        .has_clock = true,
        .times_each = description->times_each,
        .step_cycles = description->clock_step,
        .flushes = true,
        .reference_ns = REFERENCE_NS,
        .interference = description->noise.context_switches_per_ms > 0 || description->noise.interrupts_per_ms > 0 ||
                        description->noise.latency_jitter > 0,
        .page_bytes = description->page_bytes,
        .max_arena_bytes = sim_pages_limit(&machine->pages),
        .cycles_per_ns = description->frequency_mhz / 1e3,
        .counter_backend = "simulated",
    };
    document(machine);
    *out = &machine->base;
    return HWC_OK;
}
