#include "hierarchy.h"

#include <string.h>

static uint64_t greatest_common_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The sets of the first level that some page could put one of its lines into. */
static void prepare_first(struct sim_hierarchy *hierarchy)
{
    const struct sim_cache *first = &hierarchy->cache[0];
    uint64_t lines_per_page = hierarchy->page_bytes >> first->line_shift;

    if (lines_per_page == 0)
        lines_per_page = 1;
    hierarchy->first_step = lines_per_page % first->sets;
    hierarchy->first_candidates =
        first->shape.slices > 1 ? first->sets : first->sets / greatest_common_divisor(first->sets, lines_per_page);
}

static bool is_plain(const struct sim_hierarchy *hierarchy)
{
    for (unsigned i = 0; i < hierarchy->levels; i++) {
        const struct sim_level *level = hierarchy->level[i];
        if (level->sector_lines > 1 || level->inclusion == SIM_INCLUSIVE || level->inclusion == SIM_EXCLUSIVE)
            return false;
    }
    return hierarchy->description->prefetch == SIM_NO_PREFETCH;
}

int sim_hierarchy_init(struct sim_hierarchy *hierarchy, const struct sim_description *description, uint64_t seed,
                       struct hwc_error *error)
{
    memset(hierarchy, 0, sizeof *hierarchy);
    hierarchy->description = description;
    hierarchy->page_bytes = description->page_bytes;
    hwc_random_seed(&hierarchy->random, seed);
    for (unsigned i = 0; i < description->levels; i++) {
        const struct sim_level *level = &description->level[i];
        int status;
        if (level->kind == SIM_INSTRUCTION)
            continue;
        status = sim_cache_init(&hierarchy->cache[hierarchy->levels], &level->shape, error);
        if (status != HWC_OK) {
            sim_hierarchy_free(hierarchy);
            return status;
        }
        hierarchy->cache[hierarchy->levels].loses_lines = level->inclusion == SIM_EXCLUSIVE;
        for (unsigned above = 0; level->inclusion == SIM_INCLUSIVE && above < hierarchy->levels; above++)
            hierarchy->cache[above].loses_lines = true;
        hierarchy->level[hierarchy->levels++] = level;
    }
    hierarchy->plain = is_plain(hierarchy);
    prepare_first(hierarchy);
    return HWC_OK;
}

void sim_hierarchy_free(struct sim_hierarchy *hierarchy)
{
    for (unsigned i = 0; i < hierarchy->levels; i++)
        sim_cache_free(&hierarchy->cache[i]);
    hierarchy->levels = 0;
}

static uint64_t line_at(const struct sim_hierarchy *hierarchy, unsigned level, uint64_t physical_address)
{
    return physical_address >> hierarchy->cache[level].line_shift;
}

void sim_hierarchy_locate(const struct sim_hierarchy *hierarchy, uint64_t virtual_address, uint64_t physical_address,
                          struct sim_place *place)
{
    place->virtual_address = virtual_address;
    place->physical_address = physical_address;
    for (unsigned i = 0; i < hierarchy->levels; i++)
        place->set[i] = sim_cache_set_of(&hierarchy->cache[i],
                                         line_at(hierarchy, i, i == 0 ? virtual_address : physical_address));
}

/* Remove a physical line from the first level, whose sets are chosen by the
 * virtual address: only the offset in the page is known, so look into each of
 * the sets that some page could have put it into. */
static void remove_from_first(struct sim_hierarchy *hierarchy, uint64_t physical_address)
{
    struct sim_cache *cache = &hierarchy->cache[0];
    uint64_t offset = (physical_address & (hierarchy->page_bytes - 1)) >> cache->line_shift;
    uint32_t set = cache->shape.slices > 1 ? 0 : (uint32_t)(offset % cache->sets);
    uint32_t step = cache->shape.slices > 1 ? 1 : (uint32_t)hierarchy->first_step;

    for (uint64_t k = 0; k < hierarchy->first_candidates; k++) {
        if (sim_cache_remove(cache, set, physical_address >> cache->line_shift))
            return;
        set += step;
        set -= set >= cache->sets ? cache->sets : 0;
    }
}

