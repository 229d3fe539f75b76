#include "profile_read.h"

#include <errno.h>
#include <float.h>
#include <stdio.h>
#include <string.h>

#include "curve_json.h"
#include "finding_read.h"
#include "matrix_json.h"
#include "validation_json.h"

/* Open the object at a key of another. */
static int open_below(struct hwc_object *below, struct hwc_object *object, const char *key, struct hwc_error *error)
{
    json_t *json = hwc_object_take(object, key);

    if (json == NULL)
        return hwc_object_fault(object, key, error, "is missing");
    return hwc_object_open(below, json, key, error);
}

static int take_list(struct hwc_object *object, const char *key, json_t **list, struct hwc_error *error)
{
    *list = hwc_object_take(object, key);
    if (!json_is_array(*list))
        return hwc_object_fault(object, key, error, *list == NULL ? "is missing" : "must be a list");
    return HWC_OK;
}

/* Read a string; null reads as "". */
static int take_text_or_null(struct hwc_object *object, const char *key, char *text, size_t size,
                             struct hwc_error *error)
{
    if (!json_is_null(json_object_get(object->json, key)))
        return hwc_take_text(object, key, true, text, size, error);
    hwc_object_take(object, key);
    text[0] = '\0';
    return HWC_OK;
}

static int take_constant(struct hwc_object *object, const char *key, const char *constant, struct hwc_error *error)
{
    const char *value;

    TRY(hwc_take_string(object, key, true, &value, error));
    if (strcmp(value, constant) != 0)
        return hwc_object_fault(object, key, error, "is \"%s\", must be \"%s\"", value, constant);
    return HWC_OK;
}

static int read_tool(struct hwc_object *top, struct hwc_profile *profile, struct hwc_error *error)
{
    struct hwc_object tool;

    TRY(open_below(&tool, top, "tool", error));
    TRY(take_constant(&tool, "name", "hwchar", error));
    TRY(hwc_take_text(&tool, "version", true, profile->version, sizeof profile->version, error));
    return hwc_object_close(&tool, error);
}

static int take_cpu(struct hwc_object *object, int *cpu, struct hwc_error *error)
{
    uint64_t number;

    *cpu = -1;
    if (json_is_null(json_object_get(object->json, "cpu"))) {
        hwc_object_take(object, "cpu");
        return HWC_OK;
    }
    TRY(hwc_take_integer(object, "cpu", 0, 65535, -1, &number, error));
    *cpu = (int)number;
    return HWC_OK;
}

static int read_host(struct hwc_object *top, struct hwc_host *host, struct hwc_error *error)
{
    struct hwc_object object;

    TRY(open_below(&object, top, "host", error));
    TRY(hwc_take_text(&object, "name", true, host->name, sizeof host->name, error));
    TRY(hwc_take_text(&object, "arch", true, host->arch, sizeof host->arch, error));
    TRY(take_text_or_null(&object, "cpu_model", host->cpu_model, sizeof host->cpu_model, error));
    TRY(take_text_or_null(&object, "hypervisor", host->hypervisor, sizeof host->hypervisor, error));
    TRY(hwc_take_text(&object, "kernel", true, host->kernel, sizeof host->kernel, error));
    TRY(take_cpu(&object, &host->cpu, error));
    TRY(hwc_take_text(&object, "core_kind", false, host->core_kind, sizeof host->core_kind, error));
    TRY(hwc_take_text(&object, "time", true, host->time, sizeof host->time, error));
    return hwc_object_close(&object, error);
}

static int take_counts(struct hwc_object *object, struct hwc_event_record *record, struct hwc_error *error)
{
    bool counted = json_object_get(object->json, "expected") != NULL;

    TRY(hwc_take_number(object, "expected", 0, DBL_MAX, 0, &record->expected, error));
    TRY(hwc_take_number(object, "overhead", 0, DBL_MAX, counted ? -1 : 0, &record->overhead, error));
    TRY(hwc_take_number(object, "counted", 0, DBL_MAX, counted ? -1 : 0, &record->counted, error));
    return hwc_take_number(object, "factor", 0, DBL_MAX, record->status == HWC_EVENT_BIASED ? -1 : 1, &record->factor,
                           error);
}

