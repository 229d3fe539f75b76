#include "finding_read.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "validation_json.h"

int hwc_take_text(struct hwc_object *object, const char *key, bool required, char *text, size_t size,
                  struct hwc_error *error)
{
    const char *value;

    TRY(hwc_take_string(object, key, required, &value, error));
    if (value != NULL && strlen(value) >= size)
        return hwc_object_fault(object, key, error, "is longer than %zu bytes", size - 1);
    hwc_write(text, size, "%s", value != NULL ? value : "");
    return HWC_OK;
}

/* Sanity bound on the seconds of a finding. */
#define MOST_SECONDS 1e9

static int take_word(struct hwc_object *object, struct hwc_finding *finding, struct hwc_error *error)
{
    TRY(hwc_take_text(object, "value", true, finding->text, sizeof finding->text, error));
    if (finding->text[0] == '\0')
        return hwc_object_fault(object, "value", error, "is empty");
    return HWC_OK;
}

static int take_boolean(struct hwc_object *object, struct hwc_finding *finding, struct hwc_error *error)
{
    bool yes;

    TRY(hwc_take_boolean(object, "value", false, &yes, error));
    finding->value = yes;
    return HWC_OK;
}

static int take_value(struct hwc_object *object, enum hwc_value_kind kind, struct hwc_finding *finding,
                      struct hwc_error *error)
{
    if (kind == HWC_VALUE_WORD)
        return take_word(object, finding, error);
    if (kind == HWC_VALUE_BOOLEAN)
        return take_boolean(object, finding, error);
    if (kind == HWC_VALUE_CYCLES)
        return hwc_take_number(object, "value", -DBL_MAX, DBL_MAX, -1, &finding->value, error);
    TRY(hwc_take_number(object, "value", 0, DBL_MAX, -1, &finding->value, error));
    if (kind != HWC_VALUE_RATE && kind != HWC_VALUE_FREQUENCY && finding->value != floor(finding->value))
        return hwc_object_fault(object, "value", error, "must be a whole number");
    return HWC_OK;
}

/* Read the unit and the witness. */
static int take_source(struct hwc_object *object, const struct hwc_field *field, struct hwc_finding *finding,
                       struct hwc_error *error)
{
    static const char *const witnesses[] = {"counter", "clock", "system", NULL};
    static const enum hwc_witness_kind kinds[] = {HWC_COUNTER, HWC_CLOCK, HWC_SYSTEM_WITNESS};
    const char *unit;
    int witness;

    TRY(hwc_take_string(object, "unit", true, &unit, error));
    if (strcmp(unit, field->unit) != 0)
        return hwc_object_fault(object, "unit", error, "is \"%s\", must be \"%s\"", unit, field->unit);
    TRY(hwc_take_choice(object, "witness", witnesses, -1, &witness, error));
    finding->witness = kinds[witness];
    return HWC_OK;
}

static int take_counter(struct hwc_object *object, struct hwc_finding *finding, struct hwc_error *error)
{
    TRY(hwc_take_text(object, "event", false, finding->event, sizeof finding->event, error));
    if (finding->event[0] != '\0' && hwc_event_by_name(finding->event) == HWC_NO_EVENT)
        return hwc_object_fault(object, "event", error, "is \"%s\", which is no event", finding->event);
    if (json_is_object(json_object_get(object->json, "counter"))) /* validated: it is in the counter's answer */
        return HWC_OK;
    return hwc_take_text(object, "counter", finding->event[0] != '\0', finding->counter, sizeof finding->counter,
                         error);
}

/* Names must not have spaces: in the record, spaces separate them. */
static int take_alternatives(struct hwc_object *object, struct hwc_record *record, struct hwc_finding *finding,
                             struct hwc_error *error)
{
    json_t *list = hwc_object_take(object, "alternatives");
    size_t used = 0;

    if (list == NULL)
        return HWC_OK;
    if (!json_is_array(list))
        return hwc_object_fault(object, "alternatives", error, "must be a list");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *name = json_string_value(json_array_get(list, i));
        if (name == NULL || name[0] == '\0' || strchr(name, ' ') != NULL)
            return hwc_object_fault(object, "alternatives", error, "must be a list of names");
        if (used + strlen(name) + 2 > sizeof record->policies)
            return hwc_object_fault(object, "alternatives", error, "are too many");
        if (used > 0)
            record->policies[used++] = ' ';
        hwc_write(record->policies + used, sizeof record->policies - used, "%s", name);
        used += strlen(name);
    }
    finding->alternatives = record->policies;
    return HWC_OK;
}

