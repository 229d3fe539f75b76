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

/* Which sets of the first level, which is virtually indexed, could hold a given physical line? */
static void prepare_first(const struct sim_hierarchy *hierarchy, struct sim_path *path)
{
    const struct sim_cache *first = path->cache[0];
    uint64_t lines_per_page = hierarchy->page_bytes >> first->line_shift;

    if (lines_per_page == 0)
        lines_per_page = 1;
    path->first_step = lines_per_page % first->sets;
    path->first_candidates =
        sim_cache_is_scattered(&first->shape) ? first->sets : first->sets / greatest_common_divisor(first->sets, lines_per_page);
}

static bool is_plain(const struct sim_hierarchy *hierarchy, const struct sim_path *path)
{
    for (unsigned i = 0; i < path->levels; i++) {
        const struct sim_level *level = path->level[i];
        if (level->sector_lines > 1 || level->inclusion == SIM_INCLUSIVE || level->inclusion == SIM_EXCLUSIVE)
            return false;
    }
    return !hierarchy->description->prefetches;
}

static void lay_path(struct sim_hierarchy *hierarchy, enum sim_side side)
{
    struct sim_path *path = &hierarchy->path[side];

    for (unsigned i = 0; i < hierarchy->description->levels; i++) {
        const struct sim_level *level = &hierarchy->description->level[i];
        struct sim_hierarchy *owner = hierarchy->borrowed[i] ? hierarchy->beside : hierarchy;
        if (level->kind == (side == SIM_DATA_SIDE ? SIM_INSTRUCTION : SIM_DATA))
            continue;
        path->level[path->levels] = level;
        path->dirty[path->levels] = &owner->dirty[i];
        path->cache[path->levels++] = &owner->cache[i];
        owner->cache[i].loses_lines = owner->cache[i].loses_lines || level->inclusion == SIM_EXCLUSIVE;
        for (unsigned above = 0; level->inclusion == SIM_INCLUSIVE && above + 1 < path->levels; above++)
            path->cache[above]->loses_lines = true;
    }
    path->plain = is_plain(hierarchy, path);
    if (path->levels > 0)
        prepare_first(hierarchy, path);
}

/* Make the caches that are not borrowed, and lay the paths through all. */
static int build(struct sim_hierarchy *hierarchy, const struct sim_description *description, uint64_t seed,
                 struct hwc_error *error)
{
    hierarchy->description = description;
    hierarchy->page_bytes = description->page_bytes;
    hwc_random_seed(&hierarchy->random, seed);
    for (unsigned i = 0; i < description->levels; i++) {
        const struct sim_cache_shape *shape = &description->level[i].shape;
        if (hierarchy->borrowed[i])
            continue;
        TRY(sim_cache_init(&hierarchy->cache[i], shape, error));
        TRY(sim_line_set_init(&hierarchy->dirty[i], shape->size_bytes / shape->line_bytes, error));
    }
    lay_path(hierarchy, SIM_DATA_SIDE);
    lay_path(hierarchy, SIM_CODE_SIDE);
    return HWC_OK;
}

int sim_hierarchy_init(struct sim_hierarchy *hierarchy, const struct sim_description *description, uint64_t seed,
                       struct hwc_error *error)
{
    int status;

    memset(hierarchy, 0, sizeof *hierarchy);
    status = build(hierarchy, description, seed, error);
    if (status != HWC_OK)
        sim_hierarchy_free(hierarchy);
    return status;
}

int sim_hierarchy_init_beside(struct sim_hierarchy *hierarchy, struct sim_hierarchy *owner, unsigned cpu, uint64_t seed,
                              struct hwc_error *error)
{
    int status;

    memset(hierarchy, 0, sizeof *hierarchy);
    hierarchy->beside = owner;
    owner->beside = hierarchy;
    for (unsigned i = 0; i < owner->description->levels; i++)
        hierarchy->borrowed[i] = cpu < owner->description->level[i].shared_by;
    status = build(hierarchy, owner->description, seed, error);
    if (status != HWC_OK)
        sim_hierarchy_free(hierarchy);
    return status;
}

void sim_hierarchy_free(struct sim_hierarchy *hierarchy)
{
    for (unsigned i = 0; i < SIM_MAX_LEVELS; i++) {
        sim_cache_free(&hierarchy->cache[i]); /* a borrowed one's place is empty */
        sim_line_set_free(&hierarchy->dirty[i]);
    }
    memset(hierarchy->path, 0, sizeof hierarchy->path);
    if (hierarchy->beside != NULL)
        hierarchy->beside->beside = NULL;
    hierarchy->beside = NULL;
}

