#include "native.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "backend.h"
#include "clock.h"
#include "code.h"
#include "documented.h"
#include "branch_prediction.h"
#include "host.h"
#include "interrupt.h"
#include "kernels.h"
#include "code_table.h"
#include "list.h"
#include "memory.h"
#include "placement.h"
#include "sibling.h"
#include "under_valgrind.h"

/* A reference that the CPU plays, and one of translated code whose caches are modelled. */
#define REFERENCE_NS 2.0
#define TRANSLATED_REFERENCE_NS 50.0
/* Where nothing flushes by instruction, reading this much evicts (AMP 3.1, step 1). */
#define EVICTION_BYTES (UINT64_C(64) << 20)
#define GETRUSAGE "getrusage:ru_minflt"

/* A hit and a miss of a cache differ by some tens of cycles: steps of the clock that are well below. */
#define FINE_CYCLES 8.0

struct native_machine {
    struct hwc_machine base; /* first: the core holds a pointer to it */
    struct native_memory memory;
    struct native_placement placement;
    struct native_clock clock;
    struct ctr_event_map map;
    struct ctr_counters counters;
    char chosen[HWC_EVENT_COUNT][128]; /* the native counter in use for each event */
    bool faults_by_rusage;
    char reason[512];
    const void *prepared_arena; /* where the chains of these walks now lie; NULL = nowhere */
    uint64_t prepared_serial[HWC_MAX_STEPS];
    struct native_code_table codes;
    enum native_transfer unpredicted;
    struct native_lists lists;
    struct native_sibling sibling;
    unsigned long long stolen_at_open;
    struct hwc_arena eviction;
};

static struct native_machine *self(struct hwc_machine *machine)
{
    return (struct native_machine *)machine;
}

static char *base_of(const struct hwc_arena *arena)
{
    return ((const struct native_block *)arena->handle)->base;
}

static int arena_open(struct hwc_machine *base, uint64_t bytes, enum hwc_pages pages, struct hwc_arena *arena,
                      struct hwc_error *error)
{
    return native_memory_map(&self(base)->memory, bytes, pages, arena, error);
}

static void arena_close(struct hwc_machine *base, struct hwc_arena *arena)
{
    if (self(base)->prepared_arena == arena->handle)
        self(base)->prepared_arena = NULL;
    native_code_forget(&self(base)->codes, arena);
    native_memory_unmap(arena);
}

static bool is_code(const struct hwc_step *step)
{
    return step->walk != NULL && step->walk->access == HWC_FETCH;
}

/* Too few lines for strands are one chain. */
static bool has_strands(const struct hwc_walk *walk)
{
    return walk->strands && walk->count >= NATIVE_STRANDS;
}

/* Write the walk's order into its cells: one cycle, or one a strand. */
static void lay_out(const struct hwc_arena *arena, const struct hwc_walk *walk)
{
    size_t strands = has_strands(walk) ? NATIVE_STRANDS : 1;
    char *base = base_of(arena);

    for (size_t i = 0; i < walk->count; i++) {
        uint64_t next = walk->offsets[i + strands < walk->count ? i + strands : i % strands];
        *(uint64_t *)(void *)(base + walk->offsets[i]) = next / HWC_CELL_BYTES;
    }
}

/* Every cell in each pass; those of shorter strands once more at its end. */
static void go_along_strands(const char *base, const struct hwc_walk *walk, uint32_t passes)
{
    uint64_t first[NATIVE_STRANDS];

    for (size_t i = 0; i < NATIVE_STRANDS; i++)
        first[i] = walk->offsets[i] / HWC_CELL_BYTES;
    native_chase_strands((const uint64_t *)(const void *)base, first,
                         (uint64_t)passes * ((walk->count + NATIVE_STRANDS - 1) / NATIVE_STRANDS));
}

/* A walk's list. Its cells are written to once, as a page that nothing was
 * written to is the kernel's one page of zeros. */
static const struct native_list *find_list(struct native_machine *machine, const struct hwc_arena *arena,
                                           const struct hwc_walk *walk, struct hwc_error *error)
{
    bool made;
    const struct native_list *list = native_list_of(&machine->lists, walk, &made, error);

    for (size_t i = 0; made && i < walk->count; i++)
        *(uint64_t *)(void *)(base_of(arena) + walk->offsets[i]) = 0;
    return list;
}