static int take_known(struct hwc_object *object, const struct hwc_field *field, struct hwc_record *record,
                      struct hwc_finding *finding, struct hwc_error *error)
{
    finding->known = true;
    TRY(take_value(object, field->kind, finding, error));
    TRY(take_source(object, field, finding, error));
    TRY(take_counter(object, finding, error));
    if (field->kind == HWC_VALUE_WORD && record != NULL)
        TRY(take_alternatives(object, record, finding, error));
    return hwc_take_number(object, "nanoseconds", 0, DBL_MAX, 0, &finding->nanoseconds, error);
}

static int take_unknown(struct hwc_object *object, const struct hwc_field *field, struct hwc_finding *finding,
                        struct hwc_error *error)
{
    const char *kinds[HWC_WHYS] = {NULL};
    int kind;

    for (int why = HWC_WHY_NOT_SAID + 1; why < HWC_WHYS; why++)
        kinds[why - 1] = hwc_why_name((enum hwc_why)why);
    hwc_object_take(object, "value");
    TRY(hwc_take_choice(object, "kind", kinds, HWC_WHYS - 1, &kind, error));
    finding->why = kind < HWC_WHYS - 1 ? (enum hwc_why)(kind + 1) : HWC_WHY_NOT_SAID;
    TRY(hwc_take_text(object, "reason", true, finding->reason, sizeof finding->reason, error));
    return json_object_get(object->json, "low") != NULL ? take_source(object, field, finding, error) : HWC_OK;
}

static int take_interval(struct hwc_object *object, struct hwc_finding *finding, struct hwc_error *error)
{
    bool low = json_object_get(object->json, "low") != NULL, high = json_object_get(object->json, "high") != NULL;

    finding->has_interval = low || high;
    if (!finding->has_interval)
        return HWC_OK;
    TRY(hwc_take_number(object, "low", -DBL_MAX, DBL_MAX, -1, &finding->low, error));
    return hwc_take_number(object, "high", finding->low, DBL_MAX, -1, &finding->high, error);
}

static bool is_count(const json_t *json)
{
    return json_is_integer(json) && json_integer_value(json) >= 0 && json_integer_value(json) <= INT_MAX;
}

static int take_agreement(struct hwc_object *object, struct hwc_finding *finding, struct hwc_error *error)
{
    json_t *pair = hwc_object_take(object, "agreement");
    const json_t *alike = json_array_get(pair, 0), *votes = json_array_get(pair, 1);

    if (pair == NULL)
        return HWC_OK;
    if (json_array_size(pair) != 2 || !is_count(alike) || !is_count(votes) || json_integer_value(votes) == 0)
        return hwc_object_fault(object, "agreement", error, "must be two numbers of votes");
    finding->alike = (unsigned)json_integer_value(alike);
    finding->votes = (unsigned)json_integer_value(votes);
    return HWC_OK;
}

static int take_tally(struct hwc_object *object, struct hwc_round *round, struct hwc_error *error)
{
    json_t *values = hwc_object_take(object, "values");

    if (!json_is_array(values) || json_array_size(values) > HWC_ROUND_VALUES)
        return hwc_object_fault(object, "values", error, "must be a list of %d at most", HWC_ROUND_VALUES);
    for (; round->values < json_array_size(values); round->values++) {
        const json_t *pair = json_array_get(values, round->values);
        const json_t *value = json_array_get(pair, 0), *votes = json_array_get(pair, 1);
        if (json_array_size(pair) != 2 || !json_is_number(value) || !is_count(votes))
            return hwc_object_fault(object, "values", error, "must be pairs of a value and its votes");
        round->value[round->values].value = json_number_value(value);
        round->value[round->values].votes = (unsigned)json_integer_value(votes);
    }
    return HWC_OK;
}

static int take_round(json_t *json, const char *where, struct hwc_round *round, struct hwc_error *error)
{
    uint64_t cast, abstained, disturbed;
    struct hwc_object object;

    TRY(hwc_object_open(&object, json, where, error));
    TRY(hwc_take_integer(&object, "cast", 0, INT_MAX, -1, &cast, error));
    TRY(hwc_take_integer(&object, "abstained", 0, INT_MAX, -1, &abstained, error));
    TRY(hwc_take_integer(&object, "disturbed", 0, INT_MAX, -1, &disturbed, error));
    *round = (struct hwc_round){
        .cast = (unsigned)cast, .abstained = (unsigned)abstained, .disturbed = (unsigned)disturbed};
    TRY(take_tally(&object, round, error));
    return hwc_object_close(&object, error);
}

