#include "profile_json.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

static json_t *number(double value)
{
    if (value == floor(value) && fabs(value) < 9e15)
        return json_integer((json_int_t)value);
    return json_real(value); /* NULL for what is not finite, which the dump then refuses */
}

static json_t *text_or_null(const char *text)
{
    return text[0] != '\0' ? json_string(text) : json_null();
}

static json_t *words_json(const char *words)
{
    json_t *list = json_array();

    while (*words != '\0') {
        size_t length = strcspn(words, " ");
        json_array_append_new(list, json_stringn(words, length));
        words += length + (words[length] == ' ');
    }
    return list;
}

static json_t *value_json(const struct hwc_finding *finding)
{
    if (finding->text[0] != '\0')
        return json_string(finding->text);
    return finding->boolean ? json_boolean(finding->value != 0) : number(finding->value);
}

static json_t *finding_json(const struct hwc_finding *finding)
{
    json_t *json = json_object();

    if (!finding->known) {
        json_object_set_new(json, "value", json_null());
        json_object_set_new(json, "reason", json_string(finding->reason));
    } else {
        json_object_set_new(json, "value", value_json(finding));
        json_object_set_new(json, "unit", json_string(finding->unit));
        json_object_set_new(json, "witness", json_string(hwc_witness_name(finding->witness)));
        if (finding->event[0] != '\0') {
            json_object_set_new(json, "event", json_string(finding->event));
            json_object_set_new(json, "counter", json_string(finding->counter));
        }
        if (finding->alternatives != NULL && finding->alternatives[0] != '\0')
            json_object_set_new(json, "alternatives", words_json(finding->alternatives));
        if (finding->nanoseconds > 0)
            json_object_set_new(json, "nanoseconds", number(finding->nanoseconds));
    }
    if (finding->votes > 0)
        json_object_set_new(json, "agreement", json_pack("[i, i]", finding->alike, finding->votes));
    if (finding->has_documented)
        json_object_set_new(json, "documented", number(finding->documented));
    json_object_set_new(json, "seconds", json_real(round(finding->seconds * 1e4) / 1e4));
    return json;
}

static void set_finding(json_t *object, const char *key, const struct hwc_finding *finding)
{
    if (finding->asked)
        json_object_set_new(object, key, finding_json(finding));
}

static json_t *cache_json(const struct hwc_cache_profile *cache, const char *kind)
{
    json_t *json = json_pack("{s:i, s:s}", "level", (int)cache->level, "kind", kind);

    set_finding(json, "line_size", &cache->line_size);
    set_finding(json, "size", &cache->size);
    set_finding(json, "associativity", &cache->associativity);
    set_finding(json, "latency", &cache->latency);
    set_finding(json, "miss_penalty", &cache->miss_penalty);
    set_finding(json, "effective_size", &cache->effective_size);
    set_finding(json, "inclusion", &cache->inclusion);
    set_finding(json, "replacement", &cache->replacement);
    set_finding(json, "write_allocate", &cache->write_allocate);
    set_finding(json, "write_back", &cache->write_back);
    set_finding(json, "unified", &cache->unified);
    set_finding(json, "bypassed_by_float", &cache->bypassed_by_float);
    return json;
}

static json_t *tlbs_json(const struct hwc_profile *profile)
{
    json_t *list = json_array();

    for (unsigned i = 0; i < profile->tlbs; i++) {
        const struct hwc_tlb_profile *tlb = &profile->tlb[i];
        json_t *json = json_pack("{s:i, s:s}", "level", (int)tlb->level, "kind", tlb->code ? "instruction" : "data");
        set_finding(json, "page_size", &tlb->page_size);
        set_finding(json, "entries", &tlb->entries);
        set_finding(json, "associativity", &tlb->associativity);
        set_finding(json, "replacement", &tlb->replacement);
        set_finding(json, "miss_penalty", &tlb->miss_penalty);
        set_finding(json, "unified", &tlb->unified);
        set_finding(json, "shared_by_page_sizes", &tlb->shared_by_page_sizes);
        set_finding(json, "sub_page_size", &tlb->sub_page_size);
        json_array_append_new(list, json);
    }
    return list;
}

static json_t *btbs_json(const struct hwc_profile *profile)
{
    json_t *list = json_array();

    for (unsigned i = 0; i < profile->btbs; i++) {
        json_t *json = json_pack("{s:i}", "level", (int)i + 1);
        set_finding(json, "entries", &profile->btb[i].entries);
        set_finding(json, "miss_penalty", &profile->btb[i].miss_penalty);
        json_array_append_new(list, json);
    }
    return list;
}

