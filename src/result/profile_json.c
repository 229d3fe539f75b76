#include "profile_json.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit_report.h"
#include "curve_json.h"
#include "json_writer.h"
#include "matrix_json.h"
#include "validation_json.h"

static json_t *text_or_null(const char *text)
{
    return text[0] != '\0' ? hwc_json_words(text) : json_null();
}

static json_t *alternatives_json(struct hwc_json_writer *writer, const char *words)
{
    json_t *list = json_array();

    while (*words != '\0') {
        size_t length = strcspn(words, " ");
        hwc_json_append(writer, list, "alternatives", json_stringn(words, length));
        words += length + (words[length] == ' ');
    }
    return list;
}

static json_t *value_json(const struct hwc_finding *finding, enum hwc_value_kind kind)
{
    if (kind == HWC_VALUE_WORD)
        return hwc_json_words(finding->text);
    return kind == HWC_VALUE_BOOLEAN ? json_boolean(finding->value != 0) : hwc_json_number(finding->value);
}

/* Votes on a word are on the indices of candidates, which mean nothing to a reader and are left out. */
static json_t *round_json(struct hwc_json_writer *writer, const struct hwc_round *round, enum hwc_value_kind kind)
{
    json_t *json = json_object(), *values = json_array();

    for (unsigned k = 0; k < round->values && kind != HWC_VALUE_WORD; k++) {
        json_t *pair = json_array();
        hwc_json_append(writer, pair, "values", hwc_json_number(round->value[k].value));
        hwc_json_append(writer, pair, "values", json_integer(round->value[k].votes));
        hwc_json_append(writer, values, "values", pair);
    }
    hwc_json_set(writer, json, "cast", json_integer(round->cast));
    hwc_json_set(writer, json, "abstained", json_integer(round->abstained));
    hwc_json_set(writer, json, "disturbed", json_integer(round->disturbed));
    hwc_json_set(writer, json, "values", values);
    return json;
}

static json_t *rounds_json(struct hwc_json_writer *writer, const struct hwc_finding *finding, enum hwc_value_kind kind)
{
    json_t *list = json_array();

    for (unsigned i = 0; i < finding->rounds; i++)
        hwc_json_append(writer, list, "rounds", round_json(writer, &finding->round[i], kind));
    return list;
}

static void set_known(struct hwc_json_writer *writer, json_t *json, const struct hwc_finding *finding,
                      const struct hwc_field *field)
{
    hwc_json_set(writer, json, "value", value_json(finding, field->kind));
    hwc_json_set(writer, json, "unit", json_string(field->unit));
    hwc_json_set(writer, json, "witness", json_string(hwc_witness_name(finding->witness)));
    if (finding->event[0] != '\0') {
        hwc_json_set(writer, json, "event", hwc_json_words(finding->event));
        hwc_json_set(writer, json, "counter", hwc_json_words(finding->counter));
    }
    if (finding->alternatives != NULL && finding->alternatives[0] != '\0')
        hwc_json_set(writer, json, "alternatives", alternatives_json(writer, finding->alternatives));
    if (finding->nanoseconds > 0)
        hwc_json_set(writer, json, "nanoseconds", hwc_json_number(finding->nanoseconds));
}

static void set_unknown(struct hwc_json_writer *writer, json_t *json, const struct hwc_finding *finding,
                        const struct hwc_field *field)
{
    hwc_json_set(writer, json, "value", json_null());
    if (finding->why != HWC_WHY_NOT_SAID)
        hwc_json_set(writer, json, "kind", json_string(hwc_why_name(finding->why)));
    hwc_json_set(writer, json, "reason", hwc_json_words(finding->reason));
    if (finding->has_interval) { /* the interval is measured, so it has a unit and a witness */
        hwc_json_set(writer, json, "unit", json_string(field->unit));
        hwc_json_set(writer, json, "witness", json_string(hwc_witness_name(finding->witness)));
    }
}

static json_t *finding_json(struct hwc_json_writer *writer, const struct hwc_finding *finding,
                            const struct hwc_field *field)
{
    json_t *json = json_object();

    if (finding->known)
        set_known(writer, json, finding, field);
    else
        set_unknown(writer, json, finding, field);
    if (finding->has_interval) {
        hwc_json_set(writer, json, "low", hwc_json_number(finding->low));
        hwc_json_set(writer, json, "high", hwc_json_number(finding->high));
    }
    if (finding->votes > 0)
        hwc_json_set(writer, json, "agreement", json_pack("[i, i]", (int)finding->alike, (int)finding->votes));
    if (finding->rounds > 0)
        hwc_json_set(writer, json, "rounds", rounds_json(writer, finding, field->kind));
    if (finding->has_documented)
        hwc_json_set(writer, json, "documented", hwc_json_number(finding->documented));
    hwc_json_set(writer, json, "seconds", json_real(round(finding->seconds * 1e4) / 1e4));
    return json;
}