static int take_rounds(struct hwc_object *object, struct hwc_finding *finding, struct hwc_error *error)
{
    json_t *list = hwc_object_take(object, "rounds");
    char where[HWC_WHERE];

    if (list == NULL)
        return HWC_OK;
    if (!json_is_array(list) || json_array_size(list) > HWC_MOST_ROUNDS)
        return hwc_object_fault(object, "rounds", error, "must be a list of %d at most", HWC_MOST_ROUNDS);
    for (; finding->rounds < json_array_size(list); finding->rounds++) {
        hwc_write(where, sizeof where, "%s.rounds[%u]", object->where, finding->rounds);
        TRY(take_round(json_array_get(list, finding->rounds), where, &finding->round[finding->rounds], error));
    }
    return HWC_OK;
}

/* All of a finding but what a validation adds. */
static int take_plain(struct hwc_object *object, const struct hwc_field *field, struct hwc_record *record,
                      struct hwc_finding *finding, struct hwc_error *error)
{
    const json_t *value = json_object_get(object->json, "value");

    if (value == NULL)
        return hwc_object_fault(object, "value", error, "is missing");
    finding->asked = true;
    TRY(json_is_null(value) ? take_unknown(object, field, finding, error)
                            : take_known(object, field, record, finding, error));
    TRY(take_interval(object, finding, error));
    TRY(take_agreement(object, finding, error));
    TRY(take_rounds(object, finding, error));
    finding->has_documented = json_object_get(object->json, "documented") != NULL;
    TRY(hwc_take_number(object, "documented", -DBL_MAX, DBL_MAX, 0, &finding->documented, error));
    return hwc_take_number(object, "seconds", 0, MOST_SECONDS, -1, &finding->seconds, error);
}

/* A witness's answer: it has no alternatives of its own (validation.h). */
static int take_side(struct hwc_object *object, const char *key, const struct hwc_field *field,
                     struct hwc_finding *finding, struct hwc_error *error)
{
    json_t *json = hwc_object_take(object, key);
    struct hwc_object side;
    char where[HWC_WHERE];

    if (json == NULL)
        return hwc_object_fault(object, key, error, "is missing");
    hwc_write(where, sizeof where, "%s.%s", object->where, key);
    TRY(hwc_object_open(&side, json, where, error));
    TRY(take_plain(&side, field, NULL, finding, error));
    TRY(hwc_walks_read(&side, &finding->counted, error));
    return hwc_object_close(&side, error);
}

static int take_row(struct hwc_object *object, enum hwc_field_id id, const struct hwc_record *record,
                    struct hwc_validation *validation, struct hwc_error *error)
{
    const struct hwc_field *field = &hwc_fields[id];
    struct hwc_validated *row = &validation->row[validation->rows];

    if (validation->rows == HWC_MOST_VALIDATED)
        return hwc_object_fault(object, "verdict", error, "is one too many: there are %d at most", HWC_MOST_VALIDATED);
    validation->rows++;
    *row = (struct hwc_validated){.group = field->group, .level = record->level, .code = record->code,
                                  .large = record->large, .field = id};
    TRY(take_side(object, "counter", field, &row->counter, error));
    TRY(take_side(object, "clock", field, &row->clock, error));
    return hwc_verdict_read(object, &row->verdict, error);
}

int hwc_take_finding(struct hwc_object *object, enum hwc_field_id id, struct hwc_record *record,
                     struct hwc_validation *validation, struct hwc_error *error)
{
    const struct hwc_field *field = &hwc_fields[id];
    struct hwc_finding *found = &record->finding[id];
    json_t *json = hwc_object_take(object, field->key);
    struct hwc_object finding;
    char where[HWC_WHERE];

    if (json == NULL)
        return HWC_OK;
    hwc_write(where, sizeof where, "%s%s%s", object->where, object->where[0] != '\0' ? "." : "", field->key);
    TRY(hwc_object_open(&finding, json, where, error));
    TRY(take_plain(&finding, field, record, found, error));
    if (validation != NULL && json_object_get(json, "verdict") != NULL) {
        TRY(take_row(&finding, id, record, validation, error));
        if (found->event[0] != '\0')
            hwc_write(found->counter, sizeof found->counter, "%s",
                      validation->row[validation->rows - 1].counter.counter);
    }
    return hwc_object_close(&finding, error);
}
