#include "simulated.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "counts.h"
#include "documents.h"
#include "interference.h"
#include "other_cpu.h"
#include "passes.h"
#include "sources.h"

/* Cycles between two clock readings with nothing in between. */
#define CLOCK_OVERHEAD_CYCLES 30.0

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

/* Page-table walks so far: references of the current walk's side that missed every TLB. */
static uint64_t table_walks(const struct sim_machine *machine)
{
    const struct sim_translation *translation = &machine->translation;

    if (translation->tlbs == 0)
        return 0;
    return machine->hierarchy.counts.untranslated[translation->side][translation->level[translation->tlbs - 1].index];
}

/* After each step the operating system may grow pages. */
static void resize_pages(struct sim_machine *machine, const struct hwc_arena *arena, const struct hwc_walk *walk,
                         uint64_t walks)
{
    if (!machine->description.page_resizing || !sim_pages_thrash(arena, walk, walks))
        return;
    sim_tlbs_flush(&machine->tlbs);
    machine->located_serial = 0;
}

/* Times are told by the clock's ticks, which need not be the core's. */
static double ticks_per_cycle(const struct sim_machine *machine)
{
    double mhz = machine->description.clock_mhz;

    return mhz > 0 ? mhz / machine->description.frequency_mhz : 1;
}

/* The cycles that a coarse clock shows: whole steps; the interval begins at a random point within one. */
static double in_steps(struct sim_machine *machine, double cycles)
{
    double step = machine->base.step_cycles;

    return floor(cycles / step + hwc_random_unit(&machine->random)) * step;
}

/* Cycles of references by the recording, as the clock shows them; they pass, too. A reading that counts is not
 * disturbed by the frequency. */
static double with_excess(struct sim_machine *machine, const struct sim_counts *before, double cycles, bool counting)
{
    double excess = sim_excess_cycles(machine, before, &machine->hierarchy.counts), factor;
    bool steady = sim_noise_frequency(&machine->noise, &factor);

    machine->cycles_to_interference = fmax(0, machine->cycles_to_interference - excess);
    machine->switched = machine->switched || !(steady || counting);
    return fmax(0, cycles + excess) * factor;
}

static void measure(struct sim_machine *machine, const struct hwc_experiment *experiment, const struct hwc_step *step,
                    struct hwc_reading *reading)
{
    const struct sim_noise *noise = &machine->description.noise;
    enum hwc_event event = experiment->event;
    double before = event != HWC_NO_EVENT ? sim_raw_count(machine, event) : 0;
    double cycles, before_cycles, variance, before_variance;
    struct sim_counts counts;

    if (sim_noise_plays(&machine->noise))
        counts = machine->hierarchy.counts;
    before_cycles = sim_cycles_of(machine, &machine->hierarchy.counts, &before_variance);
    machine->switch_cycles = 0;
    sim_play_passes(machine, step->walk, step->passes);
    cycles = sim_cycles_of(machine, &machine->hierarchy.counts, &variance) - before_cycles + machine->switch_cycles;
    if (sim_noise_plays(&machine->noise))
        cycles = with_excess(machine, &counts, cycles, event != HWC_NO_EVENT);
    *reading = (struct hwc_reading){0};
    reading->cycles = cycles + CLOCK_OVERHEAD_CYCLES +
                      noise->latency_jitter * sqrt(variance - before_variance) * hwc_random_normal(&machine->random);
    reading->cycles *= ticks_per_cycle(machine);
    if (machine->base.step_cycles > 0)
        reading->cycles = in_steps(machine, reading->cycles);
    if (event != HWC_NO_EVENT && machine->description.event[event].state == SIM_EXACT) {
        reading->counted = true;
        reading->count = (sim_raw_count(machine, event) - before) * machine->description.event[event].factor;
        if (event != HWC_PAGE_FAULT)
            reading->count += noise->counter_overhead;
    }
}

/* The chance that a clock of steps reads more than that of what takes so many cycles: it reads one number of steps or the
 * next. */
static double chance_to_exceed(const struct sim_machine *machine, double cycles, double slower_than)
{
    double step = machine->base.step_cycles, less;

    if (step <= 0)
        return cycles > slower_than;
    less = floor(cycles / step) * step;
    if (slower_than < less)
        return 1;
    return slower_than < less + step ? (cycles - less) / step : 0;
}

