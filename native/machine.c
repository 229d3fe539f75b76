/* Opening and closing the native machine. */
#include <math.h>
#include <stdlib.h>

#include "documented.h"
#include "host.h"
#include "instructions.h"
#include "kernels.h"
#include "load_sampler.h"
#include "native_machine.h"
#include "route.h"
#include "under_valgrind.h"

/* Longest time of a reference, about: on the CPU, and under valgrind, which translates code and models caches. */
#define REFERENCE_NS 2.0
#define TRANSLATED_REFERENCE_NS 50.0

static int open_arena(struct hwc_machine *base, uint64_t bytes, enum hwc_pages pages, struct hwc_arena *arena,
                      struct hwc_error *error)
{
    struct native_machine *machine = native_self(base);

    if (hwc_is_sparse(pages) && bytes > machine->memory.limit_bytes / 2 && base->max_paged_bytes > 0)
        native_paging_begin(&machine->paging, &machine->placement);
    return native_memory_map(&machine->memory, bytes, pages, arena, error);
}

static void close_arena(struct hwc_machine *base, struct hwc_arena *arena)
{
    native_forget_layout(native_self(base), arena);
    native_memory_unmap(arena);
}

static bool is_alone(struct hwc_machine *base)
{
    return !base->has_clock || native_sibling_idle(&native_self(base)->sibling);
}

static bool glance(struct hwc_machine *base)
{
    return !base->has_clock || native_sibling_glance(&native_self(base)->glances);
}

static int number_of_other_cpu(struct hwc_machine *base, unsigned i)
{
    return native_other_allowed(&native_self(base)->placement, i);
}

static bool move_on(struct hwc_machine *base)
{
    struct native_machine *machine = native_self(base);
    int from = machine->placement.cpu;

    if (!machine->may_move || !native_move_on(&machine->placement))
        return false;
    machine->moves++;
    machine->stolen += native_stolen(from) - machine->stolen_at_open;
    machine->stolen_at_open = native_stolen(machine->placement.cpu);
    return true;
}

static void close_machine(struct hwc_machine *base)
{
    struct native_machine *machine = native_self(base);

    nano_workshop_close(machine->workshop);
    native_other_cpu_end(&machine->other);
    native_crew_close(&machine->crew);
    native_paging_end(&machine->paging);
    if (machine->eviction.handle != NULL)
        native_memory_unmap(&machine->eviction);
    native_lists_free(&machine->lists);
    ctr_sampler_close(machine->sampler);
    native_loop_body_free(&machine->loop);
    ctr_close(&machine->counters);
    native_unpin(&machine->placement);
    free(machine);
}

static const struct hwc_machine_ops native_ops = {
    .arena_open = open_arena,
    .arena_close = close_arena,
    .play = native_play,
    .event_source = native_event_source,
    .use_source = native_use_source,
    .listed = native_listed,
    .named = native_named,
    .note = native_note,
    .served = native_served,
    .other_cpu = number_of_other_cpu,
    .alone = is_alone,
    .glance = glance,
    .move = move_on,
    .close = close_machine,
};

static void describe(struct native_machine *machine, const struct native_request *request, const struct hwc_host *host)
{
    bool guest = host->hypervisor[0] != '\0' && !RUNNING_ON_VALGRIND;

    native_memory_init(&machine->memory, request->allow_hugetlb, guest);
    machine->memory.virtually_indexed = RUNNING_ON_VALGRIND;
    machine->base = (struct hwc_machine){
        .ops = &native_ops,
        .has_clock = !RUNNING_ON_VALGRIND,
        .core = RUNNING_ON_VALGRIND ? NULL : &native_core,
        .core_reason = RUNNING_ON_VALGRIND ? "valgrind translates what is executed" : NULL,
        .named_int = native_named_registers(false),
        .named_vector = native_named_registers(true),
        .shares_caches = true,
        .own_apart = NATIVE_LISTS_APART,
        .interference = !RUNNING_ON_VALGRIND,
        .live = true,
        .reference_ns = RUNNING_ON_VALGRIND ? TRANSLATED_REFERENCE_NS : REFERENCE_NS,
        .flushes = native_can_flush() && !RUNNING_ON_VALGRIND,
        .page_bytes = machine->memory.page_bytes,
        .max_arena_bytes = machine->memory.limit_bytes,
    };
}

/* Valgrind runs one thread at a time, on one model of the caches. */
static void find_others(struct native_machine *machine)
{
    unsigned others = RUNNING_ON_VALGRIND ? 0 : native_count_others(&machine->placement);

    machine->base.other_cpus = others;
    machine->base.cpus = others > 0 ? &native_cpus : NULL;
    machine->base.alone_reason = RUNNING_ON_VALGRIND ? "valgrind's caches are one CPU's"
                                 : others == 0       ? "this process may use one CPU only"
                                                     : NULL;
}

static void document(struct native_machine *machine)
{
    const struct ctr_opened *first = &machine->counters.opened[0];

    if (machine->counters.backends > 0 && first->backend->documented != NULL &&
        first->backend->documented(first->session, &machine->base.documented))
        return;
    if (!RUNNING_ON_VALGRIND)
        native_read_documented(machine->placement.cpu, &machine->base.documented);
}

/* Pin the thread and open the counters; unpin it if they cannot be opened. */
static int take_cpu(struct native_machine *machine, const struct native_request *request, struct hwc_host *host,
                    struct hwc_error *error)
{
    int status = native_pin(&machine->placement, request->cpu, request->any_of_kind, error);

    if (status != HWC_OK)
        return status;
    host->cpu = machine->placement.cpu;
    describe(machine, request, host);
    find_others(machine);
    status = native_open_counters(machine, request, error);
    if (status != HWC_OK)
        native_unpin(&machine->placement);
    return status;
}

int native_machine_open(struct hwc_machine **out, const struct native_request *request, struct hwc_host *host,
                        struct hwc_error *error)
{
    struct native_machine *machine = calloc(1, sizeof *machine);
    int status;

    if (machine == NULL)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory");
    native_describe_host(host);
    status = take_cpu(machine, request, host, error);
    if (status != HWC_OK) {
        free(machine);
        return status;
    }
    if (machine->base.has_clock)
        native_calibrate(machine);
    document(machine);
    machine->workshop = nano_workshop_open(request->compiler, request->compiler_flags, &machine->base.stop);
    machine->first_ns = INFINITY;
    machine->may_move = (request->cpu < 0 || request->any_of_kind) && machine->base.has_clock &&
                        machine->counters.backends == 0;
    machine->stolen_at_open = native_stolen(machine->placement.cpu);
    *out = &machine->base;
    return HWC_OK;
}