static json_t *event_json(const struct hwc_event_record *record)
{
    json_t *json = json_object();

    json_object_set_new(json, "event", json_string(hwc_event_name(record->event)));
    json_object_set_new(json, "counter", text_or_null(record->counter));
    json_object_set_new(json, "status", json_string(hwc_event_status_name(record->status)));
    if (record->quality[0] != '\0')
        json_object_set_new(json, "quality", json_string(record->quality));
    if (record->expected > 0) {
        json_object_set_new(json, "overhead", number(record->overhead));
        json_object_set_new(json, "expected", number(record->expected));
        json_object_set_new(json, "counted", number(record->counted));
    }
    if (record->status == HWC_EVENT_BIASED)
        json_object_set_new(json, "factor", number(record->factor));
    if (record->reason[0] != '\0')
        json_object_set_new(json, "reason", json_string(record->reason));
    return json;
}

static json_t *events_json(const struct hwc_profile *profile, bool with_absent)
{
    json_t *list = json_array();

    for (unsigned i = 0; i < profile->events; i++)
        if (with_absent || profile->event[i].status != HWC_EVENT_ABSENT)
            json_array_append_new(list, event_json(&profile->event[i]));
    return list;
}

static json_t *counters_json(const struct hwc_profile *profile, bool with_absent)
{
    json_t *json = json_object();

    json_object_set_new(json, "backend", json_string(profile->backend));
    json_object_set_new(json, "reason", text_or_null(profile->backend_reason));
    json_object_set_new(json, "events", events_json(profile, with_absent));
    return json;
}

static json_t *host_json(const struct hwc_host *host)
{
    json_t *json = json_object();

    json_object_set_new(json, "name", json_string(host->name));
    json_object_set_new(json, "arch", json_string(host->arch));
    json_object_set_new(json, "cpu_model", text_or_null(host->cpu_model));
    json_object_set_new(json, "hypervisor", text_or_null(host->hypervisor));
    json_object_set_new(json, "kernel", json_string(host->kernel));
    json_object_set_new(json, "cpu", host->cpu >= 0 ? json_integer(host->cpu) : json_null());
    json_object_set_new(json, "time", json_string(host->time));
    return json;
}

static json_t *profile_json(const struct hwc_profile *profile)
{
    json_t *json = json_pack("{s:s, s:{s:s, s:s}}", "schema", "hwchar-profile/1", "tool", "name", "hwchar", "version",
                             HWC_VERSION);
    json_t *caches = json_array();
    json_t *memory = json_object();
    json_t *core = json_object();
    json_t *notes = json_array();

    json_object_set_new(json, "host", host_json(&profile->host));
    json_object_set_new(json, "counters", counters_json(profile, false));
    for (unsigned i = 0; i < profile->caches; i++)
        json_array_append_new(caches, cache_json(&profile->cache[i], "data"));
    for (unsigned i = 0; i < profile->code_caches; i++)
        json_array_append_new(caches, cache_json(&profile->code_cache[i], "instruction"));
    json_object_set_new(json, "caches", caches);
    json_object_set_new(json, "tlbs", tlbs_json(profile));
    set_finding(memory, "page_size", &profile->page_size);
    set_finding(memory, "huge_page_size", &profile->huge_page_size);
    set_finding(memory, "effective_page_size", &profile->effective_page_size);
    set_finding(memory, "latency", &profile->memory_latency);
    json_object_set_new(json, "memory", memory);
    set_finding(core, "frequency", &profile->frequency);
    if (profile->btbs > 0)
        json_object_set_new(core, "btb", btbs_json(profile));
    json_object_set_new(json, "core", core);
    json_object_set_new(json, "curves", json_array());
    for (unsigned i = 0; i < profile->notes.count; i++)
        json_array_append_new(notes, json_string(profile->notes.text[i]));
    json_object_set_new(json, "notes", notes);
    return json;
}

static int dump(json_t *json, FILE *stream, struct hwc_error *error)
{
    int failed = json == NULL || json_dumpf(json, stream, JSON_INDENT(1) | JSON_REAL_PRECISION(10)) != 0;

    json_decref(json);
    if (failed || fputc('\n', stream) == EOF)
        return hwc_fail(error, HWC_SYSTEM, "the profile could not be written as JSON");
    return HWC_OK;
}

int hwc_profile_write_json(const struct hwc_profile *profile, FILE *stream, struct hwc_error *error)
{
    return dump(profile_json(profile), stream, error);
}

int hwc_events_write_json(const struct hwc_profile *profile, FILE *stream, struct hwc_error *error)
{
    return dump(counters_json(profile, true), stream, error);
}