/* Where fetches are timed, predictors must not run ahead. */
static enum native_transfer transfer_of(const struct native_machine *machine, const struct hwc_experiment *experiment,
                                const struct hwc_walk *walk)
{
    return experiment->event == HWC_NO_EVENT && !walk->jumps ? machine->unpredicted : NATIVE_JUMP;
}

/* The step's code, where it lies there and can be executed; NULL = it must be laid out. */
static const struct native_code_entry *code_of(const struct native_machine *machine,
                                              const struct hwc_experiment *experiment, const struct hwc_step *step)
{
    return native_code_find(&machine->codes, hwc_arena_of(experiment, step), step->walk,
                            transfer_of(machine, experiment, step->walk));
}

/* Lay out the code of these steps, which shares no cell, unless it is. */
static int prepare_code(struct native_machine *machine, const struct hwc_experiment *experiment,
                        const struct hwc_step *steps, unsigned count, struct hwc_error *error)
{
    int status = HWC_OK;
    bool all = true;

    for (unsigned i = 0; i < count; i++)
        all = all && (!is_code(&steps[i]) || code_of(machine, experiment, &steps[i]) != NULL);
    for (unsigned i = 0; i < count && !all; i++)
        if (is_code(&steps[i]))
            native_code_forget(&machine->codes, hwc_arena_of(experiment, &steps[i]));
    for (unsigned i = 0; i < count && !all && status == HWC_OK; i++) {
        const struct hwc_arena *arena = hwc_arena_of(experiment, &steps[i]);
        if (is_code(&steps[i]) && code_of(machine, experiment, &steps[i]) == NULL)
            status = native_code_add(&machine->codes, arena, base_of(arena), steps[i].walk,
                                     transfer_of(machine, experiment, steps[i].walk), error);
    }
    return status;
}

/* Lay out the walks of these steps of loads, which share no cell, unless they are. */
static void prepare(struct native_machine *machine, const struct hwc_experiment *experiment,
                    const struct hwc_step *steps, unsigned count)
{
    const void *handle = hwc_arena_of(experiment, &steps[0])->handle;
    uint64_t serials[HWC_MAX_STEPS] = {0};

    for (unsigned i = 0; i < count; i++)
        serials[i] = steps[i].walk != NULL ? steps[i].walk->serial : 0;
    if (machine->prepared_arena != NULL && machine->prepared_arena == handle &&
        memcmp(machine->prepared_serial, serials, sizeof serials) == 0)
        return;
    for (unsigned i = 0; i < count; i++)
        if (steps[i].walk != NULL && !is_code(&steps[i]))
            lay_out(hwc_arena_of(experiment, &steps[i]), steps[i].walk);
    machine->prepared_arena = handle;
    memcpy(machine->prepared_serial, serials, sizeof serials);
}

static int evict_by_reading(struct native_machine *machine, struct hwc_error *error)
{
    const volatile char *base;

    if (machine->eviction.handle == NULL) {
        int status = native_memory_map(&machine->memory, EVICTION_BYTES, HWC_BASE_PAGES, &machine->eviction, error);
        if (status != HWC_OK)
            return status;
        memset(base_of(&machine->eviction), 1, EVICTION_BYTES);
    }
    base = base_of(&machine->eviction);
    for (int round = 0; round < 2; round++)
        for (uint64_t at = 0; at < EVICTION_BYTES; at += 32)
            (void)base[at];
    return HWC_OK;
}

static int flush(struct native_machine *machine, const struct hwc_arena *arena, const struct hwc_walk *walk,
                 struct hwc_error *error)
{
    const char *base = base_of(arena);

    if (!machine->base.flushes)
        return evict_by_reading(machine, error);
    for (size_t i = 0; i < walk->count; i++)
        native_flush_line(base + walk->offsets[i]);
    native_fence();
    return HWC_OK;
}

/* How a step goes through its walk. */
struct way {
    char *base;
    const struct hwc_walk *walk;
    const struct native_list *list; /* of a walk that repeats; else NULL */
    bool by_list;
    uint64_t entry; /* of its code */
};