void sim_hierarchy_locate(const struct sim_hierarchy *hierarchy, enum sim_side side, uint64_t virtual_address,
                          uint64_t physical_address, struct sim_place *place)
{
    const struct sim_path *path = &hierarchy->path[side];

    place->virtual_address = virtual_address;
    place->physical_address = physical_address;
    for (unsigned i = 0; i < path->levels; i++)
        place->set[i] =
            sim_cache_set_of(path->cache[i], sim_line_at(path, i, i == 0 ? virtual_address : physical_address));
}

/* Remove a physical line from the first level, whose sets are chosen by the
 * virtual address. Only the offset in the page is known, so search every set
 * that the line could be in. */
static void remove_from_first(const struct sim_hierarchy *hierarchy, const struct sim_path *path,
                              uint64_t physical_address)
{
    struct sim_cache *cache = path->cache[0];
    uint64_t offset = (physical_address & (hierarchy->page_bytes - 1)) >> cache->line_shift;
    bool anywhere = sim_cache_is_scattered(&cache->shape);
    uint32_t set = anywhere ? 0 : (uint32_t)(offset % cache->sets);
    uint32_t step = anywhere ? 1 : (uint32_t)path->first_step;

    for (uint64_t k = 0; k < path->first_candidates; k++) {
        if (sim_cache_remove(cache, set, physical_address >> cache->line_shift))
            return;
        set += step;
        set -= set >= cache->sets ? cache->sets : 0;
    }
}

/* An inclusive level lost a line, so no level above may keep any part of it. Returns whether any part was dirty. */
static bool invalidate_above(const struct sim_hierarchy *hierarchy, const struct sim_path *path,
                             const struct sim_cache *below, uint64_t physical_address)
{
    bool dirty = false;

    for (unsigned i = 0; i < path->levels && path->cache[i] != below; i++) {
        uint64_t step = path->cache[i]->shape.line_bytes;
        for (uint64_t at = physical_address; at < physical_address + below->shape.line_bytes; at += step) {
            uint64_t line = sim_line_at(path, i, at);
            if (i == 0)
                remove_from_first(hierarchy, path, at);
            else
                sim_cache_remove(path->cache[i], sim_cache_set_of(path->cache[i], line), line);
            dirty = sim_line_set_remove(path->dirty[i], line) || dirty;
        }
    }
    return dirty;
}

static bool invalidate_sides(const struct sim_hierarchy *hierarchy, const struct sim_level *level,
                             const struct sim_cache *cache, uint64_t physical_address)
{
    bool dirty = false;

    if (level->kind != SIM_INSTRUCTION)
        dirty = invalidate_above(hierarchy, &hierarchy->path[SIM_DATA_SIDE], cache, physical_address);
    if (level->kind != SIM_DATA)
        dirty = invalidate_above(hierarchy, &hierarchy->path[SIM_CODE_SIDE], cache, physical_address) || dirty;
    return dirty;
}

static bool has_cache(const struct sim_hierarchy *hierarchy, const struct sim_cache *cache)
{
    for (unsigned side = 0; side < SIM_SIDES; side++)
        for (unsigned i = 0; i < hierarchy->path[side].levels; i++)
            if (hierarchy->path[side].cache[i] == cache)
                return true;
    return false;
}

/* For every CPU that has this cache. */
static bool back_invalidate(const struct sim_hierarchy *hierarchy, const struct sim_level *level,
                            const struct sim_cache *cache, uint64_t physical_address)
{
    bool dirty = invalidate_sides(hierarchy, level, cache, physical_address);

    if (hierarchy->beside != NULL && has_cache(hierarchy->beside, cache))
        dirty = invalidate_sides(hierarchy->beside, level, cache, physical_address) || dirty;
    return dirty;
}

static bool holds(const struct sim_path *path, unsigned level, uint64_t physical_address)
{
    uint64_t line = sim_line_at(path, level, physical_address);

    return sim_cache_holds(path->cache[level], sim_cache_set_of(path->cache[level], line), line);
}

/* Stored data goes to the first level, from `level` on, that holds the line and is write-back; else to memory. Not for
 * the first level, whose sets go by the virtual address. */
static void hand_on(const struct sim_path *path, unsigned level, uint64_t physical_address)
{
    for (; level < path->levels; level++)
        if (path->level[level]->write_back && holds(path, level, physical_address)) {
            sim_line_set_add(path->dirty[level], sim_line_at(path, level, physical_address));
            return;
        }
}

/* The same for a reference, whose sets are known, from the level that it begins at. */
static void store(const struct sim_path *path, unsigned first, const struct sim_place *place)
{
    uint64_t line = sim_line_at(path, 0, place->physical_address);

    if (first == 0 && path->level[0]->write_back && sim_cache_holds(path->cache[0], place->set[0], line))
        sim_line_set_add(path->dirty[0], line);
    else
        hand_on(path, first > 0 ? first : 1, place->physical_address);
}

