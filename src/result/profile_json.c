#include "profile_json.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "curve_json.h"
#include "json_number.h"

/* Remembers the first value that could not be added to the tree: no memory, or no JSON value (not finite). */
struct writer {
    const char *fault; /* its key; NULL = none */
};

/* Text from outside may not be UTF-8: its bytes beyond ASCII are then replaced by question marks. */
static json_t *words(const char *text)
{
    json_t *json = json_string(text);
    char *plain = json == NULL ? strdup(text) : NULL;

    if (plain == NULL)
        return json;
    for (char *c = plain; *c != '\0'; c++)
        if ((unsigned char)*c >= 0x80)
            *c = '?';
    json = json_string(plain);
    free(plain);
    return json;
}

static json_t *text_or_null(const char *text)
{
    return text[0] != '\0' ? words(text) : json_null();
}

/* Takes ownership of the value. */
static void set(struct writer *writer, json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, value) != 0 && writer->fault == NULL)
        writer->fault = key;
}

static void append(struct writer *writer, json_t *list, const char *of, json_t *value)
{
    if (json_array_append_new(list, value) != 0 && writer->fault == NULL)
        writer->fault = of;
}

static json_t *alternatives_json(struct writer *writer, const char *words)
{
    json_t *list = json_array();

    while (*words != '\0') {
        size_t length = strcspn(words, " ");
        append(writer, list, "alternatives", json_stringn(words, length));
        words += length + (words[length] == ' ');
    }
    return list;
}

static json_t *value_json(const struct hwc_finding *finding, enum hwc_value_kind kind)
{
    if (kind == HWC_VALUE_WORD)
        return words(finding->text);
    return kind == HWC_VALUE_BOOLEAN ? json_boolean(finding->value != 0) : hwc_json_number(finding->value);
}

/* Votes on a word are on the indices of candidates, which mean nothing to a reader and are left out. */
static json_t *round_json(struct writer *writer, const struct hwc_round *round, enum hwc_value_kind kind)
{
    json_t *json = json_object(), *values = json_array();

    for (unsigned k = 0; k < round->values && kind != HWC_VALUE_WORD; k++) {
        json_t *pair = json_array();
        append(writer, pair, "values", hwc_json_number(round->value[k].value));
        append(writer, pair, "values", json_integer(round->value[k].votes));
        append(writer, values, "values", pair);
    }
    set(writer, json, "cast", json_integer(round->cast));
    set(writer, json, "abstained", json_integer(round->abstained));
    set(writer, json, "disturbed", json_integer(round->disturbed));
    set(writer, json, "values", values);
    return json;
}

static json_t *rounds_json(struct writer *writer, const struct hwc_finding *finding, enum hwc_value_kind kind)
{
    json_t *list = json_array();

    for (unsigned i = 0; i < finding->rounds; i++)
        append(writer, list, "rounds", round_json(writer, &finding->round[i], kind));
    return list;
}

static void set_known(struct writer *writer, json_t *json, const struct hwc_finding *finding,
                      const struct hwc_field *field)
{
    set(writer, json, "value", value_json(finding, field->kind));
    set(writer, json, "unit", json_string(field->unit));
    set(writer, json, "witness", json_string(hwc_witness_name(finding->witness)));
    if (finding->event[0] != '\0') {
        set(writer, json, "event", words(finding->event));
        set(writer, json, "counter", words(finding->counter));
    }
    if (finding->alternatives != NULL && finding->alternatives[0] != '\0')
        set(writer, json, "alternatives", alternatives_json(writer, finding->alternatives));
    if (finding->nanoseconds > 0)
        set(writer, json, "nanoseconds", hwc_json_number(finding->nanoseconds));
}

