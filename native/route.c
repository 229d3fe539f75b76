#include "route.h"

#include <string.h>

static bool is_code(const struct hwc_step *step)
{
    return step->walk != NULL && step->walk->access == HWC_FETCH;
}

/* Write the walk's order into its cells. */
static void write_chain(const struct hwc_arena *arena, const struct hwc_walk *walk)
{
    char *base = native_base_of(arena);

    for (size_t i = 0; i < walk->count; i++)
        *(uint64_t *)(void *)(base + walk->offsets[i]) = walk->offsets[(i + 1) % walk->count] / HWC_CELL_BYTES;
}

/* Integer loads go along a chain. Stores, floating-point loads, walks that repeat,
 * independent loads and first touches of pages go by a list of offsets: writing a
 * chain would already touch the pages. Streams need neither. */
static bool goes_by_list(const struct hwc_experiment *experiment, const struct hwc_walk *walk)
{
    return experiment->event == HWC_PAGE_FAULT || walk->repeats || walk->independent || hwc_walk_is_drawn(walk) ||
           hwc_walk_is_stream(walk) || walk->access == HWC_STORE || walk->type == HWC_FLOAT;
}

/* Is a chain written into the cells of the step's walk? Where that overwrites nothing, also for stores and
 * floating-point loads, as it maps their pages. */
static bool has_chain(const struct hwc_experiment *experiment, const struct hwc_step *step)
{
    const struct hwc_walk *walk = step->walk;

    if (walk == NULL || is_code(step) || walk->body != NULL || walk->independent || walk->repeats || hwc_walk_is_drawn(walk) ||
        hwc_walk_is_stream(walk))
        return false;
    return experiment->apart || !goes_by_list(experiment, walk);
}

/* Write the chains of these steps, which share no cell, unless they are already there. */
static void write_chains(struct native_machine *machine, const struct hwc_experiment *experiment,
                         const struct hwc_step *steps, unsigned count)
{
    const void *handle = hwc_arena_of(experiment, &steps[0])->handle;
    uint64_t serials[HWC_MAX_STEPS] = {0};
    bool any = false, same = machine->prepared_arena != NULL && machine->prepared_arena == handle;

    for (unsigned i = 0; i < count; i++) {
        serials[i] = has_chain(experiment, &steps[i]) ? steps[i].walk->serial : 0;
        any = any || serials[i] != 0;
    }
    if (!any)
        return;
    for (unsigned i = 0; i < count; i++)
        if (serials[i] != 0 && !(same && serials[i] == machine->prepared_serial[i]))
            write_chain(hwc_arena_of(experiment, &steps[i]), steps[i].walk);
    machine->prepared_arena = handle;
    memcpy(machine->prepared_serial, serials, sizeof serials);
}

/* Where fetches are timed, predictors must not run ahead. */
static enum native_transfer transfer_of(const struct native_machine *machine, const struct hwc_experiment *experiment,
                                        const struct hwc_walk *walk)
{
    return experiment->event == HWC_NO_EVENT && !walk->jumps ? machine->unpredicted : NATIVE_JUMP;
}

/* The step's code; NULL if it must be written first. */
static const struct native_code_entry *code_of(const struct native_machine *machine,
                                               const struct hwc_experiment *experiment, const struct hwc_step *step)
{
    return native_code_find(&machine->codes, hwc_arena_of(experiment, step), step->walk,
                            transfer_of(machine, experiment, step->walk));
}

static int write_code(struct native_machine *machine, const struct hwc_experiment *experiment,
                      const struct hwc_step *step, struct hwc_error *error)
{
    const struct hwc_arena *arena = hwc_arena_of(experiment, step);

    return native_code_add(&machine->codes, arena, native_base_of(arena), step->walk,
                           transfer_of(machine, experiment, step->walk), error);
}

