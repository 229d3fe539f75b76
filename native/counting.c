/* Which counter counts an event on this machine. */
#include <stdio.h>
#include <string.h>

#include "native_machine.h"

#define GETRUSAGE "getrusage:ru_minflt"

static int read_event_map(struct native_machine *machine, const struct native_request *request,
                          struct hwc_error *error)
{
    int status = HWC_OK;

    for (unsigned i = 0; status == HWC_OK && i < request->overrides; i++)
        status = ctr_event_map_add(&machine->map, request->override[i].event, request->override[i].native, error);
    if (status == HWC_OK && request->event_map_file != NULL)
        status = ctr_event_map_read(&machine->map, request->event_map_file, error);
    return status;
}

void native_event_source(struct hwc_machine *base, enum hwc_event event, unsigned rank,
                         struct hwc_event_source *source)
{
    struct native_machine *machine = native_self(base);

    ctr_source(&machine->counters, event, rank, source);
    if (!source->available && event == HWC_PAGE_FAULT && rank == 0)
        *source = (struct hwc_event_source){.available = true, .counter = GETRUSAGE, .quality = "kernel"};
}

void native_use_source(struct hwc_machine *base, enum hwc_event event, const struct hwc_event_source *source)
{
    struct native_machine *machine = native_self(base);

    snprintf(machine->chosen[event].native, sizeof machine->chosen[event].native, "%s", source->counter);
    machine->chosen[event].backend = source->backend;
}

bool native_listed(struct hwc_machine *base, unsigned i, struct hwc_listed *listed)
{
    return ctr_listed(&native_self(base)->counters, i, listed);
}

void native_named(struct hwc_machine *base, const char *name, struct hwc_listed *listed)
{
    ctr_named(&native_self(base)->counters, name, listed);
}

static bool names_event(const struct ctr_event_map *map, enum hwc_event event)
{
    for (unsigned i = 0; i < map->count; i++)
        if (map->mapping[i].event == event)
            return true;
    return false;
}

/* To outgrow memory takes time and swap: who names a counter of what it then misses wants it. */
static void limit_paging(struct native_machine *machine)
{
    struct hwc_machine *base = &machine->base;

    if (names_event(&machine->map, HWC_MAJOR_FAULT))
        base->max_paged_bytes = native_paging_limit(&machine->memory, &base->paging_reason);
}

int native_open_counters(struct native_machine *machine, const struct native_request *request,
                         struct hwc_error *error)
{
    struct ctr_request wanted = {.backend = request->counters ? request->backend : "none",
                                 .cpu = machine->placement.cpu,
                                 .user = &machine->map,
                                 .keep_all = request->audits};
    const struct ctr_counters *counters = &machine->counters;
    struct hwc_event_source faults;
    const char *first;
    int status = read_event_map(machine, request, error);

    if (status == HWC_OK)
        status = ctr_open(&machine->counters, &wanted, error);
    if (status != HWC_OK)
        return status;
    limit_paging(machine);
    native_event_source(&machine->base, HWC_PAGE_FAULT, 0, &faults); /* page faults are counted without a backend too */
    native_use_source(&machine->base, HWC_PAGE_FAULT, &faults);
    first = counters->backends > 0 ? counters->opened[0].backend->name : "none";
    machine->base.counter_backend = first;
    /* PAPI or kernel code runs between start and the first reference; callgrind's switch is one instruction. */
    machine->base.counting_disturbs = counters->backends > 0 && strcmp(first, "callgrind") != 0;
    if (counters->why_none[0] != '\0' && request->counters) {
        snprintf(machine->reason, sizeof machine->reason, "%s", counters->why_none);
        machine->base.counter_reason = machine->reason;
    }
    return HWC_OK;
}

bool native_faults_by_rusage(const struct native_machine *machine)
{
    return strcmp(machine->chosen[HWC_PAGE_FAULT].native, GETRUSAGE) == 0;
}

int native_attach_counter(struct native_machine *machine, enum hwc_event event, struct hwc_error *error)
{
    const char *chosen;

    if (event == HWC_NO_EVENT || (event == HWC_PAGE_FAULT && native_faults_by_rusage(machine)))
        return HWC_OK;
    chosen = machine->chosen[event].native;
    if (machine->counters.backends == 0 || chosen[0] == '\0')
        return hwc_fail(error, HWC_UNAVAILABLE, "%s cannot be counted here", hwc_event_name(event));
    return ctr_attach(&machine->counters, event, machine->chosen[event].backend, chosen, error);
}
