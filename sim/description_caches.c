#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "description_parts.h"

#define MAX_CACHE_BYTES (INT64_C(1) << 32)

const char *const sim_kinds[] = {"data", "instruction", "unified", NULL};

static int parse_policy_name(const struct hwc_object *object, json_t *json, struct hwc_policy *policy,
                             struct hwc_error *error)
{
    if (!json_is_string(json))
        return hwc_object_fault(object, "replacement", error, "must be a policy's name or {\"duel\": [NAME, NAME]}");
    if (!hwc_policy_parse(json_string_value(json), policy))
        return hwc_object_fault(object, "replacement", error,
                                "\"%.40s\" is none of lru, tree-plru, bit-plru, nru, fifo, random, srrip, trees in "
                                "groups such as LRU3PLRU4, or a QLRU name such as QLRU_H11_M1_R1_U2",
                                json_string_value(json));
    return HWC_OK;
}

static int parse_duel(const struct hwc_object *object, json_t *json, struct sim_cache_shape *shape,
                      struct hwc_error *error)
{
    struct hwc_object duel;
    json_t *pair;
    uint64_t leaders;
    char where[160];

    snprintf(where, sizeof where, "%s.replacement", object->where);
    TRY(hwc_object_open(&duel, json, where, error));
    pair = hwc_object_take(&duel, "duel");
    if (!json_is_array(pair) || json_array_size(pair) != 2)
        return hwc_object_fault(&duel, "duel", error, "must be a list of two policies");
    TRY(parse_policy_name(object, json_array_get(pair, 0), &shape->policy, error));
    TRY(parse_policy_name(object, json_array_get(pair, 1), &shape->rival, error));
    TRY(hwc_take_integer(&duel, "leaders", 1, 1 << 20, -1, &leaders, error));
    shape->duel_leaders = (unsigned)leaders;
    return hwc_object_close(&duel, error);
}

int sim_parse_replacement(struct hwc_object *object, struct sim_cache_shape *shape, struct hwc_error *error)
{
    json_t *json = hwc_object_take(object, "replacement");

    if (json == NULL)
        return hwc_policy_parse("lru", &shape->policy) ? HWC_OK : HWC_SYSTEM;
    if (json_is_object(json))
        return parse_duel(object, json, shape, error);
    return parse_policy_name(object, json, &shape->policy, error);
}

int sim_check_groups(const struct hwc_object *object, const struct hwc_policy *policy, unsigned ways,
                        struct hwc_error *error)
{
    if (hwc_policy_suits(policy, ways))
        return HWC_OK;
    return hwc_object_fault(object, "replacement", error, "has %u groups of %u ways, which are not %u together",
                            policy->groups, policy->leaves, ways);
}

static int parse_bypass(struct hwc_object *object, bool *by_float, struct hwc_error *error)
{
    json_t *list = hwc_object_take(object, "bypass");
    size_t i;
    json_t *item;

    *by_float = false;
    if (list == NULL)
        return HWC_OK;
    if (!json_is_array(list))
        return hwc_object_fault(object, "bypass", error, "must be a list");
    json_array_foreach(list, i, item)
    {
        if (!json_is_string(item) || strcmp(json_string_value(item), "float") != 0)
            return hwc_object_fault(object, "bypass", error, "may only name \"float\"");
        *by_float = true;
    }
    return HWC_OK;
}

static int check_shape(const struct hwc_object *object, const struct sim_cache_shape *shape, struct hwc_error *error)
{
    uint64_t lines = shape->size_bytes / shape->line_bytes;

    if (!sim_is_power_of_two(shape->line_bytes))
        return hwc_object_fault(object, "line_size", error, "is %llu, must be a power of two",
                                (unsigned long long)shape->line_bytes);
    if (shape->size_bytes % shape->line_bytes != 0 || lines == 0 || lines % shape->ways != 0)
        return hwc_object_fault(object, "size", error,
                                "%llu bytes are not a whole number of sets of %u lines of %llu bytes",
                                (unsigned long long)shape->size_bytes, shape->ways,
                                (unsigned long long)shape->line_bytes);
    if (lines / shape->ways % shape->slices != 0)
        return hwc_object_fault(object, "slices", error, "%llu sets cannot be dealt to %u slices",
                                (unsigned long long)(lines / shape->ways), shape->slices);
    if (shape->hashed_bits > 0 && (shape->slices > 1 || !sim_is_power_of_two(lines / shape->ways) ||
                                   lines / shape->ways >> shape->hashed_bits == 0))
        return hwc_object_fault(object, "hashed_bits", error, "needs %u bits of the number of a set, and no slices",
                                shape->hashed_bits);
    TRY(sim_check_groups(object, &shape->policy, shape->ways, error));
    TRY(sim_check_groups(object, &shape->rival, shape->ways, error));
    if (shape->duel_leaders > 0 && (uint64_t)shape->duel_leaders * 2 > lines / shape->ways)
        return hwc_object_fault(object, "replacement", error, "more leader sets than sets");
    return HWC_OK;
}