/* Loads go along the chain. Stores, floating-point loads and first touches of
 * pages go by the list of offsets: a chain would have touched them before. */
static void go(const struct way *way, uint32_t passes)
{
    char *base = way->base;
    const struct hwc_walk *walk = way->walk;
    const struct native_list *list = way->list;

    if (walk->count == 0 || passes == 0)
        return;
    if (walk->access == HWC_FETCH) {
        native_code_run(base, way->entry, passes);
        return;
    }
    if (!way->by_list && has_strands(walk)) {
        go_along_strands(base, walk, passes);
        return;
    }
    if (!way->by_list) {
        native_chase((const uint64_t *)(const void *)base, walk->offsets[0] / HWC_CELL_BYTES,
                     (uint64_t)walk->count * passes);
        return;
    }
    for (uint32_t i = 0; i < passes; i++) {
        if (list != NULL)
            native_play_order(base, &list->order);
        else if (walk->access == HWC_STORE)
            native_store(base, walk->offsets, walk->count);
        else if (walk->type == HWC_FLOAT)
            native_load_doubles(base, walk->offsets, walk->count);
        else
            native_load_integers(base, walk->offsets, walk->count);
    }
}

static bool goes_by_list(const struct hwc_experiment *experiment, const struct hwc_walk *walk)
{
    return experiment->event == HWC_PAGE_FAULT || walk->repeats || walk->access == HWC_STORE || walk->type == HWC_FLOAT;
}

static long minor_faults(void)
{
    struct rusage usage;

    return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_minflt : 0;
}

static int measure(struct native_machine *machine, const struct hwc_experiment *experiment,
                   const struct hwc_step *step, const struct way *way, struct hwc_reading *reading, bool *whole,
                   struct hwc_error *error)
{
    bool by_rusage = experiment->event == HWC_PAGE_FAULT && machine->faults_by_rusage;
    bool counting = experiment->event != HWC_NO_EVENT && !by_rusage;
    struct ctr_reading counted = {.whole = true};
    long faults = by_rusage ? minor_faults() : 0;
    double before = machine->base.has_clock ? native_clock_recent_pulse(&machine->clock) : 0;
    double after = before;
    uint64_t begin, end;
    bool steady = true;
    int status = HWC_OK;

    if (way->list != NULL)
        native_list_warm(way->list); /* uncounted */
    if (counting)
        status = machine->counters.backend->start(machine->counters.session, error);
    if (status != HWC_OK)
        return status;
    if (way->list != NULL && counting)
        native_list_warm(way->list); /* what starting took of it */
    begin = native_ticks();
    go(way, step->passes);
    end = native_ticks();
    if (counting)
        status = machine->counters.backend->stop(machine->counters.session, &counted, error);
    if (machine->base.has_clock)
        after = native_clock_pulse(&machine->clock);
    *reading = (struct hwc_reading){
        .cycles = (double)(end - begin) * native_clock_between(&machine->clock, before, after, &steady),
        .counted = counting || by_rusage,
        .count = by_rusage ? (double)(minor_faults() - faults) : counted.value,
    };
    *whole = *whole && counted.whole && (steady || counting);
    return status;
}

/* Foreign evictions only add slow references: the pass that has fewest stands, and none is fewest. */
static void measure_each(struct native_machine *machine, const struct hwc_experiment *experiment,
                         const struct hwc_step *step, const struct way *way, struct hwc_reading *reading)
{
    const char *base = way->base;
    const struct hwc_walk *walk = way->walk;
    const struct native_list *list = way->list;
    double pulse = native_clock_pulse(&machine->clock);
    bool steady;
    double ticks = experiment->slower_than / native_clock_between(&machine->clock, pulse, pulse, &steady);
    uint64_t fewest = UINT64_MAX;

    *reading = (struct hwc_reading){0};
    for (uint32_t i = 0; i < step->passes && fewest > 0; i++) {
        uint64_t slow = list != NULL ? native_play_order_timed(base, &list->order, (uint32_t)ticks)
                                     : native_chase_timed((const uint64_t *)(const void *)base,
                                                          walk->offsets[0] / HWC_CELL_BYTES, walk->count,
                                                          (uint32_t)ticks);
        fewest = slow < fewest ? slow : fewest;
    }
    reading->slow = (double)fewest;
}