static void set_unknown(struct writer *writer, json_t *json, const struct hwc_finding *finding,
                        const struct hwc_field *field)
{
    set(writer, json, "value", json_null());
    if (finding->why != HWC_WHY_NOT_SAID)
        set(writer, json, "kind", json_string(hwc_why_name(finding->why)));
    set(writer, json, "reason", words(finding->reason));
    if (finding->has_interval) { /* the interval is measured, so it has a unit and a witness */
        set(writer, json, "unit", json_string(field->unit));
        set(writer, json, "witness", json_string(hwc_witness_name(finding->witness)));
    }
}

static json_t *finding_json(struct writer *writer, const struct hwc_finding *finding, const struct hwc_field *field)
{
    json_t *json = json_object();

    if (finding->known)
        set_known(writer, json, finding, field);
    else
        set_unknown(writer, json, finding, field);
    if (finding->has_interval) {
        set(writer, json, "low", hwc_json_number(finding->low));
        set(writer, json, "high", hwc_json_number(finding->high));
    }
    if (finding->votes > 0)
        set(writer, json, "agreement", json_pack("[i, i]", (int)finding->alike, (int)finding->votes));
    if (finding->rounds > 0)
        set(writer, json, "rounds", rounds_json(writer, finding, field->kind));
    if (finding->has_documented)
        set(writer, json, "documented", hwc_json_number(finding->documented));
    set(writer, json, "seconds", json_real(round(finding->seconds * 1e4) / 1e4));
    return json;
}

static json_t *record_json(struct writer *writer, const struct hwc_place *place)
{
    static const char *const kinds[2] = {"data", "instruction"};
    const struct hwc_record *record = place->record;
    json_t *json = json_object();

    if (record->level > 0)
        set(writer, json, "level", json_integer(record->level));
    if (place->group == HWC_OF_CACHE || place->group == HWC_OF_CODE_CACHE || place->group == HWC_OF_TLB)
        set(writer, json, "kind", json_string(kinds[place->group == HWC_OF_CODE_CACHE || record->code]));
    if (record->large)
        set(writer, json, "large_pages", json_true());
    HWC_EACH_FIELD(id, place->group)
        if (record->finding[id].asked)
            set(writer, json, hwc_fields[id].key, finding_json(writer, &record->finding[id], &hwc_fields[id]));
    return json;
}

static json_t *event_json(struct writer *writer, const struct hwc_event_record *record)
{
    json_t *json = json_object();

    set(writer, json, "event", json_string(hwc_event_name(record->event)));
    set(writer, json, "counter", text_or_null(record->counter));
    set(writer, json, "status", json_string(hwc_event_status_name(record->status)));
    if (record->quality[0] != '\0')
        set(writer, json, "quality", words(record->quality));
    if (record->expected > 0) {
        set(writer, json, "overhead", hwc_json_number(record->overhead));
        set(writer, json, "expected", hwc_json_number(record->expected));
        set(writer, json, "counted", hwc_json_number(record->counted));
    }
    if (record->status == HWC_EVENT_BIASED)
        set(writer, json, "factor", hwc_json_number(record->factor));
    if (record->reason[0] != '\0')
        set(writer, json, "reason", words(record->reason));
    return json;
}

static json_t *counters_json(struct writer *writer, const struct hwc_profile *profile, bool with_absent)
{
    json_t *json = json_object(), *list = json_array();

    for (unsigned i = 0; i < profile->events; i++)
        if (with_absent || profile->event[i].status != HWC_EVENT_ABSENT)
            append(writer, list, "events", event_json(writer, &profile->event[i]));
    set(writer, json, "backend", words(profile->backend));
    set(writer, json, "reason", text_or_null(profile->backend_reason));
    set(writer, json, "events", list);
    return json;
}

static json_t *host_json(struct writer *writer, const struct hwc_host *host)
{
    json_t *json = json_object();

    set(writer, json, "name", words(host->name));
    set(writer, json, "arch", words(host->arch));
    set(writer, json, "cpu_model", text_or_null(host->cpu_model));
    set(writer, json, "hypervisor", text_or_null(host->hypervisor));
    set(writer, json, "kernel", words(host->kernel));
    set(writer, json, "cpu", host->cpu >= 0 ? json_integer(host->cpu) : json_null());
    set(writer, json, "time", words(host->time));
    return json;
}