/* An inclusive level lost a line: no level above may keep any part of it. */
static void back_invalidate(struct sim_hierarchy *hierarchy, unsigned below, uint64_t physical_address,
                            uint64_t bytes)
{
    for (unsigned i = 0; i < below; i++) {
        uint64_t step = hierarchy->cache[i].shape.line_bytes;
        for (uint64_t at = physical_address; at < physical_address + bytes; at += step) {
            uint64_t line = line_at(hierarchy, i, at);
            if (i == 0)
                remove_from_first(hierarchy, at);
            else
                sim_cache_remove(&hierarchy->cache[i], sim_cache_set_of(&hierarchy->cache[i], line), line);
        }
    }
}

static void fill(struct sim_hierarchy *hierarchy, unsigned level, uint32_t set, uint64_t physical_address)
{
    struct sim_cache *cache = &hierarchy->cache[level];
    uint64_t evicted;

    if (!sim_cache_fill(cache, set, line_at(hierarchy, level, physical_address), &hierarchy->random, &evicted))
        return;
    if (hierarchy->level[level]->inclusion == SIM_INCLUSIVE)
        back_invalidate(hierarchy, level, evicted << cache->line_shift, cache->shape.line_bytes);
    if (level + 1 < hierarchy->levels && hierarchy->level[level + 1]->inclusion == SIM_EXCLUSIVE) {
        uint64_t victim = evicted << cache->line_shift;
        uint64_t line = line_at(hierarchy, level + 1, victim);
        uint32_t below = sim_cache_set_of(&hierarchy->cache[level + 1], line);
        if (!sim_cache_holds(&hierarchy->cache[level + 1], below, line))
            fill(hierarchy, level + 1, below, victim);
    }
}

/* Bring a neighbour of a missed line in without a demand for it. */
static void prefetch(struct sim_hierarchy *hierarchy, unsigned level, const struct sim_place *near, int64_t distance)
{
    struct sim_cache *cache = &hierarchy->cache[level];
    uint64_t page = hierarchy->page_bytes;
    uint64_t physical = near->physical_address + (uint64_t)distance;
    uint64_t virtual_address = near->virtual_address + (uint64_t)distance;
    uint64_t line = line_at(hierarchy, level, physical);
    uint32_t set;

    if (physical / page != near->physical_address / page || hierarchy->level[level]->inclusion == SIM_EXCLUSIVE)
        return; /* prefetchers stop at the page's end */
    set = sim_cache_set_of(cache, line_at(hierarchy, level, level == 0 ? virtual_address : physical));
    if (sim_cache_holds(cache, set, line))
        return;
    hierarchy->prefetched[level]++;
    fill(hierarchy, level, set, physical);
}

static void prefetch_group(struct sim_hierarchy *hierarchy, unsigned level, const struct sim_place *place)
{
    unsigned lines = hierarchy->level[level]->sector_lines;
    int64_t bytes = (int64_t)hierarchy->cache[level].shape.line_bytes;
    int64_t mine = (int64_t)(line_at(hierarchy, level, place->physical_address) & (lines - 1));

    for (int64_t i = 0; i < (int64_t)lines; i++)
        if (i != mine)
            prefetch(hierarchy, level, place, (i - mine) * bytes);
}

static void prefetch_by_stride(struct sim_hierarchy *hierarchy, const struct sim_place *place)
{
    int64_t stride = (int64_t)(place->virtual_address - hierarchy->last_address);

    if (stride != 0 && stride == hierarchy->last_stride && stride >= -2048 && stride <= 2048)
        prefetch(hierarchy, 0, place, stride);
    hierarchy->last_stride = stride;
    hierarchy->last_address = place->virtual_address;
}

static void prefetch_stream(struct sim_hierarchy *hierarchy, const struct sim_place *place)
{
    unsigned level = hierarchy->levels > 1 ? 1 : 0;
    int64_t bytes = (int64_t)hierarchy->cache[level].shape.line_bytes;
    uint64_t line = line_at(hierarchy, level, place->physical_address);
    int direction = line == hierarchy->last_line + 1 ? 1 : line + 1 == hierarchy->last_line ? -1 : 0;

    if (direction != 0 && direction == hierarchy->stream_direction)
        for (int64_t ahead = 1; ahead <= 2; ahead++)
            prefetch(hierarchy, level, place, direction * ahead * bytes);
    if (line != hierarchy->last_line)
        hierarchy->stream_direction = direction;
    hierarchy->last_line = line;
}