/* Attach the event's counter, unless it is. */
static int attach(struct native_machine *machine, enum hwc_event event, struct hwc_error *error)
{
    struct ctr_counters *counters = &machine->counters;
    int status;

    if (event == HWC_NO_EVENT || (event == HWC_PAGE_FAULT && machine->faults_by_rusage))
        return HWC_OK;
    if (counters->backend == NULL || machine->chosen[event][0] == '\0')
        return hwc_fail(error, HWC_UNAVAILABLE, "%s cannot be counted here", hwc_event_name(event));
    if (counters->attached == event && strcmp(counters->native, machine->chosen[event]) == 0)
        return HWC_OK;
    status = counters->backend->attach(counters->session, machine->chosen[event], error);
    counters->attached = status == HWC_OK ? event : HWC_NO_EVENT;
    snprintf(counters->native, sizeof counters->native, "%s", machine->chosen[event]);
    return status;
}

/* Have the step's walk lie where it should, and find the way through it. */
static int find_way(struct native_machine *machine, const struct hwc_experiment *experiment,
                    const struct hwc_step *step, struct way *way, struct hwc_error *error)
{
    const struct hwc_arena *arena = hwc_arena_of(experiment, step);
    int status = HWC_OK;

    *way = (struct way){
        .base = base_of(arena), .walk = step->walk, .by_list = goes_by_list(experiment, step->walk)};
    if (step->walk->repeats && step->kind != HWC_FLUSH) {
        way->list = find_list(machine, arena, step->walk, error);
        if (way->list == NULL)
            return HWC_UNAVAILABLE;
    }
    if (is_code(step) && !experiment->apart)
        status = prepare_code(machine, experiment, step, 1, error);
    else if (!experiment->apart && !way->by_list)
        prepare(machine, experiment, step, 1);
    if (status == HWC_OK && is_code(step))
        way->entry = code_of(machine, experiment, step)->entry;
    return status;
}

static int play_step(struct native_machine *machine, const struct hwc_experiment *experiment,
                     const struct hwc_step *step, struct hwc_sample *sample, bool *whole, struct hwc_error *error)
{
    struct way way;
    int status;

    if (step->kind == HWC_RELEASE) {
        machine->prepared_arena = NULL;
        native_code_forget(&machine->codes, experiment->arena);
        return native_memory_release(experiment->arena, error);
    }
    status = find_way(machine, experiment, step, &way, error);
    if (status != HWC_OK)
        return status;
    switch (step->kind) {
    case HWC_FLUSH:
        return flush(machine, hwc_arena_of(experiment, step), step->walk, error);
    case HWC_RUN:
        go(&way, step->passes);
        if (step->walk->access == HWC_STORE)
            native_fence(); /* a store buffer may hold a hundred of them, whose lines are not yet there */
        return HWC_OK;
    default:
        if (sample->readings == HWC_MAX_READINGS)
            return hwc_fail(error, HWC_SYSTEM, "an experiment measures more than %d steps", HWC_MAX_READINGS);
        if (experiment->slower_than > 0)
            measure_each(machine, experiment, step, &way, &sample->reading[sample->readings]);
        else
            status = measure(machine, experiment, step, &way, &sample->reading[sample->readings], whole, error);
        sample->readings++;
        return status;
    }
}

static int play(struct hwc_machine *base, const struct hwc_experiment *experiment, struct hwc_sample *sample,
                struct hwc_error *error)
{
    struct native_machine *machine = self(base);
    struct rusage before = {0}, after = {0};
    bool whole = true;
    int status = attach(machine, experiment->event, error);

