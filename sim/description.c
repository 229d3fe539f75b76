#include "description_parts.h"

#include <stdio.h>
#include <string.h>

/* Fields that TLBs, branch target buffers and the cache of decoded instructions share. */
static int parse_table(struct hwc_object *object, struct sim_table *table, struct hwc_error *error)
{
    struct sim_cache_shape shape = {0};

    TRY(hwc_take_integer(object, "entries", 1, 1 << 20, -1, &table->entries, error));
    TRY(hwc_take_integer(object, "associativity", 1, 1 << 20, -1, &table->ways, error));
    TRY(hwc_take_number(object, "miss_penalty", 0, 1e5, -1, &table->miss_penalty_cycles, error));
    TRY(sim_parse_replacement(object, &shape, error));
    if (shape.duel_leaders > 0)
        return hwc_object_fault(object, "replacement", error, "policies duel in caches only");
    table->policy = shape.policy;
    if (table->entries % table->ways != 0)
        return hwc_object_fault(object, "entries", error, "%llu entries are not a whole number of sets of %llu",
                                (unsigned long long)table->entries, (unsigned long long)table->ways);
    return sim_check_groups(object, &table->policy, (unsigned)table->ways, error);
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
    TRY(hwc_take_choice(&object, "kind", sim_kinds, -1, &kind, error));
    TRY(parse_table(&object, &tlb->table, error));
    TRY(hwc_take_integer(&object, "page_size", 256, INT64_C(1) << 34, 0, &tlb->page_bytes, error));
    TRY(hwc_take_integer(&object, "index_page_size", 0, INT64_C(1) << 34, 0, &tlb->index_page_bytes, error));
    TRY(hwc_take_integer(&object, "sub_pages", 1, 64, 1, &sub_pages, error));
    TRY(hwc_object_close(&object, error));
    tlb->level = (unsigned)level;
    tlb->kind = (enum sim_kind)kind;
    tlb->sub_pages = (unsigned)sub_pages;
    if (!sim_is_power_of_two(sub_pages))
        return hwc_object_fault(&object, "sub_pages", error, "must be a power of two");
    if (tlb->page_bytes != 0 && !sim_is_power_of_two(tlb->page_bytes))
        return hwc_object_fault(&object, "page_size", error, "must be a power of two");
    if (tlb->index_page_bytes != 0 && (!sim_is_power_of_two(tlb->index_page_bytes) || tlb->page_bytes == 0 ||
                                       tlb->index_page_bytes < tlb->page_bytes))
        return hwc_object_fault(&object, "index_page_size", error, "must be a power of two, and no less than page_size");
    return HWC_OK;
}

/* Walks go up the tables: an entry of the next cache translates no less. */
static int check_coverage(const struct hwc_object *object, const struct sim_description *description, unsigned index,
                          struct hwc_error *error)
{
    uint64_t covers = description->page_walk[index].covers_bytes;

    if (!sim_is_power_of_two(covers))
        return hwc_object_fault(object, "covers", error, "must be a power of two");
    if (covers < description->page_bytes)
        return hwc_object_fault(object, "covers", error, "must be no less than the machine's page_size");
    if (index > 0 && covers < description->page_walk[index - 1].covers_bytes)
        return hwc_object_fault(object, "covers", error, "must be no less than that of the one before");
    return HWC_OK;
}

/* After "page_size" and "tlbs". */
static int parse_page_walk(json_t *json, unsigned index, struct sim_description *description, struct hwc_error *error)
{
    struct sim_page_walk_cache *asked = &description->page_walk[index];
    struct hwc_object object;
    char where[32];

    *asked = (struct sim_page_walk_cache){.table.policy.kind = HWC_LRU};
    snprintf(where, sizeof where, "page_walk[%u]", index);
    TRY(hwc_object_open(&object, json, where, error));
    TRY(hwc_take_integer(&object, "covers", 256, INT64_C(1) << 48, -1, &asked->covers_bytes, error));
    TRY(hwc_take_integer(&object, "entries", 1, 1 << 14, -1, &asked->table.entries, error));
    TRY(hwc_take_number(&object, "cycles", 0, 1e5, -1, &asked->table.miss_penalty_cycles, error));
    TRY(hwc_object_close(&object, error));
    asked->table.ways = asked->table.entries;
    if (description->tlbs == 0)
        return hwc_fail(error, HWC_BAD_INPUT, "page_walk: without tlbs there are no walks");
    return check_coverage(&object, description, index, error);
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
    return sim_is_power_of_two(decoded->line_bytes) ? HWC_OK
                                                : hwc_object_fault(&object, "line_size", error, "must be a power of two");
}