/* The clock's answer, and what was counted in its own walks. */
static json_t *clock_json(struct hwc_json_writer *writer, const struct hwc_validated *row)
{
    json_t *json = finding_json(writer, &row->clock, &hwc_fields[row->field]);

    if (row->clock.counted.any)
        hwc_json_set(writer, json, "walks", hwc_walks_json(writer, &row->clock.counted));
    return json;
}

/* The answers of both witnesses; the profile's own native counter is in the counter's answer. */
static json_t *validated_json(struct hwc_json_writer *writer, const struct hwc_finding *finding,
                              const struct hwc_validated *row)
{
    json_t *json = finding_json(writer, finding, &hwc_fields[row->field]);

    hwc_json_set(writer, json, "counter", finding_json(writer, &row->counter, &hwc_fields[row->field]));
    hwc_json_set(writer, json, "clock", clock_json(writer, row));
    hwc_json_set(writer, json, "verdict", hwc_verdict_json(writer, &row->verdict));
    return json;
}

static json_t *placed_json(struct hwc_json_writer *writer, const struct hwc_profile *profile,
                           const struct hwc_place *place, enum hwc_field_id id)
{
    const struct hwc_finding *finding = &place->record->finding[id];
    const struct hwc_validated *row = hwc_profile_validated(profile, place, id);

    return row != NULL ? validated_json(writer, finding, row) : finding_json(writer, finding, &hwc_fields[id]);
}

/* "registers.int" is "int" in the object "registers". */
static void set_finding(struct hwc_json_writer *writer, json_t *json, const char *key, json_t *value)
{
    size_t outer = strcspn(key, ".");
    char name[32];

    if (key[outer] == '\0') {
        hwc_json_set(writer, json, key, value);
        return;
    }
    hwc_write(name, sizeof name, "%.*s", (int)outer, key);
    if (json_object_get(json, name) == NULL)
        hwc_json_set(writer, json, name, json_object());
    hwc_json_set(writer, json_object_get(json, name), key + outer + 1, value);
}

static json_t *record_json(struct hwc_json_writer *writer, const struct hwc_profile *profile,
                           const struct hwc_place *place)
{
    static const char *const kinds[2] = {"data", "instruction"};
    const struct hwc_record *record = place->record;
    json_t *json = json_object();

    if (place->group == HWC_OF_INSTRUCTION) {
        hwc_json_set(writer, json, "name", hwc_json_words(record->name));
        hwc_json_set(writer, json, "type", hwc_json_words(record->type));
    } else if (record->level > 0)
        hwc_json_set(writer, json, "level", json_integer(record->level));
    if (place->group == HWC_OF_CACHE || place->group == HWC_OF_CODE_CACHE || place->group == HWC_OF_TLB)
        hwc_json_set(writer, json, "kind", json_string(kinds[place->group == HWC_OF_CODE_CACHE || record->code]));
    if (record->large)
        hwc_json_set(writer, json, "large_pages", json_true());
    HWC_EACH_FIELD(id, place->group)
        if (record->finding[id].asked)
            set_finding(writer, json, hwc_fields[id].key, placed_json(writer, profile, place, id));
    return json;
}

static json_t *event_json(struct hwc_json_writer *writer, const struct hwc_event_record *record)
{
    json_t *json = json_object();

    hwc_json_set(writer, json, "event", json_string(hwc_event_name(record->event)));
    hwc_json_set(writer, json, "counter", text_or_null(record->counter));
    if (record->backend[0] != '\0')
        hwc_json_set(writer, json, "backend", hwc_json_words(record->backend));
    hwc_json_set(writer, json, "status", json_string(hwc_event_status_name(record->status)));
    if (record->quality[0] != '\0')
        hwc_json_set(writer, json, "quality", hwc_json_words(record->quality));
    if (record->expected > 0) {
        hwc_json_set(writer, json, "overhead", hwc_json_number(record->overhead));
        hwc_json_set(writer, json, "expected", hwc_json_number(record->expected));
        hwc_json_set(writer, json, "counted", hwc_json_number(record->counted));
    }
    if (record->status == HWC_EVENT_BIASED)
        hwc_json_set(writer, json, "factor", hwc_json_number(record->factor));
    if (record->reason[0] != '\0')
        hwc_json_set(writer, json, "reason", hwc_json_words(record->reason));
    return json;
}