/* Write the code of these steps, which share no cell, unless all of it is already there. */
static int write_codes(struct native_machine *machine, const struct hwc_experiment *experiment,
                       const struct hwc_step *steps, unsigned count, struct hwc_error *error)
{
    int status = HWC_OK;
    bool all = true;

    for (unsigned i = 0; i < count; i++)
        all = all && (!is_code(&steps[i]) || code_of(machine, experiment, &steps[i]) != NULL);
    for (unsigned i = 0; i < count && !all; i++)
        if (is_code(&steps[i]))
            native_code_forget(&machine->codes, hwc_arena_of(experiment, &steps[i]));
    for (unsigned i = 0; i < count && !all && status == HWC_OK; i++)
        if (is_code(&steps[i]) && code_of(machine, experiment, &steps[i]) == NULL)
            status = write_code(machine, experiment, &steps[i], error);
    return status;
}

void native_forget_layout(struct native_machine *machine, const struct hwc_arena *arena)
{
    machine->prepared_arena = NULL;
    native_forget_chains(&machine->loop);
    native_code_forget(&machine->codes, arena);
}

static void clear_cells(char *base, const struct hwc_walk *walk)
{
    for (size_t i = 0; i < walk->count; i++)
        *(uint64_t *)(void *)(base + walk->offsets[i]) = 0;
}

/* The walk's list. A new list's cells are written to once, as a page that was
 * never written to maps to the kernel's shared page of zeros. */
static const struct native_list *find_list(struct native_machine *machine, const struct hwc_arena *arena,
                                           const struct hwc_walk *walk, struct hwc_error *error)
{
    bool made;
    const struct native_list *list = native_list_of(&machine->lists, walk, &made, error);

    if (made && !walk->independent) {
        clear_cells(native_base_of(arena), walk);
        machine->prepared_arena = NULL; /* some were a chain's */
    }
    return list;
}

/* Independent loads could do with the walk's own offsets, but a list is shorter, where it reaches as far. */
static bool needs_list(const struct hwc_arena *arena, const struct hwc_step *step)
{
    const struct hwc_walk *walk = step->walk;
    bool independent = walk->independent && !walk->pairs && walk->access == HWC_LOAD && walk->type == HWC_INTEGER;

    return step->kind != HWC_FLUSH && (walk->repeats || (independent && arena->bytes <= UINT32_MAX));
}

static void write_cells(struct native_machine *machine, struct native_block *block, const struct hwc_walk *walk)
{
    if (block->written_serial == walk->cells_serial)
        return;
    clear_cells(block->base, walk);
    machine->prepared_arena = NULL; /* some were a chain's */
    block->written_serial = walk->cells_serial;
}

/* Nothing else writes to the pages of independent or drawn loads, or of streams that read. A sparse arena keeps its other
 * pages unmapped. */
static void write_pages(struct native_machine *machine, const struct hwc_arena *arena, const struct hwc_walk *walk)
{
    struct native_block *block = arena->handle;

    if (block->sparse) {
        write_cells(machine, block, walk);
        return;
    }
    if (block->written)
        return;
    for (uint64_t at = 0; at < arena->bytes; at += machine->memory.page_bytes)
        *(uint64_t *)(void *)(block->base + at) = 0;
    machine->prepared_arena = NULL; /* some were a chain's cells */
    block->written = true;
}

/* All of the route but what chains and code are. */
static int find_way(struct native_machine *machine, const struct hwc_experiment *experiment,
                    const struct hwc_step *step, struct native_route *route, struct hwc_error *error)
{
    const struct hwc_arena *arena = hwc_arena_of(experiment, step);
    const struct native_list *list;

    if (step->walk == NULL)
        return HWC_OK;
    *route = (struct native_route){
        .base = native_base_of(arena), .walk = step->walk, .by_list = goes_by_list(experiment, step->walk)};
    if (step->walk->body != NULL) {
        route->loop = &machine->loop;
        return native_lay_out_body(&machine->loop, arena, step->walk, error);
    }
    if (hwc_walk_is_drawn(step->walk))
        route->draws = &machine->draws;
    if (needs_list(arena, step)) {
        list = find_list(machine, arena, step->walk, error);
        if (list == NULL)
            return HWC_NO_MEMORY;
        route->order = list->order;
    }
    if (step->walk->independent || hwc_walk_is_drawn(step->walk) || hwc_walk_is_stream(step->walk))
        write_pages(machine, arena, step->walk);
    return HWC_OK;
}