static int read_event(json_t *json, const char *where, struct hwc_event_record *record, struct hwc_error *error)
{
    static const char *const statuses[] = {"absent", "trusted", "biased", "rejected", NULL};
    struct hwc_object object;
    const char *name;
    int status;

    TRY(hwc_object_open(&object, json, where, error));
    TRY(hwc_take_string(&object, "event", true, &name, error));
    record->event = hwc_event_by_name(name);
    if (record->event == HWC_NO_EVENT)
        return hwc_object_fault(&object, "event", error, "is \"%s\", which is no event", name);
    TRY(take_text_or_null(&object, "counter", record->counter, sizeof record->counter, error));
    TRY(hwc_take_text(&object, "backend", false, record->backend, sizeof record->backend, error));
    TRY(hwc_take_choice(&object, "status", statuses, -1, &status, error));
    record->status = (enum hwc_event_status)status;
    TRY(hwc_take_text(&object, "quality", false, record->quality, sizeof record->quality, error));
    TRY(take_counts(&object, record, error));
    TRY(hwc_take_text(&object, "reason", false, record->reason, sizeof record->reason, error));
    return hwc_object_close(&object, error);
}

static int read_counters(struct hwc_object *top, struct hwc_profile *profile, struct hwc_error *error)
{
    struct hwc_object counters;
    char where[HWC_WHERE];
    json_t *list;

    TRY(open_below(&counters, top, "counters", error));
    TRY(hwc_take_text(&counters, "backend", true, profile->backend, sizeof profile->backend, error));
    TRY(take_text_or_null(&counters, "reason", profile->backend_reason, sizeof profile->backend_reason, error));
    TRY(take_list(&counters, "events", &list, error));
    if (json_array_size(list) > HWC_EVENT_COUNT)
        return hwc_object_fault(&counters, "events", error, "has more than the %d events that there are",
                                HWC_EVENT_COUNT);
    for (; profile->events < json_array_size(list); profile->events++) {
        hwc_write(where, sizeof where, "counters.events[%u]", profile->events);
        TRY(read_event(json_array_get(list, profile->events), where, &profile->event[profile->events], error));
    }
    return hwc_object_close(&counters, error);
}

static int take_findings(struct hwc_object *object, enum hwc_group group, struct hwc_record *record,
                         struct hwc_profile *profile, struct hwc_error *error)
{
    HWC_EACH_FIELD(id, group) {
        TRY(hwc_take_finding(object, id, record, profile->validation, error));
    }
    return hwc_object_close(object, error);
}

/* Where the next record of a list goes. */
struct slots {
    struct hwc_record *records;
    unsigned *count;
    unsigned most;    /* records */
    unsigned deepest; /* level; 0 = levels are 1, 2, ... in the order of the list */
};

static int take_level(struct hwc_object *object, const struct slots *slots, struct hwc_record **record,
                      struct hwc_error *error)
{
    unsigned next = *slots->count + 1;
    uint64_t level;

    if (next > slots->most) {
        hwc_object_fault(object, "level", error, "is one too many: there are %u at most", slots->most);
        return HWC_BAD_INPUT;
    }
    TRY(hwc_take_integer(object, "level", slots->deepest ? 1 : next, slots->deepest ? slots->deepest : next, -1,
                         &level, error));
    *record = &slots->records[next - 1];
    *slots->count = next;
    (*record)->level = (unsigned)level;
    return HWC_OK;
}

static int take_kind(struct hwc_object *object, bool *code, struct hwc_error *error)
{
    static const char *const kinds[] = {"data", "instruction", NULL};
    int kind;

    TRY(hwc_take_choice(object, "kind", kinds, -1, &kind, error));
    *code = kind == 1;
    return HWC_OK;
}

