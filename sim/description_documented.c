/* What a machine file says that the machine's own documentation claims. */
#include <stdio.h>

#include "description_parts.h"

#define MOST_BYTES (INT64_C(1) << 40)

static int parse_cache(json_t *json, unsigned index, struct sim_documented_cache *cache, struct hwc_error *error)
{
    struct hwc_object object;
    uint64_t level;
    char where[48];
    int kind;

    snprintf(where, sizeof where, "documented.caches[%u]", index);
    TRY(hwc_object_open(&object, json, where, error));
    TRY(hwc_take_integer(&object, "level", 1, HWC_MAX_CACHE_LEVEL, -1, &level, error));
    TRY(hwc_take_choice(&object, "kind", sim_kinds, -1, &kind, error));
    TRY(hwc_take_integer(&object, "size", 0, MOST_BYTES, 0, &cache->size_bytes, error));
    TRY(hwc_take_integer(&object, "line_size", 0, 4096, 0, &cache->line_bytes, error));
    TRY(hwc_take_integer(&object, "associativity", 0, 1 << 20, 0, &cache->ways, error));
    cache->level = (unsigned)level;
    cache->kind = (enum sim_kind)kind;
    return hwc_object_close(&object, error);
}

int sim_parse_documented(struct hwc_object *root, struct sim_documented *documented, struct hwc_error *error)
{
    json_t *json = hwc_object_take(root, "documented"), *list;
    struct hwc_object object;

    if (json == NULL)
        return HWC_OK;
    TRY(hwc_object_open(&object, json, "documented", error));
    list = hwc_object_take(&object, "caches");
    if (!json_is_array(list) || json_array_size(list) > SIM_MAX_LEVELS)
        return hwc_object_fault(&object, "caches", error, "must be a list of at most %d", SIM_MAX_LEVELS);
    for (unsigned i = 0; i < json_array_size(list); i++)
        TRY(parse_cache(json_array_get(list, i), i, &documented->cache[i], error));
    documented->caches = (unsigned)json_array_size(list);
    return hwc_object_close(&object, error);
}