/* How many of so many references that a level served alike are slower than that? */
static double count_slow(struct sim_machine *machine, unsigned level, unsigned missed, uint64_t references,
                         double slower_than)
{
    struct sim_server server = sim_server_of(machine, level);
    double cycles = machine->latency[level][missed], slow = 0;

    slower_than /= ticks_per_cycle(machine);
    if (!sim_noise_plays(&machine->noise)) {
        cycles *= 1 + machine->description.noise.latency_jitter * hwc_random_normal(&machine->random);
        return round((double)references * chance_to_exceed(machine, cycles + CLOCK_OVERHEAD_CYCLES, slower_than));
    }
    for (; references > 0; references--)
        slow += chance_to_exceed(machine, cycles + sim_noise_of_one(&machine->noise, &server) + CLOCK_OVERHEAD_CYCLES,
                                 slower_than);
    return round(slow);
}

/* Count the references slower than slower_than, in the pass that has the fewest. One during which the thread did not
 * run is slow. */
static void measure_each(struct sim_machine *machine, const struct hwc_experiment *experiment,
                         const struct hwc_step *step, struct hwc_reading *reading)
{
    *reading = (struct hwc_reading){.slow = INFINITY};
    for (uint32_t i = 0; i < step->passes && reading->slow > 0; i++) {
        struct sim_counts before = machine->hierarchy.counts, added;
        double slow = 0;
        machine->gaps = 0;
        sim_play_passes(machine, step->walk, 1);
        sim_counts_between(&before, &machine->hierarchy.counts, &added);
        for (unsigned level = 0; level <= sim_current_path(machine)->levels; level++)
            for (unsigned missed = 0; missed <= machine->translation.levels; missed++)
                slow += count_slow(machine, level, missed, added.served[level][missed], experiment->slower_than);
        reading->slow = fmin(reading->slow, slow + machine->gaps);
    }
}

static void flush(struct sim_machine *machine, const struct hwc_walk *walk)
{
    sim_steady_forget(&machine->steady);
    for (size_t i = 0; i < walk->count; i++)
        sim_hierarchy_flush(&machine->hierarchy, machine->translation.side, &machine->places[i]);
}

/* play_step has counted the page faults, as they come with the first touch. */
static void measure_faults(struct sim_machine *machine, const struct hwc_experiment *experiment,
                           const struct hwc_step *step, struct hwc_reading *reading)
{
    measure(machine, experiment, step, reading);
    reading->count = (double)machine->page_faults;
    machine->page_faults = 0;
}

/* Play a step whose walk has been located. */
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
        sim_play_passes(machine, step->walk, step->passes);
    if (step->kind != HWC_MEASURE || sample->readings == HWC_MAX_READINGS)
        return;
    if (faults)
        measure_faults(machine, experiment, step, &sample->reading[sample->readings++]);
    else if (experiment->slower_than > 0)
        measure_each(machine, experiment, step, &sample->reading[sample->readings++]);
    else
        measure(machine, experiment, step, &sample->reading[sample->readings++]);
}

static void touch_own_data(struct sim_machine *machine)
{
    if (machine->own_data.lines == 0)
        return;
    sim_own_data_touch(&machine->own_data, &machine->hierarchy);
    sim_steady_forget(&machine->steady);
}

/* Page faults are the kernel's, and are always counted. */
static bool can_count(const struct sim_machine *machine, enum hwc_event event)
{
    return event == HWC_NO_EVENT || event == HWC_PAGE_FAULT || machine->counts[event];
}

static int play(struct hwc_machine *base, const struct hwc_experiment *experiment, struct hwc_sample *sample,
                struct hwc_error *error)
{
    struct sim_machine *machine = self(base);

    *sample = (struct hwc_sample){0};
    if (!can_count(machine, experiment->event))
        return hwc_fail(error, HWC_UNAVAILABLE, "%s cannot be counted here", hwc_event_name(experiment->event));
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
        status = sim_locate(machine, arena, step->walk, error);
        if (status != HWC_OK)
            return status;
        if (step->kind == HWC_RUN_ELSEWHERE) {
            TRY(sim_other_cpu_run(machine, experiment->other_cpu, step, error));
            continue;
        }
        walks = table_walks(machine);
        touch_own_data(machine);
        play_step(machine, experiment, step, sample);
        resize_pages(machine, arena, step->walk, table_walks(machine) - walks);
    }
    sample->disturbed = machine->switched;
    return HWC_OK;
}

static bool note(struct hwc_machine *base, unsigned i, char *text, size_t size)
{
    struct sim_machine *machine = self(base);

    if (i > 0)
        i += machine->description.source[0] == '\0'; /* a note less */
    if (i == 0)
        snprintf(text, size, "simulated machine: %s", machine->description.name);
    else if (i == 1)
        snprintf(text, size, "the machine file's source: %s", machine->description.source);
    else if (i == 2 && sim_noise_plays(&machine->noise))
        snprintf(text, size, "its noise was recorded on: %s", machine->noise.recording.origin);
    else
        return false;
    return true;
}