/* What a conflict costs is a cycle, if it is not given. */
static int parse_banks(struct hwc_object *level, struct sim_banks *banks, struct hwc_error *error)
{
    json_t *json = hwc_object_take(level, "banks");
    struct hwc_object object;
    uint64_t number;
    char where[48];

    if (json == NULL)
        return HWC_OK;
    snprintf(where, sizeof where, "%.32s.banks", level->where);
    TRY(hwc_object_open(&object, json, where, error));
    TRY(hwc_take_integer(&object, "number", 2, 1024, -1, &number, error));
    TRY(hwc_take_integer(&object, "width", 1, 4096, -1, &banks->width_bytes, error));
    TRY(hwc_take_number(&object, "cost", 0.1, 1e3, 1, &banks->cost_cycles, error));
    TRY(hwc_take_boolean(&object, "by_way", false, &banks->by_way, error));
    banks->number = (unsigned)number;
    return hwc_object_close(&object, error);
}

static int parse_level(json_t *json, unsigned index, struct sim_level *level, struct hwc_error *error)
{
    static const char *const inclusions[] = {"nine", "inclusive", "exclusive", NULL};
    struct hwc_object object;
    uint64_t number, line, ways, sectors, slices, hashed, sharers;
    int kind, inclusion;
    char where[32];

    *level = (struct sim_level){0};
    snprintf(where, sizeof where, "caches[%u]", index);
    TRY(hwc_object_open(&object, json, where, error));
    TRY(hwc_take_integer(&object, "level", 1, HWC_MAX_CACHE_LEVEL, -1, &number, error));
    TRY(hwc_take_choice(&object, "kind", sim_kinds, -1, &kind, error));
    TRY(hwc_take_integer(&object, "size", 1, MAX_CACHE_BYTES, -1, &level->shape.size_bytes, error));
    TRY(hwc_take_integer(&object, "line_size", 8, 4096, -1, &line, error));
    TRY(hwc_take_integer(&object, "associativity", 1, 4096, -1, &ways, error));
    TRY(hwc_take_integer(&object, "slices", 1, 1024, 1, &slices, error));
    TRY(hwc_take_integer(&object, "hashed_bits", 0, 20, 0, &hashed, error));
    TRY(hwc_take_integer(&object, "sector_lines", 1, 16, 1, &sectors, error));
    TRY(hwc_take_number(&object, "latency", 0.25, 1e5, -1, &level->latency_cycles, error));
    TRY(hwc_take_number(&object, "bandwidth", 1e-3, 1e4, 0, &level->bytes_per_cycle, error));
    TRY(sim_parse_replacement(&object, &level->shape, error));
    TRY(hwc_take_boolean(&object, "write_allocate", true, &level->write_allocate, error));
    TRY(hwc_take_boolean(&object, "write_back", true, &level->write_back, error));
    TRY(hwc_take_choice(&object, "inclusion", inclusions, 0, &inclusion, error));
    TRY(hwc_take_integer(&object, "shared_by", 1, SIM_MOST_CPUS, 1, &sharers, error));
    TRY(parse_bypass(&object, &level->bypassed_by_float, error));
    TRY(parse_banks(&object, &level->banks, error));
    TRY(hwc_object_close(&object, error));
    level->level = (unsigned)number;
    level->kind = (enum sim_kind)kind;
    level->inclusion = (enum sim_inclusion)inclusion;
    level->shape.line_bytes = line;
    level->shape.ways = (unsigned)ways;
    level->shape.slices = (unsigned)slices;
    level->shape.hashed_bits = (unsigned)hashed;
    level->sector_lines = (unsigned)sectors;
    level->shared_by = (unsigned)sharers;
    if (!sim_is_power_of_two(sectors))
        return hwc_object_fault(&object, "sector_lines", error, "must be a power of two");
    if (level->kind == SIM_INSTRUCTION && level->bytes_per_cycle > 0)
        return hwc_object_fault(&object, "bandwidth", error, "is of streams of data, and no data is here");
    if (level->kind == SIM_INSTRUCTION && level->banks.number > 0)
        return hwc_object_fault(&object, "banks", error, "are of loads, and no data is here");
    if (level->level == 1 && level->inclusion != SIM_NINE)
        return hwc_object_fault(&object, "inclusion", error, "a first level has none above it to include");
    return check_shape(&object, &level->shape, error);
}