/* Parse an optional list; *count stays as it is if the list is missing. */
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
    const char *counted;
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
    TRY(hwc_take_number(&object, "factor", 0, 1e6, 1, &event->factor, error));
    TRY(hwc_take_boolean(&object, "counts_prefetch", false, &event->counts_prefetch, error));
    TRY(hwc_take_string(&object, "counts", false, &counted, error));
    event->counts_other = counted != NULL;
    if (counted != NULL)
        event->other = hwc_event_by_name(counted);
    if (event->counts_other && event->other == HWC_NO_EVENT)
        return hwc_object_fault(&object, "counts", error, "\"%.40s\" is no event", counted);
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
    TRY(hwc_take_integer(root, "host_page_size", 0, 1 << 30, 0, &description->host_page_bytes, error));
    if (description->host_page_bytes != 0 && !sim_is_power_of_two(description->host_page_bytes))
        return hwc_object_fault(root, "host_page_size", error, "must be a power of two");
    description->contiguous = mapping == 0;
    if (!sim_is_power_of_two(description->page_bytes))
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
        if (!json_is_integer(item) || bytes <= 0 || bytes > (INT64_C(1) << 34) || !sim_is_power_of_two((uint64_t)bytes) ||
            (uint64_t)bytes <= below)
            return hwc_object_fault(root, "superpages", error,
                                    "must be powers of two above page_size, smallest first");
        description->superpage[i] = (uint64_t)bytes;
    }
    description->superpages = (unsigned)json_array_size(list);
    return HWC_OK;
}

static int add_prefetcher(const struct hwc_object *root, const json_t *item, struct sim_description *description,
                          struct hwc_error *error)
{
    static const char *const names[SIM_PREFETCHES] = {[SIM_NO_PREFETCH] = "none", [SIM_NEXT_LINE] = "next-line",
                                                      [SIM_LINE_PAIR] = "line-pair", [SIM_STRIDE] = "stride",
                                                      [SIM_STREAM] = "stream", [SIM_REGION] = "region"};
    const char *name = json_string_value(item);

    for (int kind = 0; name != NULL && kind < SIM_PREFETCHES; kind++)
        if (strcmp(name, names[kind]) == 0) {
            description->prefetch[kind] = true;
            description->prefetches = description->prefetches || kind != SIM_NO_PREFETCH;
            return HWC_OK;
        }
    return hwc_object_fault(root, "prefetch", error,
                            "must be none, next-line, line-pair, stride, stream or region, or a list of those");
}

/* One kind, or a list of kinds. */
static int parse_prefetch(struct hwc_object *root, struct sim_description *description, struct hwc_error *error)
{
    json_t *kinds = hwc_object_take(root, "prefetch"), *item;
    size_t i;

    if (kinds == NULL)
        return HWC_OK;
    if (!json_is_array(kinds))
        return add_prefetcher(root, kinds, description, error);
    json_array_foreach(kinds, i, item)
        TRY(add_prefetcher(root, item, description, error));
    return HWC_OK;
}

/* The path of what a machine file names: relative to the file. */
static int find_beside(const char *file, const char *name, char *path, size_t size, struct hwc_error *error)
{
    const char *slash = strrchr(file, '/');
    int folder = slash != NULL && name[0] != '/' ? (int)(slash + 1 - file) : 0;

    if (snprintf(path, size, "%.*s%s", folder, file, name) >= (int)size)
        return hwc_fail(error, HWC_BAD_INPUT, "the path is too long");
    return HWC_OK;
}

static int parse_recording(struct hwc_object *object, const char *file, struct sim_noise *noise,
                           struct hwc_error *error)
{
    static const char *const played[] = {"context_switches_per_ms", "interrupts_per_ms", "lines_lost_per_switch",
                                         "latency_jitter"};
    const char *name;

    TRY(hwc_take_string(object, "recording", false, &name, error));
    if (name == NULL)
        return HWC_OK;
    for (size_t i = 0; i < sizeof played / sizeof played[0]; i++)
        if (json_object_get(object->json, played[i]) != NULL)
            return hwc_object_fault(object, played[i], error, "is what the recording is played for");
    return find_beside(file, name, noise->recording, sizeof noise->recording, error);
}

static int parse_noise(struct hwc_object *root, const char *file, struct sim_noise *noise, struct hwc_error *error)
{
    json_t *json = hwc_object_take(root, "noise");
    struct hwc_object object;
    uint64_t lost, own;

    *noise = (struct sim_noise){0};
    if (json == NULL)
        return HWC_OK;
    TRY(hwc_object_open(&object, json, "noise", error));
    TRY(hwc_take_number(&object, "context_switches_per_ms", 0, 1e3, 0, &noise->context_switches_per_ms, error));
    TRY(hwc_take_number(&object, "interrupts_per_ms", 0, 1e3, 0, &noise->interrupts_per_ms, error));
    TRY(hwc_take_integer(&object, "lines_lost_per_switch", 0, 1 << 20, 0, &lost, error));
    TRY(hwc_take_number(&object, "counter_overhead", 0, 1e6, 0, &noise->counter_overhead, error));
    TRY(hwc_take_number(&object, "latency_jitter", 0, 10, 0, &noise->latency_jitter, error));
    TRY(hwc_take_integer(&object, "own_lines", 0, SIM_MOST_OWN_LINES, 0, &own, error));
    TRY(parse_recording(&object, file, noise, error));
    noise->lines_lost_per_switch = (unsigned)lost;
    noise->own_lines = (unsigned)own;
    return hwc_object_close(&object, error);
}