static void fill(struct sim_hierarchy *hierarchy, const struct sim_path *path, unsigned level, uint32_t set,
                 uint64_t physical_address);

static void evict(struct sim_hierarchy *hierarchy, const struct sim_path *path, unsigned level, uint64_t line)
{
    const struct sim_cache *cache = path->cache[level];
    uint64_t victim = line << cache->line_shift;
    bool dirty = sim_line_set_remove(path->dirty[level], line);

    if (path->level[level]->inclusion == SIM_INCLUSIVE)
        dirty = back_invalidate(hierarchy, path->level[level], cache, victim) || dirty;
    if (level + 1 < path->levels && path->level[level + 1]->inclusion == SIM_EXCLUSIVE &&
        !holds(path, level + 1, victim))
        fill(hierarchy, path, level + 1, sim_cache_set_of(path->cache[level + 1], sim_line_at(path, level + 1, victim)),
             victim);
    if (!dirty)
        return;
    hierarchy->counts.written_back[level] += path == &hierarchy->path[SIM_DATA_SIDE];
    hand_on(path, level + 1, victim);
}

static void fill(struct sim_hierarchy *hierarchy, const struct sim_path *path, unsigned level, uint32_t set,
                 uint64_t physical_address)
{
    uint64_t line = sim_line_at(path, level, physical_address), evicted;

    sim_line_set_remove(path->dirty[level], line); /* stale if the line was lost other than by eviction */
    if (sim_cache_fill(path->cache[level], set, line, &hierarchy->random, &evicted))
        evict(hierarchy, path, level, evicted);
}

/* Take the line out of an exclusive level. Returns whether it was dirty there. */
static bool take_out(const struct sim_path *path, unsigned level, const struct sim_place *place)
{
    uint64_t line = sim_line_at(path, level, place->physical_address);

    sim_cache_remove(path->cache[level], place->set[level], line);
    return sim_line_set_remove(path->dirty[level], line);
}

/* Bring the place's line into this level from the first below that has it, or from memory, through those between. */
static void bring(struct sim_hierarchy *hierarchy, const struct sim_path *path, unsigned level,
                  const struct sim_place *place)
{
    unsigned served = level + 1;
    bool dirty = false;

    while (served < path->levels &&
           !sim_cache_access(path->cache[served], place->set[served], sim_line_at(path, served, place->physical_address)))
        served++;
    if (served < path->levels && path->level[served]->inclusion == SIM_EXCLUSIVE)
        dirty = take_out(path, served, place);
    for (unsigned i = served; i-- > level;)
        if (path->level[i]->inclusion != SIM_EXCLUSIVE)
            fill(hierarchy, path, i, place->set[i], place->physical_address);
    if (dirty)
        store(path, level, place);
}

/* Bring in the line at a distance from a referenced one, without a demand for it. */
static void prefetch(struct sim_hierarchy *hierarchy, const struct sim_path *path, unsigned level,
                     const struct sim_place *near, int64_t distance)
{
    uint64_t page = hierarchy->page_bytes;
    uint64_t physical = near->physical_address + (uint64_t)distance;
    struct sim_place place = {0};

    if (physical / page != near->physical_address / page || path->level[level]->inclusion == SIM_EXCLUSIVE)
        return; /* prefetchers stop at page boundaries */
    sim_hierarchy_locate(hierarchy, (enum sim_side)(path - hierarchy->path),
                         near->virtual_address + (uint64_t)distance, physical, &place);
    if (sim_cache_holds(path->cache[level], place.set[level], sim_line_at(path, level, physical)))
        return;
    hierarchy->prefetched[level]++;
    bring(hierarchy, path, level, &place);
}

void sim_hierarchy_prefetch(struct sim_hierarchy *hierarchy, unsigned level, const struct sim_place *near,
                            int64_t distance)
{
    prefetch(hierarchy, &hierarchy->path[SIM_DATA_SIDE], level, near, distance);
}

static void prefetch_group(struct sim_hierarchy *hierarchy, const struct sim_path *path, unsigned level,
                           const struct sim_place *place)
{
    unsigned lines = path->level[level]->sector_lines;
    int64_t bytes = (int64_t)path->cache[level]->shape.line_bytes;
    int64_t mine = (int64_t)(sim_line_at(path, level, place->physical_address) & (lines - 1));

    for (int64_t i = 0; i < (int64_t)lines; i++)
        if (i != mine)
            prefetch(hierarchy, path, level, place, (i - mine) * bytes);
}

/* Does a miss of this kind fill its line into this level? */
static bool allocates(const struct sim_level *level, enum hwc_access access)
{
    return level->inclusion != SIM_EXCLUSIVE && (access != HWC_STORE || level->write_allocate);
}