/* Caches and TLBs are lists of the top object; branch target buffers belong to the core. */
static void set_records(struct writer *writer, json_t *json, const struct hwc_profile *profile)
{
    json_t *caches = json_array(), *tlbs = json_array(), *btbs = json_array();
    struct hwc_place place;

    set(writer, json, "caches", caches);
    set(writer, json, "tlbs", tlbs);
    for (unsigned i = 0; hwc_profile_place(profile, i, &place); i++) {
        json_t *record = record_json(writer, &place);
        switch (place.group) {
        case HWC_OF_CACHE:
        case HWC_OF_CODE_CACHE:
            append(writer, caches, "caches", record);
            break;
        case HWC_OF_TLB:
            append(writer, tlbs, "tlbs", record);
            break;
        case HWC_OF_BTB:
            append(writer, btbs, "btb", record);
            break;
        case HWC_OF_MEMORY:
            set(writer, json, "memory", record);
            break;
        default:
            if (profile->btbs > 0)
                set(writer, record, "btb", json_incref(btbs));
            set(writer, json, "core", record);
        }
    }
    json_decref(btbs);
}

static json_t *profile_json(struct writer *writer, const struct hwc_profile *profile)
{
    json_t *json = json_object(), *notes = json_array();

    set(writer, json, "schema", json_string("hwchar-profile/1"));
    set(writer, json, "tool", json_pack("{s:s, s:s}", "name", "hwchar", "version", profile->version));
    set(writer, json, "host", host_json(writer, &profile->host));
    set(writer, json, "counters", counters_json(writer, profile, false));
    set_records(writer, json, profile);
    set(writer, json, "curves", hwc_curves_json(&profile->curves));
    for (unsigned i = 0; i < profile->notes.count; i++)
        append(writer, notes, "notes", words(profile->notes.text[i]));
    set(writer, json, "notes", notes);
    return json;
}

static bool reads_back(double value, int digits)
{
    char text[40];

    snprintf(text, sizeof text, "%.*g", digits, value);
    return strtod(text, NULL) == value;
}

/* The digits with which all numbers of the tree read back unchanged: 17 always do; 15 usually do and look better. */
static int digits_of(const json_t *json, int digits)
{
    const char *key;
    json_t *item;
    size_t i;

    if (json_is_real(json))
        while (digits < 17 && !reads_back(json_real_value(json), digits))
            digits++;
    if (json_is_array(json))
        for (i = 0; i < json_array_size(json); i++)
            digits = digits_of(json_array_get(json, i), digits);
    if (json_is_object(json))
        json_object_foreach((json_t *)(uintptr_t)json, key, item) digits = digits_of(item, digits);
    return digits;
}

/* Takes ownership of the tree. */
static int dump(json_t *json, const struct writer *writer, FILE *stream, struct hwc_error *error)
{
    int status = HWC_OK;

    if (writer->fault != NULL)
        status = hwc_fail(error, HWC_SYSTEM, "the profile could not be written as JSON: \"%s\" has no JSON value",
                          writer->fault);
    else if (json_dumpf(json, stream, JSON_INDENT(1) | (size_t)JSON_REAL_PRECISION(digits_of(json, 15))) != 0 ||
             fputc('\n', stream) == EOF)
        status = hwc_fail(error, HWC_SYSTEM, "the profile could not be written as JSON");
    json_decref(json);
    return status;
}

int hwc_profile_write_json(const struct hwc_profile *profile, FILE *stream, struct hwc_error *error)
{
    struct writer writer = {0};

    return dump(profile_json(&writer, profile), &writer, stream, error);
}

int hwc_events_write_json(const struct hwc_profile *profile, FILE *stream, struct hwc_error *error)
{
    struct writer writer = {0};

    return dump(counters_json(&writer, profile, true), &writer, stream, error);
}