    *sample = (struct hwc_sample){0};
    if (experiment->apart)
        prepare(machine, experiment, experiment->step, experiment->steps);
    if (experiment->apart && status == HWC_OK)
        status = prepare_code(machine, experiment, experiment->step, experiment->steps, error);
    getrusage(RUSAGE_THREAD, &before);
    for (unsigned i = 0; status == HWC_OK && i < experiment->steps; i++) {
        if (hwc_interrupted())
            return hwc_fail(error, HWC_INTERRUPTED, "interrupted");
        status = play_step(machine, experiment, &experiment->step[i], sample, &whole, error);
    }
    getrusage(RUSAGE_THREAD, &after);
    sample->disturbed = !whole || (!RUNNING_ON_VALGRIND && (after.ru_nivcsw != before.ru_nivcsw ||
                                                            after.ru_nvcsw != before.ru_nvcsw));
    if (!RUNNING_ON_VALGRIND && native_cpu_now() >= 0 && native_cpu_now() != machine->placement.cpu)
        sample->disturbed = true;
    return status;
}

static void event_source(struct hwc_machine *base, enum hwc_event event, unsigned rank,
                         struct hwc_event_source *source)
{
    struct native_machine *machine = self(base);

    ctr_source(&machine->counters, event, rank, source);
    if (event == HWC_PAGE_FAULT)
        machine->faults_by_rusage = false;
    if (!source->available && event == HWC_PAGE_FAULT && rank == 0) {
        *source = (struct hwc_event_source){.available = true};
        machine->faults_by_rusage = true;
        snprintf(source->counter, sizeof source->counter, GETRUSAGE);
        snprintf(source->quality, sizeof source->quality, "kernel");
    }
    if (source->available)
        snprintf(machine->chosen[event], sizeof machine->chosen[event], "%s", source->counter);
}

static bool note(struct hwc_machine *base, unsigned i, char *text, size_t size)
{
    struct native_machine *machine = self(base);
    unsigned long long stolen;

    switch (i) {
    case 0:
        if (machine->memory.hugetlb_bytes > 0)
            snprintf(text, size, "large arenas came from the hugetlb pool, pages of %llu KiB",
                     (unsigned long long)machine->memory.hugetlb_bytes >> 10);
        else if (machine->memory.huge_bytes > 0)
            snprintf(text, size, "large arenas are backed by transparent huge pages%s",
                     machine->memory.guest ? "; the host may back them with smaller ones" : "");
        else
            snprintf(text, size, "no huge pages were to be had: large arenas have ordinary pages");
        return true;
    case 1:
        snprintf(text, size, "memory in use is bounded to %llu MiB by %s",
                 (unsigned long long)(machine->memory.limit_bytes >> 20), machine->memory.bound);
        return true;
    case 2:
        if (!machine->base.has_clock)
            snprintf(text, size, "under valgrind the clock says nothing of the machine and was not asked");
        else
            snprintf(text, size, "core at %.0f MHz by dependent additions%s; decoding an index costs %.1f cycles, taken off",
                     machine->base.cycles_per_ns * 1e3,
                     machine->clock.steady ? "" : " (the frequency never came to rest)", machine->base.decode_cycles);
        return true;
    case 3:
        stolen = native_stolen(machine->placement.cpu) - machine->stolen_at_open;
        snprintf(text, size, "the hypervisor took %llu ticks from this CPU meanwhile", stolen);
        return true;
    default:
        return false;
    }
}

static void close_machine(struct hwc_machine *base)
{
    struct native_machine *machine = self(base);

    if (machine->eviction.handle != NULL)
        native_memory_unmap(&machine->eviction);
    native_lists_free(&machine->lists);
    ctr_close(&machine->counters);
    native_unpin(&machine->placement);
    free(machine);
}

/* What base + index * 8 adds to a plain address, on a chain of one line. */
static double measure_decoding(const struct native_machine *machine)
{
    uint64_t indexed[1] = {0};
    void *plain[1] = {plain};
    double least[2] = {1e300, 1e300};

    for (int i = 0; i < 32; i++) {
        uint64_t a = native_ticks();
        native_chase(indexed, 0, 4096);
        uint64_t b = native_ticks();
        native_chase_addresses(plain, 4096);
        uint64_t c = native_ticks();
        least[0] = (double)(b - a) < least[0] ? (double)(b - a) : least[0];
        least[1] = (double)(c - b) < least[1] ? (double)(c - b) : least[1];
    }
    return least[0] > least[1] ? (least[0] - least[1]) / 4096 * machine->clock.cycles_per_tick : 0;
}