static int other_cpu(struct hwc_machine *base, unsigned i)
{
    (void)base;
    return (int)i; /* the thread's own is CPU 0 */
}

static void close_machine(struct hwc_machine *base)
{
    struct sim_machine *machine = self(base);

    sim_other_cpu_free(&machine->other);
    sim_hierarchy_free(&machine->hierarchy);
    sim_tlbs_free(&machine->tlbs);
    sim_btb_free(&machine->btb);
    sim_decoded_free(&machine->decoded);
    sim_pages_free(&machine->pages);
    sim_noise_close(&machine->noise);
    free(machine->places);
    free(machine);
}

/* Streams are timed where the machine file has the bandwidths of all that serve data. */
static const char *why_no_streams(const struct sim_description *description)
{
    bool all = description->memory_bytes_per_cycle > 0;

    for (unsigned i = 0; i < description->levels; i++)
        all = all && (description->level[i].kind == SIM_INSTRUCTION || description->level[i].bytes_per_cycle > 0);
    return all ? NULL : "the machine file does not say how many bytes a cycle each level gives";
}

/* Longest time that simulating a reference takes, about. */
#define REFERENCE_NS 50.0

static const struct hwc_machine_ops simulated_ops = {
    .arena_open = arena_open,
    .arena_close = arena_close,
    .play = play,
    .event_source = sim_event_source,
    .use_source = sim_use_source,
    .listed = sim_listed,
    .named = sim_named,
    .note = note,
    .other_cpu = other_cpu,
    .close = close_machine,
};

/* Coarser steps than this hide what tells a hit from a miss (native/calibrate.c). */
#define FINE_CYCLES 8

/* Where the machine file does not tell the clock's step, it is the recorded one. */
static int play_recording(struct sim_machine *machine, uint64_t seed, struct hwc_error *error)
{
    const char *path = machine->description.noise.recording;
    struct sim_recorded_noise *noise = &machine->noise;
    double cycles_per_ns = machine->description.frequency_mhz / 1e3, step = machine->description.clock_step;
    int status;

    if (path[0] == '\0')
        return HWC_OK;
    status = sim_noise_open(noise, path, cycles_per_ns, step, seed, error);
    if (status != HWC_OK)
        return hwc_context(error, "%s", path);
    if (step < 0)
        machine->base.step_cycles = noise->recording.clock_step_cycles / noise->recording.cycles_per_ns * cycles_per_ns;
    machine->base.times_each = machine->base.times_each && machine->base.step_cycles <= FINE_CYCLES;
    machine->base.cycles_off = sim_noise_cycles_off();
    return HWC_OK;
}

int sim_machine_open(struct hwc_machine **out, const struct sim_description *description, uint64_t seed,
                     struct hwc_error *error)
{
    struct sim_machine *machine = calloc(1, sizeof *machine);
    int status;

    if (machine == NULL)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory for a simulated machine");
    machine->description = *description;
    hwc_random_seed(&machine->random, seed ^ UINT64_C(0x5eed0fc10c4));
    machine->draws = seed;
    machine->seed = seed;
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
    sim_own_data_init(&machine->own_data, &machine->hierarchy, description->noise.own_lines, seed);
    sim_steady_init(&machine->steady, &machine->hierarchy);
    machine->base = (struct hwc_machine){
        .ops = &simulated_ops,
        .has_clock = true,
        .times_each = description->times_each,
        .step_cycles = fmax(0, description->clock_step),
        .flushes = true,
        .reference_ns = REFERENCE_NS,
        .interference = description->noise.context_switches_per_ms > 0 || description->noise.interrupts_per_ms > 0 ||
                        description->noise.latency_jitter > 0 || description->noise.recording[0] != '\0',
        .page_bytes = description->page_bytes,
        .other_cpus = description->cpus > 1 ? description->cpus - 1 : 0,
        .alone_reason = description->cpus > 1 ? NULL : "the machine file gives it one CPU",
        .max_arena_bytes = sim_pages_limit(&machine->pages),
        .stream_reason = why_no_streams(description),
        .core_reason = "a simulated machine executes no instructions",
        .cycles_per_ns = description->frequency_mhz / 1e3,
        .counter_backend = "simulated",
    };
    status = play_recording(machine, seed, error);
    if (status != HWC_OK) {
        close_machine(&machine->base);
        return status;
    }
    machine->cycles_to_interference = sim_next_interference(machine);
    sim_document(&machine->description, &machine->base.documented);
    *out = &machine->base;
    return HWC_OK;
}
