#include "description.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "strict_json.h"

#define MAX_CACHE_BYTES (INT64_C(1) << 32)
#define MAX_FILE_BYTES (16 << 20)

static bool is_power_of_two(uint64_t value)
{
    return value != 0 && (value & (value - 1)) == 0;
}

static const char *const kinds[] = {"data", "instruction", "unified", NULL};

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

static int parse_replacement(struct hwc_object *object, struct sim_cache_shape *shape, struct hwc_error *error)
{
    json_t *json = hwc_object_take(object, "replacement");

    if (json == NULL)
        return hwc_policy_parse("lru", &shape->policy) ? HWC_OK : HWC_SYSTEM;
    if (json_is_object(json))
        return parse_duel(object, json, shape, error);
    return parse_policy_name(object, json, &shape->policy, error);
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

static int check_groups(const struct hwc_object *object, const struct hwc_policy *policy, unsigned ways,
                        struct hwc_error *error)
{
    if (hwc_policy_suits(policy, ways))
        return HWC_OK;
    return hwc_object_fault(object, "replacement", error, "has %u groups of %u ways, which are not %u together",
                            policy->groups, policy->leaves, ways);
}

static int check_shape(const struct hwc_object *object, const struct sim_cache_shape *shape, struct hwc_error *error)
{
    uint64_t lines = shape->size_bytes / shape->line_bytes;

    if (!is_power_of_two(shape->line_bytes))
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
    if (shape->hashed_bits > 0 && (shape->slices > 1 || !is_power_of_two(lines / shape->ways) ||
                                   lines / shape->ways >> shape->hashed_bits == 0))
        return hwc_object_fault(object, "hashed_bits", error, "needs %u bits of the number of a set, and no slices",
                                shape->hashed_bits);
    TRY(check_groups(object, &shape->policy, shape->ways, error));
    TRY(check_groups(object, &shape->rival, shape->ways, error));
    if (shape->duel_leaders > 0 && (uint64_t)shape->duel_leaders * 2 > lines / shape->ways)
        return hwc_object_fault(object, "replacement", error, "more leader sets than sets");
    return HWC_OK;
}

static int parse_level(json_t *json, unsigned index, struct sim_level *level, struct hwc_error *error)
{
    static const char *const inclusions[] = {"nine", "inclusive", "exclusive", NULL};
    struct hwc_object object;
    uint64_t number, line, ways, sectors, slices, hashed;
    int kind, inclusion;
    char where[32];

    *level = (struct sim_level){0};
    snprintf(where, sizeof where, "caches[%u]", index);
    TRY(hwc_object_open(&object, json, where, error));
    TRY(hwc_take_integer(&object, "level", 1, HWC_MAX_CACHE_LEVEL, -1, &number, error));
    TRY(hwc_take_choice(&object, "kind", kinds, -1, &kind, error));
    TRY(hwc_take_integer(&object, "size", 1, MAX_CACHE_BYTES, -1, &level->shape.size_bytes, error));
    TRY(hwc_take_integer(&object, "line_size", 8, 4096, -1, &line, error));
    TRY(hwc_take_integer(&object, "associativity", 1, 4096, -1, &ways, error));
    TRY(hwc_take_integer(&object, "slices", 1, 1024, 1, &slices, error));
    TRY(hwc_take_integer(&object, "hashed_bits", 0, 20, 0, &hashed, error));
    TRY(hwc_take_integer(&object, "sector_lines", 1, 16, 1, &sectors, error));
    TRY(hwc_take_number(&object, "latency", 0.25, 1e5, -1, &level->latency_cycles, error));
    TRY(parse_replacement(&object, &level->shape, error));
    TRY(hwc_take_boolean(&object, "write_allocate", true, &level->write_allocate, error));
    TRY(hwc_take_boolean(&object, "write_back", true, &level->write_back, error));
    TRY(hwc_take_choice(&object, "inclusion", inclusions, 0, &inclusion, error));
    TRY(parse_bypass(&object, &level->bypassed_by_float, error));
    TRY(hwc_object_close(&object, error));
    level->level = (unsigned)number;
    level->kind = (enum sim_kind)kind;
    level->inclusion = (enum sim_inclusion)inclusion;
    level->shape.line_bytes = line;
    level->shape.ways = (unsigned)ways;
    level->shape.slices = (unsigned)slices;
    level->shape.hashed_bits = (unsigned)hashed;
    level->sector_lines = (unsigned)sectors;
    if (!is_power_of_two(sectors))
        return hwc_object_fault(&object, "sector_lines", error, "must be a power of two");
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

/* What holds data must be one cache a level, from level 1 down without a gap,
 * slower and never finer-grained on the way. */
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

static int parse_levels(struct hwc_object *root, struct sim_description *description, struct hwc_error *error)
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
    return check_data_path(description, error);
}

/* What tables of entries have in common. */
static int parse_table(struct hwc_object *object, struct sim_table *table, struct hwc_error *error)
{
    struct sim_cache_shape shape = {0};

    TRY(hwc_take_integer(object, "entries", 1, 1 << 20, -1, &table->entries, error));
    TRY(hwc_take_integer(object, "associativity", 1, 1 << 20, -1, &table->ways, error));
    TRY(hwc_take_number(object, "miss_penalty", 0, 1e5, -1, &table->miss_penalty_cycles, error));
    TRY(parse_replacement(object, &shape, error));
    table->policy = shape.policy;
    if (table->entries % table->ways != 0)
        return hwc_object_fault(object, "entries", error, "%llu entries are not a whole number of sets of %llu",
                                (unsigned long long)table->entries, (unsigned long long)table->ways);
    return check_groups(object, &table->policy, (unsigned)table->ways, error);
}

static int parse_tlb(json_t *json, unsigned index, struct sim_description *description, struct hwc_error *error)
{
    struct sim_tlb *tlb = &description->tlb[index];
    struct hwc_object object;
    uint64_t level, sub_pages;
    int kind;
    char where[32];

    *tlb = (struct sim_tlb){0};
    snprintf(where, sizeof where, "tlbs[%u]", index);
    TRY(hwc_object_open(&object, json, where, error));
    TRY(hwc_take_integer(&object, "level", 1, 4, -1, &level, error));
    TRY(hwc_take_choice(&object, "kind", kinds, -1, &kind, error));
    TRY(parse_table(&object, &tlb->table, error));
    TRY(hwc_take_integer(&object, "page_size", 256, INT64_C(1) << 34, 0, &tlb->page_bytes, error));
    TRY(hwc_take_integer(&object, "sub_pages", 1, 64, 1, &sub_pages, error));
    TRY(hwc_object_close(&object, error));
    tlb->level = (unsigned)level;
    tlb->kind = (enum sim_kind)kind;
    tlb->sub_pages = (unsigned)sub_pages;
    if (!is_power_of_two(sub_pages))
        return hwc_object_fault(&object, "sub_pages", error, "must be a power of two");
    if (tlb->page_bytes != 0 && !is_power_of_two(tlb->page_bytes))
        return hwc_object_fault(&object, "page_size", error, "must be a power of two");
    return HWC_OK;
}

static int parse_btb(json_t *json, unsigned index, struct sim_description *description, struct hwc_error *error)
{
    struct hwc_object object;
    uint64_t level;
    char where[32];

    snprintf(where, sizeof where, "btb[%u]", index);
    TRY(hwc_object_open(&object, json, where, error));
    TRY(hwc_take_integer(&object, "level", 1, SIM_MAX_BTBS, -1, &level, error));
    TRY(parse_table(&object, &description->btb[index], error));
    TRY(hwc_object_close(&object, error));
    if (level != index + 1)
        return hwc_object_fault(&object, "level", error, "levels must come in order, from 1");
    return HWC_OK;
}

static int parse_decoded(struct hwc_object *root, struct sim_description *description, struct hwc_error *error)
{
    struct sim_decoded_shape *decoded = &description->decoded;
    json_t *json = hwc_object_take(root, "decoded");
    struct hwc_object object;
    uint64_t instructions;

    if (json == NULL)
        return HWC_OK;
    TRY(hwc_object_open(&object, json, "decoded", error));
    TRY(parse_table(&object, &decoded->table, error));
    TRY(hwc_take_integer(&object, "line_size", 16, 4096, -1, &decoded->line_bytes, error));
    TRY(hwc_take_integer(&object, "instructions", 1, 64, -1, &instructions, error));
    TRY(hwc_object_close(&object, error));
    decoded->instructions = (unsigned)instructions;
    return is_power_of_two(decoded->line_bytes) ? HWC_OK
                                                : hwc_object_fault(&object, "line_size", error, "must be a power of two");
}

/* A list that may be missing; how many there are. */
static int parse_tables(struct hwc_object *root, const char *name, unsigned most,
                        int (*parse)(json_t *, unsigned, struct sim_description *, struct hwc_error *),
                        struct sim_description *description, unsigned *count, struct hwc_error *error)
{
    json_t *list = hwc_object_take(root, name);
    size_t i;
    json_t *item;

    if (list == NULL)
        return HWC_OK;
    if (!json_is_array(list) || json_array_size(list) > most)
        return hwc_object_fault(root, name, error, "must be a list of at most %u", most);
    json_array_foreach(list, i, item)
        TRY(parse(item, (unsigned)i, description, error));
    *count = (unsigned)json_array_size(list);
    return HWC_OK;
}

static int parse_event(struct hwc_object *events, const char *name, json_t *json, struct sim_event *event,
                       struct hwc_error *error)
{
    struct hwc_object object;
    char where[96];

    if (json_is_string(json)) {
        const char *text = json_string_value(json);
        if (strcmp(text, "exact") != 0 && strcmp(text, "absent") != 0)
            return hwc_object_fault(events, name, error, "\"%.40s\" is neither exact nor absent", text);
        event->state = strcmp(text, "absent") == 0 ? SIM_ABSENT : SIM_EXACT;
        return HWC_OK;
    }
    snprintf(where, sizeof where, "events.%.60s", name);
    TRY(hwc_object_open(&object, json, where, error));
    TRY(hwc_take_number(&object, "factor", 1e-6, 1e6, 1, &event->factor, error));
    TRY(hwc_take_boolean(&object, "counts_prefetch", false, &event->counts_prefetch, error));
    return hwc_object_close(&object, error);
}

static int parse_events(struct hwc_object *root, struct sim_description *description, struct hwc_error *error)
{
    json_t *list = hwc_object_take(root, "events");
    struct hwc_object object;
    const char *name;
    json_t *value;

    for (int i = 0; i < HWC_EVENT_COUNT; i++)
        description->event[i] = (struct sim_event){.state = SIM_EXACT, .factor = 1.0};
    if (list == NULL)
        return HWC_OK;
    TRY(hwc_object_open(&object, list, "events", error));
    json_object_foreach(list, name, value)
    {
        enum hwc_event event = hwc_event_by_name(name);
        if (event == HWC_NO_EVENT)
            return hwc_fail(error, HWC_BAD_INPUT, "events: unknown event \"%.60s\"", name);
        TRY(parse_event(&object, name, value, &description->event[event], error));
    }
    return HWC_OK;
}

static int parse_pages(struct hwc_object *root, struct sim_description *description, struct hwc_error *error)
{
    static const char *const mappings[] = {"contiguous", "random", NULL};
    json_t *list;
    size_t i;
    json_t *item;
    int mapping;

    TRY(hwc_take_integer(root, "page_size", 256, 1 << 30, 4096, &description->page_bytes, error));
    TRY(hwc_take_choice(root, "physical_pages", mappings, 0, &mapping, error));
    description->contiguous = mapping == 0;
    if (!is_power_of_two(description->page_bytes))
        return hwc_object_fault(root, "page_size", error, "must be a power of two");
    list = hwc_object_take(root, "superpages");
    if (list == NULL)
        return HWC_OK;
    if (!json_is_array(list) || json_array_size(list) > SIM_MAX_SUPERPAGES)
        return hwc_object_fault(root, "superpages", error, "must be a list of at most %d sizes", SIM_MAX_SUPERPAGES);
    json_array_foreach(list, i, item)
    {
        json_int_t bytes = json_integer_value(item);
        uint64_t below = i > 0 ? description->superpage[i - 1] : description->page_bytes;
        if (!json_is_integer(item) || bytes <= 0 || bytes > (INT64_C(1) << 34) || !is_power_of_two((uint64_t)bytes) ||
            (uint64_t)bytes <= below)
            return hwc_object_fault(root, "superpages", error,
                                    "must be powers of two above page_size, smallest first");
        description->superpage[i] = (uint64_t)bytes;
    }
    description->superpages = (unsigned)json_array_size(list);
    return HWC_OK;
}

static int parse_noise(struct hwc_object *root, struct sim_noise *noise, struct hwc_error *error)
{
    json_t *json = hwc_object_take(root, "noise");
    struct hwc_object object;
    uint64_t lost;

    *noise = (struct sim_noise){0};
    if (json == NULL)
        return HWC_OK;
    TRY(hwc_object_open(&object, json, "noise", error));
    TRY(hwc_take_number(&object, "context_switches_per_ms", 0, 1e3, 0, &noise->context_switches_per_ms, error));
    TRY(hwc_take_number(&object, "interrupts_per_ms", 0, 1e3, 0, &noise->interrupts_per_ms, error));
    TRY(hwc_take_integer(&object, "lines_lost_per_switch", 0, 1 << 20, 0, &lost, error));
    TRY(hwc_take_number(&object, "counter_overhead", 0, 1e6, 0, &noise->counter_overhead, error));
    TRY(hwc_take_number(&object, "latency_jitter", 0, 10, 0, &noise->latency_jitter, error));
    noise->lines_lost_per_switch = (unsigned)lost;
    return hwc_object_close(&object, error);
}

/* Figures that no source gives, by path and reason: for readers of the file, nothing is simulated by them. */
static int check_chosen(struct hwc_object *root, struct hwc_error *error)
{
    json_t *list = hwc_object_take(root, "chosen");
    size_t i;
    json_t *item;

    if (list == NULL)
        return HWC_OK;
    if (!json_is_array(list))
        return hwc_object_fault(root, "chosen", error, "must be a list of texts");
    json_array_foreach(list, i, item)
        if (!json_is_string(item))
            return hwc_object_fault(root, "chosen", error, "must be a list of texts: number %zu is none", i + 1);
    return HWC_OK;
}

static int parse_root(json_t *json, struct sim_description *description, struct hwc_error *error)
{
    static const char *const prefetchers[] = {"none", "next-line", "stride", "stream", NULL};
    struct hwc_object root;
    const char *schema, *name, *source;
    int prefetch;

    TRY(hwc_object_open(&root, json, "", error));
    TRY(hwc_take_string(&root, "schema", true, &schema, error));
    if (strcmp(schema, "hwchar-machine/1") != 0)
        return hwc_object_fault(&root, "schema", error, "is \"%.40s\", must be \"hwchar-machine/1\"", schema);
    TRY(hwc_take_string(&root, "name", true, &name, error));
    TRY(hwc_take_string(&root, "source", false, &source, error));
    TRY(check_chosen(&root, error));
    TRY(hwc_take_number(&root, "frequency_mhz", 0.001, 1e6, 1000, &description->frequency_mhz, error));
    TRY(hwc_take_number(&root, "memory_latency", 0.25, 1e6, -1, &description->memory_latency_cycles, error));
    TRY(hwc_take_boolean(&root, "page_resizing", false, &description->page_resizing, error));
    TRY(hwc_take_boolean(&root, "times_each", false, &description->times_each, error));
    TRY(hwc_take_number(&root, "clock_step", 0, 1e4, 0, &description->clock_step, error));
    TRY(hwc_take_choice(&root, "prefetch", prefetchers, 0, &prefetch, error));
    TRY(parse_pages(&root, description, error));
    TRY(parse_events(&root, description, error));
    TRY(parse_noise(&root, &description->noise, error));
    TRY(parse_tables(&root, "tlbs", SIM_MAX_TLBS, parse_tlb, description, &description->tlbs, error));
    TRY(parse_tables(&root, "btb", SIM_MAX_BTBS, parse_btb, description, &description->btbs, error));
    TRY(parse_decoded(&root, description, error));
    TRY(parse_levels(&root, description, error));
    description->prefetch = (enum sim_prefetch)prefetch;
    snprintf(description->name, sizeof description->name, "%s", name);
    snprintf(description->source, sizeof description->source, "%s", source != NULL ? source : "");
    return hwc_object_close(&root, error);
}

static int read_text(const char *path, char **text, size_t *length, struct hwc_error *error)
{
    FILE *file = fopen(path, "rb");

    if (file == NULL)
        return hwc_fail(error, HWC_BAD_INPUT, "cannot be opened: %s", strerror(errno));
    *text = malloc(MAX_FILE_BYTES + 1);
    if (*text == NULL) {
        fclose(file);
        return hwc_fail(error, HWC_NO_MEMORY, "no memory to read it");
    }
    *length = fread(*text, 1, MAX_FILE_BYTES + 1, file);
    if (ferror(file) || *length > MAX_FILE_BYTES) {
        bool unreadable = ferror(file) != 0;
        fclose(file);
        free(*text);
        *text = NULL;
        return unreadable ? hwc_fail(error, HWC_BAD_INPUT, "cannot be read: %s", strerror(errno))
                          : hwc_fail(error, HWC_BAD_INPUT, "is larger than %d MiB", MAX_FILE_BYTES >> 20);
    }
    fclose(file);
    return HWC_OK;
}

int sim_description_read(const char *path, struct sim_description *description, struct hwc_error *error)
{
    char *text = NULL;
    size_t length = 0;
    json_error_t fault;
    json_t *json;
    int status = read_text(path, &text, &length, error);

    *description = (struct sim_description){0};
    if (status == HWC_OK) {
        json = json_loadb(text, length, JSON_REJECT_DUPLICATES, &fault);
        if (json == NULL)
            status = hwc_fail(error, HWC_BAD_INPUT, "line %d, column %d: %.200s", fault.line, fault.column, fault.text);
        else
            status = parse_root(json, description, error);
        json_decref(json);
    }
    free(text);
    if (status != HWC_OK)
        hwc_context(error, "%s", path);
    return status;
}