/* Look the line up in a level of a plain path, and fill it on a miss. */
static bool touch(struct sim_hierarchy *hierarchy, const struct sim_path *path, unsigned level,
                  const struct sim_place *place)
{
    uint64_t line = sim_line_at(path, level, place->physical_address);

    if (path->dirty[level]->count == 0)
        return sim_cache_touch(path->cache[level], place->set[level], line, &hierarchy->random);
    if (sim_cache_access(path->cache[level], place->set[level], line))
        return true;
    fill(hierarchy, path, level, place->set[level], place->physical_address);
    return false;
}

/* In a plain path each level fills the line as soon as it misses. */
static unsigned access_plain(struct sim_hierarchy *hierarchy, const struct sim_path *path,
                             const struct sim_place *place, enum hwc_access access, unsigned first)
{
    unsigned served = first;

    while (served < path->levels && !touch(hierarchy, path, served, place))
        hierarchy->counts.misses[served++][access]++;
    return served;
}

/* Does a hit in this level end the reference? A store goes on past a write-through level. */
static bool absorbs(const struct sim_level *level, enum hwc_access access)
{
    return access != HWC_STORE || level->write_back;
}

/* Look up level after level; `missed` gets a bit for each level that missed. Returns the level that ended it. */
static unsigned ask(struct sim_hierarchy *hierarchy, const struct sim_path *path, const struct sim_place *place,
                    enum hwc_access access, unsigned first, unsigned *missed)
{
    unsigned level = first;

    for (*missed = 0; level < path->levels; level++) {
        bool hit = sim_cache_access(path->cache[level], place->set[level],
                                    sim_line_at(path, level, place->physical_address));
        if (hit && absorbs(path->level[level], access))
            break;
        if (hit)
            continue;
        hierarchy->counts.misses[level][access]++;
        *missed |= 1u << level;
    }
    return level;
}

/* Fill the line into the levels above the serving one that missed. */
static void fill_above(struct sim_hierarchy *hierarchy, const struct sim_path *path, const struct sim_place *place,
                       enum hwc_access access, unsigned missed, unsigned served)
{
    bool dirty = false;

    if (served < path->levels && path->level[served]->inclusion == SIM_EXCLUSIVE)
        dirty = take_out(path, served, place);
    for (unsigned i = served; i-- > 0;) {
        if ((missed >> i & 1) == 0 || !allocates(path->level[i], access))
            continue;
        fill(hierarchy, path, i, place->set[i], place->physical_address);
        if (path->level[i]->sector_lines > 1)
            prefetch_group(hierarchy, path, i, place);
    }
    if (dirty)
        store(path, 0, place);
}

unsigned sim_hierarchy_access(struct sim_hierarchy *hierarchy, const struct sim_place *place, enum hwc_access access,
                              enum hwc_type type)
{
    enum sim_side side = sim_side_of(access);
    const struct sim_path *path = &hierarchy->path[side];
    unsigned first = access != HWC_FETCH ? sim_first_asked(path, type) : 0;
    unsigned served, missed;

    if (path->plain && access != HWC_STORE)
        return access_plain(hierarchy, path, place, access, first);
    served = ask(hierarchy, path, place, access, first, &missed);
    if (missed != 0)
        fill_above(hierarchy, path, place, access, missed, served);
    if (access == HWC_STORE)
        store(path, first, place);
    if (hierarchy->description->prefetches && side == SIM_DATA_SIDE && !hierarchy->prefetchers.rest)
        sim_prefetch_after(hierarchy, place, served);
    return served;
}

void sim_hierarchy_flush(struct sim_hierarchy *hierarchy, enum sim_side side, const struct sim_place *place)
{
    const struct sim_path *path = &hierarchy->path[side];

    for (unsigned i = 0; i < path->levels; i++) {
        sim_cache_remove(path->cache[i], place->set[i], sim_line_at(path, i, place->physical_address));
        sim_line_set_remove(path->dirty[i], sim_line_at(path, i, place->physical_address));
    }
}

void sim_hierarchy_lose(struct sim_hierarchy *hierarchy, unsigned cache, uint64_t ways)
{
    bool code = hierarchy->description->level[cache].kind == SIM_INSTRUCTION;
    const struct sim_path *path = &hierarchy->path[code ? SIM_CODE_SIDE : SIM_DATA_SIDE];
    unsigned level = 0;
    uint64_t line;

    while (path->cache[level] != &hierarchy->cache[cache])
        level++;
    for (; ways > 0; ways--)
        if (sim_cache_lose_one(&hierarchy->cache[cache], &hierarchy->random, &line))
            evict(hierarchy, path, level, line);
}

void sim_hierarchy_disturb(struct sim_hierarchy *hierarchy, unsigned lines)
{
    for (unsigned i = 0; i < hierarchy->description->levels; i++)
        sim_cache_lose(&hierarchy->cache[i], lines, &hierarchy->random);
}