static void train_prefetchers(struct sim_hierarchy *hierarchy, const struct sim_place *place, unsigned served)
{
    switch (hierarchy->description->prefetch) {
    case SIM_NO_PREFETCH:
        break;
    case SIM_NEXT_LINE:
        if (served > 0)
            prefetch(hierarchy, 0, place, (int64_t)hierarchy->cache[0].shape.line_bytes);
        break;
    case SIM_STRIDE:
        prefetch_by_stride(hierarchy, place);
        break;
    case SIM_STREAM:
        if (served > 0)
            prefetch_stream(hierarchy, place);
        break;
    }
}

/* Does a reference that missed here leave its line here? */
static bool allocates(const struct sim_level *level, enum hwc_access access)
{
    return level->inclusion != SIM_EXCLUSIVE && (access == HWC_LOAD || level->write_allocate);
}

/* Levels that are on their own take and keep the line as they are asked. */
static unsigned access_plain(struct sim_hierarchy *hierarchy, const struct sim_place *place, unsigned first)
{
    unsigned served = first;

    while (served < hierarchy->levels &&
           !sim_cache_touch(&hierarchy->cache[served], place->set[served],
                            line_at(hierarchy, served, place->physical_address), &hierarchy->random))
        hierarchy->counts.misses[served++][HWC_LOAD]++;
    hierarchy->counts.served[served]++;
    return served;
}

unsigned sim_hierarchy_access(struct sim_hierarchy *hierarchy, const struct sim_place *place, enum hwc_access access,
                              enum hwc_type type)
{
    unsigned first = type == HWC_FLOAT && hierarchy->level[0]->bypassed_by_float ? 1 : 0;
    unsigned served = first;

    if (hierarchy->plain && access == HWC_LOAD)
        return access_plain(hierarchy, place, first);
    while (served < hierarchy->levels &&
           !sim_cache_access(&hierarchy->cache[served], place->set[served],
                             place->physical_address >> hierarchy->cache[served].line_shift)) {
        hierarchy->counts.misses[served][access]++;
        served++;
    }
    hierarchy->counts.served[served]++;
    if (served > first) {
        if (served < hierarchy->levels && hierarchy->level[served]->inclusion == SIM_EXCLUSIVE)
            sim_cache_remove(&hierarchy->cache[served], place->set[served],
                             place->physical_address >> hierarchy->cache[served].line_shift);
        for (unsigned i = served; i-- > first;) {
            if (!allocates(hierarchy->level[i], access))
                continue;
            fill(hierarchy, i, place->set[i], place->physical_address);
            if (hierarchy->level[i]->sector_lines > 1)
                prefetch_group(hierarchy, i, place);
        }
    }
    if (hierarchy->description->prefetch != SIM_NO_PREFETCH)
        train_prefetchers(hierarchy, place, served);
    return served;
}

void sim_hierarchy_flush(struct sim_hierarchy *hierarchy, const struct sim_place *place)
{
    for (unsigned i = 0; i < hierarchy->levels; i++)
        sim_cache_remove(&hierarchy->cache[i], place->set[i], line_at(hierarchy, i, place->physical_address));
}

void sim_hierarchy_disturb(struct sim_hierarchy *hierarchy, unsigned lines)
{
    for (unsigned i = 0; i < hierarchy->levels; i++)
        sim_cache_lose(&hierarchy->cache[i], lines, &hierarchy->random);
}

void sim_counts_add(struct sim_counts *counts, const struct sim_counts *adds, uint64_t times)
{
    for (unsigned i = 0; i < SIM_MAX_DATA_LEVELS; i++)
        for (int access = 0; access < 2; access++)
            counts->misses[i][access] += times * adds->misses[i][access];
    for (unsigned i = 0; i <= SIM_MAX_DATA_LEVELS; i++)
        counts->served[i] += times * adds->served[i];
}

void sim_counts_between(const struct sim_counts *then, const struct sim_counts *now, struct sim_counts *added)
{
    for (unsigned i = 0; i < SIM_MAX_DATA_LEVELS; i++)
        for (int access = 0; access < 2; access++)
            added->misses[i][access] = now->misses[i][access] - then->misses[i][access];
    for (unsigned i = 0; i <= SIM_MAX_DATA_LEVELS; i++)
        added->served[i] = now->served[i] - then->served[i];
}