int native_find_routes(struct native_machine *machine, const struct hwc_experiment *experiment,
                       const struct hwc_step *steps, unsigned count, struct native_route *routes,
                       struct hwc_error *error)
{
    int status = HWC_OK;

    for (unsigned i = 0; i < count; i++)
        TRY(find_way(machine, experiment, &steps[i], &routes[i], error));
    write_chains(machine, experiment, steps, count);
    status = write_codes(machine, experiment, steps, count, error);
    for (unsigned i = 0; i < count && status == HWC_OK; i++)
        if (is_code(&steps[i]))
            routes[i].entry = code_of(machine, experiment, &steps[i])->entry;
    return status;
}

bool native_routes_stay(const struct hwc_experiment *experiment)
{
    if (experiment->apart)
        return true;
    for (unsigned i = 0; i < experiment->steps; i++)
        if (experiment->step[i].kind == HWC_RELEASE || is_code(&experiment->step[i]) ||
            has_chain(experiment, &experiment->step[i]))
            return false;
    return true;
}

static void follow_list(const struct native_route *route, uint32_t passes)
{
    char *base = route->base;
    const struct hwc_walk *walk = route->walk;

    for (uint32_t i = 0; i < passes; i++) {
        if (walk->access == HWC_STORE)
            native_store(base, walk->offsets, walk->count);
        else if (walk->type == HWC_FLOAT)
            native_load_doubles(base, walk->offsets, walk->count);
        else
            native_load_integers(base, walk->offsets, walk->count);
    }
}

struct native_journey native_prepare(const struct native_route *route, uint32_t passes)
{
    const struct hwc_walk *walk = route->walk;
    struct native_journey journey = {.route = route,
                                     .passes = walk->count > 0 ? passes : 0,
                                     .by_chain = walk->access != HWC_FETCH && !route->by_list,
                                     .order = route->order,
                                     .independent = walk->independent,
                                     .stream = walk->stream,
                                     .cells = (const uint64_t *)(const void *)route->base};

    for (unsigned i = 0; walk->pairs && i < 2; i++)
        journey.pair[i] = route->base + walk->offsets[i];
    journey.floats = walk->type == HWC_FLOAT;
    if (route->loop != NULL) {
        journey.first = walk->offsets[0] / HWC_CELL_BYTES;
        journey.second = walk->offsets[1] / HWC_CELL_BYTES;
    } else if (route->draws != NULL) {
        journey.drawn = walk->drawn;
        journey.loads = walk->drawn.references * passes;
    } else if (journey.by_chain && journey.passes > 0) {
        journey.first = walk->offsets[0] / HWC_CELL_BYTES;
        journey.loads = (uint64_t)walk->count * passes;
    }
    return journey;
}

static void follow_order(const struct native_journey *journey)
{
    const char *base = (const char *)journey->cells;

    if (!journey->independent) {
        native_play_order(base, &journey->order, journey->passes);
        return;
    }
    for (uint32_t i = 0; i < journey->passes; i++)
        native_load_visits(base, &journey->order);
}

void native_go(const struct native_journey *journey)
{
    const struct native_route *route = journey->route;

    if (route->loop != NULL)
        native_take_turns(route->loop, journey->cells, journey->first, journey->second, journey->passes);
    else if (route->draws != NULL)
        native_play_drawn(route->base, &journey->drawn, route->draws, journey->loads);
    else if (journey->pair[0] != NULL)
        (journey->floats ? native_load_float_pairs : native_load_pairs)(journey->pair[0], journey->pair[1],
                                                                       journey->passes);
    else if (journey->stream.bytes > 0)
        native_play_stream(&journey->stream, route->base, journey->passes);
    else if (journey->by_chain)
        native_chase(journey->cells, journey->first, journey->loads);
    else if (journey->order.visits > 0)
        follow_order(journey);
    else if (journey->passes == 0)
        return;
    else if (route->walk->access == HWC_FETCH)
        native_code_run(route->base, route->entry, journey->passes);
    else
        follow_list(route, journey->passes);
}