static int by_level(const void *left, const void *right)
{
    const struct sim_level *a = left;
    const struct sim_level *b = right;
    return a->level != b->level ? (a->level < b->level ? -1 : 1) : (int)a->kind - (int)b->kind;
}

/* Data must have exactly one cache per level, from level 1 on without a gap. Each
 * level must be slower than the one above, and its lines must not be shorter. */
static int check_data_path(const struct sim_description *description, struct hwc_error *error)
{
    const struct sim_level *above = NULL;

    for (unsigned i = 0; i < description->levels; i++) {
        const struct sim_level *level = &description->level[i];
        unsigned expected = above != NULL ? above->level + 1 : 1;
        if (level->kind == SIM_INSTRUCTION)
            continue;
        if (level->level < expected)
            return hwc_fail(error, HWC_BAD_INPUT, "caches: two caches hold data at level %u", level->level);
        if (level->level > expected)
            return hwc_fail(error, HWC_BAD_INPUT, "caches: level %u holds data, but no cache of level %u does",
                            level->level, expected);
        if (above != NULL && level->shape.line_bytes < above->shape.line_bytes)
            return hwc_fail(error, HWC_BAD_INPUT, "caches: level %u has shorter lines than level %u", level->level,
                            above->level);
        if (above != NULL && level->inclusion == SIM_EXCLUSIVE && level->shape.line_bytes != above->shape.line_bytes)
            return hwc_fail(error, HWC_BAD_INPUT, "caches: level %u is exclusive, so its lines must be level %u's",
                            level->level, above->level);
        if (above != NULL && level->latency_cycles <= above->latency_cycles)
            return hwc_fail(error, HWC_BAD_INPUT, "caches: level %u is not slower than level %u", level->level,
                            above->level);
        above = level;
    }
    if (above == NULL)
        return hwc_fail(error, HWC_BAD_INPUT, "caches: none holds data");
    if (description->memory_latency_cycles <= above->latency_cycles)
        return hwc_fail(error, HWC_BAD_INPUT, "memory_latency: memory is not slower than level %u", above->level);
    return HWC_OK;
}

/* Who shares a level shares those below, and caches are alike. */
static int check_sharing(const struct sim_description *description, struct hwc_error *error)
{
    unsigned above = 1;

    for (unsigned i = 0; i < description->levels; i++) {
        const struct sim_level *level = &description->level[i];
        if (description->cpus % level->shared_by != 0)
            return hwc_fail(error, HWC_BAD_INPUT, "caches: level %u is shared by %u CPUs, which does not divide cpus, %u",
                            level->level, level->shared_by, description->cpus);
        if (level->kind != SIM_INSTRUCTION && level->shared_by % above != 0)
            return hwc_fail(error, HWC_BAD_INPUT, "caches: level %u is shared by %u CPUs, and level %u by %u",
                            level->level, level->shared_by, level->level - 1, above);
        if (level->kind != SIM_INSTRUCTION)
            above = level->shared_by;
    }
    return HWC_OK;
}

/* Code goes through one cache a level at most. */
static int check_code_path(const struct sim_description *description, struct hwc_error *error)
{
    const struct sim_level *above = NULL;

    for (unsigned i = 0; i < description->levels; i++) {
        const struct sim_level *level = &description->level[i];
        if (level->kind == SIM_DATA)
            continue;
        if (above != NULL && level->level == above->level)
            return hwc_fail(error, HWC_BAD_INPUT, "caches: two caches hold code at level %u", level->level);
        above = level;
    }
    return HWC_OK;
}

int sim_parse_levels(struct hwc_object *root, struct sim_description *description, struct hwc_error *error)
{
    json_t *list = hwc_object_take(root, "caches");
    size_t i;
    json_t *item;

    if (!json_is_array(list) || json_array_size(list) == 0)
        return hwc_object_fault(root, "caches", error, "must be a list of at least one cache");
    if (json_array_size(list) > SIM_MAX_LEVELS)
        return hwc_object_fault(root, "caches", error, "more than %d", SIM_MAX_LEVELS);
    json_array_foreach(list, i, item)
        TRY(parse_level(item, (unsigned)i, &description->level[i], error));
    description->levels = (unsigned)json_array_size(list);
    qsort(description->level, description->levels, sizeof description->level[0], by_level);
    TRY(check_data_path(description, error));
    TRY(check_sharing(description, error));
    return check_code_path(description, error);
}