/* "chosen": figures that no source gives, by path and reason. For readers of the file: nothing simulates them. */
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

static int parse_root(json_t *json, const char *file, struct sim_description *description, struct hwc_error *error)
{
    struct hwc_object root;
    const char *schema, *name, *source;
    uint64_t cpus, turns;

    TRY(hwc_object_open(&root, json, "", error));
    TRY(hwc_take_string(&root, "schema", true, &schema, error));
    if (strcmp(schema, "hwchar-machine/1") != 0)
        return hwc_object_fault(&root, "schema", error, "is \"%.40s\", must be \"hwchar-machine/1\"", schema);
    TRY(hwc_take_string(&root, "name", true, &name, error));
    TRY(hwc_take_string(&root, "source", false, &source, error));
    TRY(check_chosen(&root, error));
    TRY(hwc_take_number(&root, "frequency_mhz", 0.001, 1e6, 1000, &description->frequency_mhz, error));
    TRY(hwc_take_number(&root, "clock_mhz", 0.001, 1e6, 0, &description->clock_mhz, error));
    TRY(hwc_take_integer(&root, "cpus", 1, SIM_MOST_CPUS, 1, &cpus, error));
    description->cpus = (unsigned)cpus;
    TRY(hwc_take_integer(&root, "cpus_move", 0, UINT32_MAX, 0, &turns, error));
    description->cpus_move = (unsigned)turns;
    TRY(hwc_take_number(&root, "memory_latency", 0.25, 1e6, -1, &description->memory_latency_cycles, error));
    TRY(hwc_take_number(&root, "memory_bandwidth", 1e-3, 1e4, 0, &description->memory_bytes_per_cycle, error));
    TRY(hwc_take_number(&root, "loads_per_cycle", 0.1, 16, 2, &description->loads_per_cycle, error));
    TRY(hwc_take_boolean(&root, "page_resizing", false, &description->page_resizing, error));
    TRY(hwc_take_boolean(&root, "times_each", false, &description->times_each, error));
    TRY(hwc_take_number(&root, "clock_step", 0, 1e4, 0, &description->clock_step, error));
    TRY(parse_prefetch(&root, description, error));
    TRY(parse_pages(&root, description, error));
    TRY(parse_events(&root, description, error));
    TRY(parse_noise(&root, file, &description->noise, error));
    if (description->noise.recording[0] != '\0' && json_object_get(json, "clock_step") == NULL)
        description->clock_step = -1;
    TRY(parse_tables(&root, "tlbs", SIM_MAX_TLBS, parse_tlb, description, &description->tlbs, error));
    TRY(parse_tables(&root, "page_walk", SIM_MAX_PAGE_WALK, parse_page_walk, description,
                     &description->page_walk_caches, error));
    TRY(parse_tables(&root, "btb", SIM_MAX_BTBS, parse_btb, description, &description->btbs, error));
    TRY(parse_decoded(&root, description, error));
    TRY(sim_parse_levels(&root, description, error));
    TRY(sim_parse_documented(&root, &description->documented, error));
    snprintf(description->name, sizeof description->name, "%s", name);
    snprintf(description->source, sizeof description->source, "%s", source != NULL ? source : "");
    return hwc_object_close(&root, error);
}

/* The base's keys where the file has none of its own. Takes *json's place. */
static int put_on_base(const char *file, json_t **json, struct hwc_error *error)
{
    const char *name = json_string_value(json_object_get(*json, "base"));
    char path[SIM_MOST_PATH];
    json_t *base = NULL;
    int status;

    if (json_object_get(*json, "base") == NULL)
        return HWC_OK;
    if (name == NULL)
        return hwc_fail(error, HWC_BAD_INPUT, "base: must be a string");
    TRY(find_beside(file, name, path, sizeof path, error));
    status = hwc_json_load(path, &base, error);
    if (status == HWC_OK && (json_object_get(base, "base") != NULL ||
                             json_object_get(json_object_get(base, "noise"), "recording") != NULL))
        status = hwc_fail(error, HWC_BAD_INPUT, "names other files itself");
    if (status == HWC_OK && !json_is_object(base))
        status = hwc_fail(error, HWC_BAD_INPUT, "must be an object");
    if (status != HWC_OK) {
        json_decref(base);
        return hwc_context(error, "base: %s", path);
    }
    json_object_del(*json, "base");
    json_object_update(base, *json);
    json_decref(*json);
    *json = base;
    return HWC_OK;
}

int sim_description_read(const char *path, struct sim_description *description, struct hwc_error *error)
{
    json_t *json = NULL;
    int status = hwc_json_load(path, &json, error);

    *description = (struct sim_description){0};
    if (status == HWC_OK)
        status = put_on_base(path, &json, error);
    if (status == HWC_OK)
        status = parse_root(json, path, description, error);
    json_decref(json);
    if (status != HWC_OK)
        hwc_context(error, "%s", path);
    return status;
}