static int read_cache(struct hwc_object *object, struct hwc_profile *profile, struct hwc_error *error)
{
    const struct slots data = {profile->cache, &profile->caches, HWC_MAX_CACHE_LEVEL, 0};
    const struct slots instruction = {profile->code_cache, &profile->code_caches, HWC_MAX_CACHE_LEVEL, 0};
    struct hwc_record *record;
    bool code;

    TRY(take_kind(object, &code, error));
    TRY(take_level(object, code ? &instruction : &data, &record, error));
    return take_findings(object, code ? HWC_OF_CODE_CACHE : HWC_OF_CACHE, record, profile, error);
}

static int read_tlb(struct hwc_object *object, struct hwc_profile *profile, struct hwc_error *error)
{
    const struct slots slots = {profile->tlb, &profile->tlbs, HWC_MAX_TLBS, HWC_MAX_TLB_LEVEL};
    struct hwc_record *record;

    TRY(take_level(object, &slots, &record, error));
    TRY(take_kind(object, &record->code, error));
    TRY(hwc_take_boolean(object, "large_pages", false, &record->large, error));
    return take_findings(object, HWC_OF_TLB, record, profile, error);
}

static int read_btb(struct hwc_object *object, struct hwc_profile *profile, struct hwc_error *error)
{
    const struct slots slots = {profile->btb, &profile->btbs, HWC_MAX_BTBS, 0};
    struct hwc_record *record;

    TRY(take_level(object, &slots, &record, error));
    return take_findings(object, HWC_OF_BTB, record, profile, error);
}

static int read_instruction(struct hwc_object *object, struct hwc_profile *profile, struct hwc_error *error)
{
    const char *name, *type;
    struct hwc_record *record;

    TRY(hwc_take_string(object, "name", true, &name, error));
    TRY(hwc_take_string(object, "type", true, &type, error));
    record = hwc_profile_add_instruction(profile, name, type);
    if (record == NULL)
        return hwc_object_fault(object, "name", error, "is one too many: there are %d at most", HWC_MAX_INSTRUCTIONS);
    return take_findings(object, HWC_OF_INSTRUCTION, record, profile, error);
}

static int read_each(json_t *list, const char *of,
                     int (*read)(struct hwc_object *, struct hwc_profile *, struct hwc_error *),
                     struct hwc_profile *profile, struct hwc_error *error)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        struct hwc_object object;
        char where[HWC_WHERE];
        hwc_write(where, sizeof where, "%s[%zu]", of, i);
        TRY(hwc_object_open(&object, json_array_get(list, i), where, error));
        TRY(read(&object, profile, error));
    }
    return HWC_OK;
}

/* The findings of an object of findings, such as "registers", stand in the one above under both names: "registers.int". */
static void flatten(json_t *json)
{
    json_t *flat = json_object(), *value, *finding;
    const char *key, *inner;
    void *next;

    json_object_foreach_safe(json, next, key, value) {
        if (!json_is_object(value) || json_object_get(value, "value") != NULL)
            continue;
        json_object_foreach(value, inner, finding) {
            char name[64];
            hwc_write(name, sizeof name, "%s.%s", key, inner);
            json_object_set(flat, name, finding);
        }
        json_object_del(json, key);
    }
    json_object_update(json, flat);
    json_decref(flat);
}

static int take_records(struct hwc_object *object, const char *key,
                        int (*read)(struct hwc_object *, struct hwc_profile *, struct hwc_error *),
                        struct hwc_profile *profile, struct hwc_error *error)
{
    json_t *list = hwc_object_take(object, key);
    char where[HWC_WHERE];

    if (list != NULL && !json_is_array(list))
        return hwc_object_fault(object, key, error, "must be a list");
    hwc_write(where, sizeof where, "core.%s", key);
    return read_each(list, where, read, profile, error);
}