static json_t *counters_json(struct hwc_json_writer *writer, const struct hwc_profile *profile, bool with_absent)
{
    json_t *json = json_object(), *list = json_array();

    for (unsigned i = 0; i < profile->events; i++)
        if (with_absent || profile->event[i].status != HWC_EVENT_ABSENT)
            hwc_json_append(writer, list, "events", event_json(writer, &profile->event[i]));
    hwc_json_set(writer, json, "backend", hwc_json_words(profile->backend));
    hwc_json_set(writer, json, "reason", text_or_null(profile->backend_reason));
    hwc_json_set(writer, json, "events", list);
    return json;
}

static json_t *host_json(struct hwc_json_writer *writer, const struct hwc_host *host)
{
    json_t *json = json_object();

    hwc_json_set(writer, json, "name", hwc_json_words(host->name));
    hwc_json_set(writer, json, "arch", hwc_json_words(host->arch));
    hwc_json_set(writer, json, "cpu_model", text_or_null(host->cpu_model));
    hwc_json_set(writer, json, "hypervisor", text_or_null(host->hypervisor));
    hwc_json_set(writer, json, "kernel", hwc_json_words(host->kernel));
    hwc_json_set(writer, json, "cpu", host->cpu >= 0 ? json_integer(host->cpu) : json_null());
    if (host->core_kind[0] != '\0')
        hwc_json_set(writer, json, "core_kind", hwc_json_words(host->core_kind));
    hwc_json_set(writer, json, "time", hwc_json_words(host->time));
    return json;
}

/* Caches and TLBs are lists of the top object; branch target buffers belong to the core. */
static void set_records(struct hwc_json_writer *writer, json_t *json, const struct hwc_profile *profile)
{
    json_t *caches = json_array(), *tlbs = json_array(), *btbs = json_array(), *instructions = json_array();
    struct hwc_place place;

    hwc_json_set(writer, json, "caches", caches);
    hwc_json_set(writer, json, "tlbs", tlbs);
    for (unsigned i = 0; hwc_profile_place(profile, i, &place); i++) {
        json_t *record = record_json(writer, profile, &place);
        switch (place.group) {
        case HWC_OF_CACHE:
        case HWC_OF_CODE_CACHE:
            hwc_json_append(writer, caches, "caches", record);
            break;
        case HWC_OF_TLB:
            hwc_json_append(writer, tlbs, "tlbs", record);
            break;
        case HWC_OF_BTB:
            hwc_json_append(writer, btbs, "btb", record);
            break;
        case HWC_OF_MEMORY:
            hwc_json_set(writer, json, "memory", record);
            break;
        case HWC_OF_INSTRUCTION:
            hwc_json_append(writer, instructions, "instructions", record);
            break;
        default:
            if (profile->btbs > 0)
                hwc_json_set(writer, record, "btb", json_incref(btbs));
            if (profile->instructions > 0)
                hwc_json_set(writer, record, "instructions", json_incref(instructions));
            hwc_json_set(writer, json, "core", record);
        }
    }
    json_decref(instructions);
    json_decref(btbs);
}

static json_t *profile_json(struct hwc_json_writer *writer, const struct hwc_profile *profile)
{
    json_t *json = json_object(), *notes = json_array();

    hwc_json_set(writer, json, "schema", json_string("hwchar-profile/1"));
    hwc_json_set(writer, json, "tool", json_pack("{s:s, s:s}", "name", "hwchar", "version", profile->version));
    hwc_json_set(writer, json, "host", host_json(writer, &profile->host));
    hwc_json_set(writer, json, "counters", counters_json(writer, profile, false));
    set_records(writer, json, profile);
    if (profile->validation != NULL)
        hwc_json_set(writer, json, "validation", hwc_differences_json(writer, profile->validation));
    hwc_json_set(writer, json, "curves", hwc_curves_json(writer, &profile->curves));
    if (profile->matrices.count > 0)
        hwc_json_set(writer, json, "matrices", hwc_matrices_json(writer, &profile->matrices));
    for (unsigned i = 0; i < profile->notes.count; i++)
        hwc_json_append(writer, notes, "notes", hwc_json_words(profile->notes.text[i]));
    hwc_json_set(writer, json, "notes", notes);
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
static int dump(json_t *json, const struct hwc_json_writer *writer, FILE *stream, struct hwc_error *error)
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
    struct hwc_json_writer writer = {0};

    return dump(profile_json(&writer, profile), &writer, stream, error);
}

int hwc_events_write_json(const struct hwc_profile *profile, FILE *stream, struct hwc_error *error)
{
    struct hwc_json_writer writer = {0};
    json_t *json = counters_json(&writer, profile, true);

    if (profile->audits.asked)
        hwc_json_set(&writer, json, "audit", hwc_audit_json(&writer, &profile->audits));
    return dump(json, &writer, stream, error);
}
