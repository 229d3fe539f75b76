#include "prefetch.h"

#include "hierarchy.h"

static const struct sim_path *data_path(const struct sim_hierarchy *hierarchy)
{
    return &hierarchy->path[SIM_DATA_SIDE];
}

static int64_t line_bytes(const struct sim_path *path, unsigned level)
{
    return (int64_t)path->cache[level]->shape.line_bytes;
}

static unsigned second_level(const struct sim_path *path)
{
    return path->levels > 1 ? 1 : 0;
}

static void bring_pair(struct sim_hierarchy *hierarchy, const struct sim_place *place)
{
    const struct sim_path *path = data_path(hierarchy);
    unsigned level = second_level(path);
    int64_t bytes = line_bytes(path, level);
    bool second = (sim_line_at(path, level, place->physical_address) & 1) != 0;

    sim_hierarchy_prefetch(hierarchy, level, place, second ? -bytes : bytes);
}

static void follow_stride(struct sim_hierarchy *hierarchy, const struct sim_place *place)
{
    struct sim_prefetchers *state = &hierarchy->prefetchers;
    int64_t stride = (int64_t)(place->virtual_address - state->last_address);

    if (stride != 0 && stride == state->last_stride && stride >= -2048 && stride <= 2048)
        sim_hierarchy_prefetch(hierarchy, 0, place, stride);
    state->last_stride = stride;
    state->last_address = place->virtual_address;
}

static void follow_stream(struct sim_hierarchy *hierarchy, const struct sim_place *place)
{
    struct sim_prefetchers *state = &hierarchy->prefetchers;
    const struct sim_path *path = data_path(hierarchy);
    unsigned level = second_level(path);
    uint64_t line = sim_line_at(path, level, place->physical_address);
    int direction = line == state->last_line + 1 ? 1 : line + 1 == state->last_line ? -1 : 0;

    if (direction != 0 && direction == state->stream_direction)
        for (int64_t ahead = 1; ahead <= 2; ahead++)
            sim_hierarchy_prefetch(hierarchy, level, place, direction * ahead * line_bytes(path, level));
    if (line != state->last_line)
        state->stream_direction = direction;
    state->last_line = line;
}

enum { REGION_LEARNT = 2 };

static struct sim_region *region_of(struct sim_prefetchers *state, uint64_t page)
{
    return &state->region[page % SIM_REGIONS];
}

/* The second reference of a visit. */
static void learn_region(struct sim_prefetchers *state, uint64_t page, int64_t distance)
{
    struct sim_region *region = region_of(state, page);
    bool again = region->page == page && region->distance == distance;

    *region = (struct sim_region){page, distance, again ? region->times + 1 : 1};
}

/* The visit to the page that goes on, or else the one that ends for it. */
static struct sim_visit *visit_to(struct sim_prefetchers *state, uint64_t page)
{
    struct sim_visit *oldest = &state->visit[0];

    for (int i = 0; i < SIM_VISITS; i++) {
        if (state->visit[i].last > 0 && state->visit[i].page == page)
            return &state->visit[i];
        if (state->visit[i].last < oldest->last)
            oldest = &state->visit[i];
    }
    return oldest;
}

static void follow_region(struct sim_hierarchy *hierarchy, const struct sim_place *place)
{
    struct sim_prefetchers *state = &hierarchy->prefetchers;
    uint64_t address = place->virtual_address, page = address / hierarchy->page_bytes;
    const struct sim_region *region = region_of(state, page);
    struct sim_visit *visit = visit_to(state, page);
    int64_t distance = (int64_t)(address - visit->first_address);
    bool goes_on = visit->last > 0 && visit->page == page;

    if (goes_on && !visit->has_second && distance != 0) {
        visit->has_second = true;
        learn_region(state, page, distance);
    }
    if (!goes_on) {
        *visit = (struct sim_visit){.page = page, .first_address = address};
        if (region->page == page && region->times >= REGION_LEARNT)
            sim_hierarchy_prefetch(hierarchy, 0, place, region->distance);
    }
    visit->last = ++state->references;
}

void sim_prefetch_after(struct sim_hierarchy *hierarchy, const struct sim_place *place, unsigned served)
{
    const struct sim_path *path = data_path(hierarchy);
    const bool *prefetches = hierarchy->description->prefetch;

    if (prefetches[SIM_NEXT_LINE] && served > 0)
        sim_hierarchy_prefetch(hierarchy, 0, place, line_bytes(path, 0));
    if (prefetches[SIM_LINE_PAIR] && served > second_level(path))
        bring_pair(hierarchy, place);
    if (prefetches[SIM_STRIDE])
        follow_stride(hierarchy, place);
    if (prefetches[SIM_STREAM] && (served > 0 || second_level(path) == 0))
        follow_stream(hierarchy, place);
    if (prefetches[SIM_REGION])
        follow_region(hierarchy, place);
}