static int read_core(struct hwc_object *top, struct hwc_profile *profile, struct hwc_error *error)
{
    struct hwc_object core;

    if (json_is_object(json_object_get(top->json, "core")))
        flatten(json_object_get(top->json, "core"));
    TRY(open_below(&core, top, "core", error));
    TRY(take_records(&core, "btb", read_btb, profile, error));
    TRY(take_records(&core, "instructions", read_instruction, profile, error));
    return take_findings(&core, HWC_OF_CORE, &profile->core, profile, error);
}

static int read_records(struct hwc_object *top, struct hwc_profile *profile, struct hwc_error *error)
{
    struct hwc_object memory;
    json_t *list;

    TRY(take_list(top, "caches", &list, error));
    TRY(read_each(list, "caches", read_cache, profile, error));
    TRY(take_list(top, "tlbs", &list, error));
    TRY(read_each(list, "tlbs", read_tlb, profile, error));
    TRY(open_below(&memory, top, "memory", error));
    TRY(take_findings(&memory, HWC_OF_MEMORY, &profile->memory, profile, error));
    return read_core(top, profile, error);
}

static int read_notes(struct hwc_object *top, struct hwc_notes *notes, struct hwc_error *error)
{
    json_t *list;

    TRY(take_list(top, "notes", &list, error));
    if (json_array_size(list) > HWC_MAX_NOTES)
        return hwc_object_fault(top, "notes", error, "has more than %d", HWC_MAX_NOTES);
    for (; notes->count < json_array_size(list); notes->count++) {
        const char *note = json_string_value(json_array_get(list, notes->count));
        if (note == NULL || strlen(note) >= sizeof notes->text[0])
            return hwc_object_fault(top, "notes", error, "must be a list of texts of %zu bytes at most",
                                    sizeof notes->text[0] - 1);
        hwc_write(notes->text[notes->count], sizeof notes->text[0], "%s", note);
    }
    return HWC_OK;
}

static int read_matrices(struct hwc_object *top, struct hwc_profile *profile, struct hwc_error *error)
{
    json_t *list;

    if (json_object_get(top->json, "matrices") == NULL)
        return HWC_OK;
    TRY(take_list(top, "matrices", &list, error));
    return hwc_matrices_read(list, &profile->matrices, error);
}

static int read_profile(json_t *json, struct hwc_profile *profile, struct hwc_error *error)
{
    struct hwc_object top;
    json_t *curves;

    TRY(hwc_object_open(&top, json, "", error));
    TRY(take_constant(&top, "schema", "hwchar-profile/1", error));
    TRY(read_tool(&top, profile, error));
    TRY(read_host(&top, &profile->host, error));
    TRY(read_counters(&top, profile, error));
    TRY(hwc_differences_read(&top, profile, error));
    TRY(read_records(&top, profile, error));
    TRY(take_list(&top, "curves", &curves, error));
    TRY(hwc_curves_read(curves, &profile->curves, error));
    TRY(read_matrices(&top, profile, error));
    TRY(read_notes(&top, &profile->notes, error));
    return hwc_object_close(&top, error);
}

int hwc_profile_read(FILE *stream, struct hwc_profile *profile, struct hwc_error *error)
{
    json_error_t fault;
    json_t *json = json_loadf(stream, JSON_REJECT_DUPLICATES, &fault);
    int status;

    memset(profile, 0, sizeof *profile);
    if (json == NULL)
        return hwc_fail(error, HWC_BAD_INPUT, "line %d, column %d: %s", fault.line, fault.column, fault.text);
    status = read_profile(json, profile, error);
    json_decref(json);
    return status;
}

int hwc_profile_read_file(const char *path, struct hwc_profile *profile, struct hwc_error *error)
{
    FILE *stream = fopen(path, "r");
    int status;

    if (stream == NULL)
        return hwc_fail(error, HWC_BAD_INPUT, "%s: %s", path, strerror(errno));
    status = hwc_profile_read(stream, profile, error);
    fclose(stream);
    if (status != HWC_OK)
        hwc_context(error, "%s", path);
    return status;
}