static bool alone(struct hwc_machine *base)
{
    return !base->has_clock || native_sibling_idle(&self(base)->sibling);
}

static const struct hwc_machine_ops native_ops = {
    .arena_open = arena_open,
    .arena_close = arena_close,
    .play = play,
    .event_source = event_source,
    .note = note,
    .alone = alone,
    .close = close_machine,
};

static int open_counters(struct native_machine *machine, const struct native_request *request,
                         struct hwc_error *error)
{
    struct ctr_request wanted = {.backend = request->counters ? request->backend : "none",
                                 .cpu = machine->placement.cpu,
                                 .user = &machine->map};
    int status = HWC_OK;

    for (unsigned i = 0; status == HWC_OK && i < request->overrides; i++)
        status = ctr_event_map_add(&machine->map, request->override[i].event, request->override[i].native, error);
    if (status == HWC_OK && request->event_map_file != NULL)
        status = ctr_event_map_read(&machine->map, request->event_map_file, error);
    if (status == HWC_OK)
        status = ctr_open(&machine->counters, &wanted, error);
    if (status != HWC_OK)
        return status;
    machine->base.counter_backend = machine->counters.backend != NULL ? machine->counters.backend->name : "none";
    /* PAPI and the kernel run between start and the first reference; callgrind's switch is one instruction. */
    machine->base.counting_disturbs =
        machine->counters.backend != NULL && strcmp(machine->counters.backend->name, "callgrind") != 0;
    if (machine->counters.why_none[0] != '\0' && request->counters) {
        snprintf(machine->reason, sizeof machine->reason, "%s", machine->counters.why_none);
        machine->base.counter_reason = machine->reason;
    }
    return HWC_OK;
}

static void document(struct native_machine *machine)
{
    const struct ctr_backend *backend = machine->counters.backend;

    if (backend != NULL && backend->documented != NULL &&
        backend->documented(machine->counters.session, &machine->base.documented))
        return;
    if (!RUNNING_ON_VALGRIND)
        native_read_documented(machine->placement.cpu, &machine->base.documented);
}

int native_machine_open(struct hwc_machine **out, const struct native_request *request, struct hwc_host *host,
                        struct hwc_error *error)
{
    struct native_machine *machine = calloc(1, sizeof *machine);
    int status;

    if (machine == NULL)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory");
    native_describe_host(host);
    status = native_pin(&machine->placement, request->cpu, error);
    if (status != HWC_OK) {
        free(machine);
        return status;
    }
    host->cpu = machine->placement.cpu;
    native_memory_init(&machine->memory, request->allow_hugetlb, host->hypervisor[0] != '\0' && !RUNNING_ON_VALGRIND);
    machine->memory.virtually_indexed = RUNNING_ON_VALGRIND;
    machine->base = (struct hwc_machine){
        .ops = &native_ops,
        .has_clock = !RUNNING_ON_VALGRIND,
        .shares_caches = true,
        .own_apart = NATIVE_LISTS_APART,
        .interference = !RUNNING_ON_VALGRIND,
        .live = true,
        .reference_ns = RUNNING_ON_VALGRIND ? TRANSLATED_REFERENCE_NS : REFERENCE_NS,
        .flushes = native_can_flush() && !RUNNING_ON_VALGRIND,
        .page_bytes = machine->memory.page_bytes,
        .max_arena_bytes = machine->memory.limit_bytes,
    };
    status = open_counters(machine, request, error);
    if (status != HWC_OK) {
        native_unpin(&machine->placement);
        free(machine);
        return status;
    }
    if (machine->base.has_clock) {
        native_clock_calibrate(&machine->clock);
        machine->base.cycles_per_ns = machine->clock.cycles_per_tick * machine->clock.ticks_per_ns;
        machine->base.decode_cycles = measure_decoding(machine);
        machine->base.step_cycles = machine->clock.step_ticks * machine->clock.cycles_per_tick;
        machine->base.times_each = machine->base.step_cycles <= FINE_CYCLES;
        machine->unpredicted = native_unpredicted_transfer();
    }
    document(machine);
    machine->stolen_at_open = native_stolen(machine->placement.cpu);
    *out = &machine->base;
    return HWC_OK;
}
