#include "profile_schema.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "fields.h"

/* The parts of the schema that do not come from the table of fields, with ' in place of ". */
static const char top[] =
    "{'$schema': 'https://json-schema.org/draft/2020-12/schema',"
    " 'title': 'A hwchar profile: all findings of one machine',"
    " 'type': 'object',"
    " 'required': ['schema', 'tool', 'host', 'counters', 'caches', 'tlbs', 'memory', 'core', 'curves', 'notes'],"
    " 'additionalProperties': false,"
    " 'properties': {"
    "  'schema': {'const': 'hwchar-profile/1'},"
    "  'tool': {'type': 'object', 'required': ['name', 'version'], 'additionalProperties': false,"
    "   'properties': {'name': {'const': 'hwchar'}, 'version': {'type': 'string'}}},"
    "  'host': {'type': 'object', 'additionalProperties': false,"
    "   'required': ['name', 'arch', 'cpu_model', 'hypervisor', 'kernel', 'cpu', 'time'],"
    "   'properties': {"
    "    'name': {'type': 'string'}, 'arch': {'type': 'string'}, 'cpu_model': {'type': ['string', 'null']},"
    "    'hypervisor': {'type': ['string', 'null']}, 'kernel': {'type': 'string'},"
    "    'cpu': {'type': ['integer', 'null'], 'minimum': 0}, 'core_kind': {'type': 'string'},"
    "    'time': {'type': 'string', 'pattern':"
    "     '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}[+-][0-9]{2}:[0-9]{2}$'}}},"
    "  'counters': {'type': 'object', 'required': ['backend', 'reason', 'events'], 'additionalProperties': false,"
    "   'properties': {"
    "    'backend': {'enum': ['none', 'perf', 'papi', 'callgrind', 'simulated']},"
    "    'reason': {'type': ['string', 'null']},"
    "    'events': {'type': 'array', 'items': {'type': 'object', 'required': ['event', 'counter', 'status'],"
    "     'additionalProperties': false,"
    "     'properties': {"
    "      'event': {'type': 'string'}, 'counter': {'type': ['string', 'null']},"
    "      'backend': {'type': 'string', 'description': 'whose counter it is'},"
    "      'status': {'enum': ['absent', 'trusted', 'biased', 'rejected']}, 'quality': {'type': 'string'},"
    "      'overhead': {'type': 'number'}, 'expected': {'type': 'number'}, 'counted': {'type': 'number'},"
    "      'factor': {'type': 'number'}, 'reason': {'type': 'string'}}}}}}}}";

static const char below[] =
    "{'validation': {'type': 'object', 'required': ['counters', 'differences'], 'additionalProperties': false,"
    "   'description': 'counters, clock and documents held against each other; of one finding: its verdict',"
    "   'properties': {"
    "    'counters': {'type': 'boolean', 'description': 'there were some'},"
    "    'differences': {'type': 'array', 'items': {'type': 'object', 'required': ['of', 'cause', 'supports', 'why'],"
    "     'additionalProperties': false, 'properties': {"
    "      'of': {'type': 'string', 'description': 'a level, an event, memory or the clock'},"
    "      'cause': {'enum': ['witnesses', 'documentation', 'partition', 'no_such_level', 'undocumented_level',"
    "       'miscounts', 'counts_prefetches', 'counts_nothing', 'counts_other_level', 'broken_pages',"
    "       'clock_frequency']},"
    "      'supports': {'$ref': '#/$defs/supports'}, 'why': {'type': 'string'}}}}}},"
    " 'curves': {'type': 'array', 'items': {'type': 'object', 'required': ['name', 'type', 'x', 'series'],"
    "   'additionalProperties': false, 'description': 'what was measured over one quantity', 'properties': {"
    "    'name': {'type': 'string', 'description': 'of the probe'},"
    "    'type': {'type': 'string', 'description': 'of its references'},"
    "    'x': {'type': 'object', 'required': ['name', 'unit'], 'additionalProperties': false,"
    "     'properties': {'name': {'type': 'string'}, 'unit': {'type': 'string'}}},"
    "    'series': {'type': 'array', 'items': {'type': 'object', 'required': ['name', 'unit', 'points'],"
    "     'additionalProperties': false, 'properties': {"
    "      'name': {'type': 'string'}, 'unit': {'type': 'string'}, 'witness': {'enum': ['counter', 'clock']},"
    "      'how': {'type': 'string', 'description': 'the native counter, or how it follows from the time'},"
    "      'points': {'type': 'array', 'description': 'pairs of x and value',"
    "       'items': {'type': 'array', 'items': {'type': 'number'}, 'minItems': 2, 'maxItems': 2}}}}},"
    "    'read_off': {'type': 'array', 'description': 'what the curve says of the machine', 'items': {"
    "     'type': 'object', 'required': ['name', 'unit', 'value'], 'additionalProperties': false, 'properties': {"
    "      'name': {'type': 'string'}, 'unit': {'type': 'string'}, 'value': {'type': ['number', 'null']},"
    "      'series': {'type': 'string', 'description': 'that says it'},"
    "      'low': {'type': 'number'}, 'high': {'type': 'number', 'description': 'it lies between the two'},"
    "      'at': {'type': 'number', 'description': 'where on x it shows'},"
    "      'reason': {'type': 'string', 'description': 'why there is no value'}}}}}}},"
    " 'matrices': {'type': 'array', 'description': 'what was measured of pairs', 'items': {'type': 'object',"
    "   'required': ['name', 'what', 'unit', 'of', 'labels', 'rows'], 'additionalProperties': false, 'properties': {"
    "    'name': {'type': 'string'}, 'what': {'type': 'string', 'description': 'that a value says'},"
    "    'unit': {'type': 'string'}, 'of': {'type': 'string', 'description': 'what is paired'},"
    "    'labels': {'type': 'array', 'items': {'type': 'string'}, 'description': 'of rows and columns'},"
    "    'rows': {'$ref': '#/$defs/rows'}, 'least': {'$ref': '#/$defs/rows'},"
    "    'documented': {'$ref': '#/$defs/rows'}}}},"
    " 'notes': {'type': 'array', 'items': {'type': 'string'}}}";

static const char definitions[] =
    "{'rows': {'type': 'array', 'description': 'null: it was not measured, or nothing was learnt', 'items': {"
    "  'type': 'array', 'items': {'type': ['number', 'null']}}},"
    " 'supports': {'enum': ['counter', 'clock', 'documented', null], 'description': 'whom the evidence supports'},"
    " 'finding': {'type': 'object', 'required': ['value'], 'properties': {"
    "   'unit': {'type': 'string'}, 'witness': {'enum': ['counter', 'clock', 'system']},"
    "   'event': {'type': 'string'},"
    "   'counter': {'anyOf': [{'type': 'string'}, {'$ref': '#/$defs/finding'}],"
    "    'description': 'the native counter; of a validated finding, what the counters answered'},"
    "   'clock': {'$ref': '#/$defs/finding', 'description': 'of a validated finding: what the clock answered'},"
    "   'walks': {'type': 'object', 'additionalProperties': false,"
    "    'required': ['event', 'fit', 'fit_missed', 'more', 'more_missed', 'bears_out'],"
    "    'description': 'of the clock: what an event counted in its own walks, over what fits and over more',"
    "    'properties': {'event': {'type': 'string'},"
    "     'fit': {'type': 'number', 'description': 'so many lines or pages fit'},"
    "     'fit_missed': {'type': 'number', 'description': 'the misses of each of them in a pass'},"
    "     'more': {'type': 'number', 'description': 'so many are too many'},"
    "     'more_missed': {'type': 'number'},"
    "     'bears_out': {'type': 'boolean', 'description': 'the counts say what the clock does'}}},"
    "   'verdict': {'type': 'object', 'required': ['says', 'supports', 'why'], 'additionalProperties': false,"
    "    'description': 'on the answers of both, and what is documented', 'properties': {"
    "     'says': {'enum': ['agree', 'differ', 'undecided']}, 'supports': {'$ref': '#/$defs/supports'},"
    "     'why': {'type': 'string'}}},"
    "   'alternatives': {'type': 'array', 'items': {'type': 'string'},"
    "    'description': 'other names that nothing tells from the value'},"
    "   'low': {'type': 'number', 'description': 'it lies from here'},"
    "   'high': {'type': 'number', 'description': 'to here'},"
    "   'agreement': {'type': 'array', 'items': {'type': 'integer', 'minimum': 0}, 'minItems': 2, 'maxItems': 2,"
    "    'description': 'votes alike, and votes'},"
    "   'rounds': {'type': 'array', 'items': {'type': 'object',"
    "    'required': ['cast', 'abstained', 'disturbed', 'values'], 'additionalProperties': false, 'properties': {"
    "     'cast': {'type': 'integer', 'minimum': 0}, 'abstained': {'type': 'integer', 'minimum': 0},"
    "     'disturbed': {'type': 'integer', 'minimum': 0, 'description': 'samples thrown away meanwhile'},"
    "     'values': {'type': 'array', 'description': 'the most common, and how many votes each had; of words none',"
    "      'items': {'type': 'array', 'items': {'type': 'number'}, 'minItems': 2, 'maxItems': 2}}}},"
    "    'description': 'of the vote, as they were'},"
    "   'documented': {'type': 'number'}, 'nanoseconds': {'type': 'number'}, 'seconds': {'type': 'number'},"
    "   'kind': {'enum': ['unavailable', 'inconclusive', 'undecided', 'depends', 'nothing'],"
    "    'description': 'of the reason: it cannot be asked here; the evidence is not there; the votes disagree;"
    " it hangs on another finding; there is no such thing'},"
    "   'reason': {'type': 'string'}, 'value': {}},"
    "  'additionalProperties': false,"
    "  'dependentRequired': {'low': ['high'], 'high': ['low']},"
    "  'if': {'properties': {'value': {'type': 'null'}}}, 'then': {'required': ['reason']},"
    "  'else': {'required': ['unit', 'witness']}},"
    " 'bytes': {'$ref': '#/$defs/finding', 'properties': {'value': {'type': ['integer', 'null'], 'minimum': 0}}},"
    " 'count': {'$ref': '#/$defs/finding', 'properties': {'value': {'type': ['integer', 'null'], 'minimum': 0}}},"
    " 'cycles': {'$ref': '#/$defs/finding', 'properties': {'value': {'type': ['number', 'null']}}},"
    " 'rate': {'$ref': '#/$defs/finding', 'properties': {'value': {'type': ['number', 'null'], 'minimum': 0}}},"
    " 'boolean': {'$ref': '#/$defs/finding', 'properties': {'value': {'type': ['boolean', 'null']}}},"
    " 'word': {'$ref': '#/$defs/finding', 'properties': {'value': {'type': ['string', 'null']}}}}";

static const char level[] = "{'level': {'type': 'integer', 'minimum': 1}}";
static const char instruction[] = "{'name': {'type': 'string'}, 'type': {'type': 'string'}}";
static const char cache_level[] = "{'level': {'type': 'integer', 'minimum': 1},"
                                  " 'kind': {'enum': ['data', 'instruction']}}";
static const char tlb_level[] = "{'level': {'type': 'integer', 'minimum': 1},"
                                " 'kind': {'enum': ['data', 'instruction']},"
                                " 'large_pages': {'type': 'boolean', 'description':"
                                " 'of pages that were asked for as large ones'}}";

static json_t *parse(const char *text)
{
    char *copy = strdup(text);
    json_t *json;

    if (copy == NULL)
        return NULL;
    for (char *c = copy; *c != '\0'; c++)
        if (*c == '\'')
            *c = '"';
    json = json_loads(copy, 0, NULL);
    free(copy);
    return json;
}

/* The object of properties for a key, and the key in it: "registers.int" is "int" of "registers". */
static json_t *properties_for(json_t *properties, const char **key)
{
    size_t outer = strcspn(*key, ".");
    char name[32];

    if ((*key)[outer] == '\0')
        return properties;
    hwc_write(name, sizeof name, "%.*s", (int)outer, *key);
    *key += outer + 1;
    if (json_object_get(properties, name) == NULL)
        json_object_set_new(properties, name, json_pack("{s:s, s:b, s:{}}", "type", "object", "additionalProperties", 0,
                                                        "properties"));
    return json_object_get(json_object_get(properties, name), "properties");
}

static void add_fields(json_t *properties, enum hwc_group group)
{
    static const char *const kinds[] = {[HWC_VALUE_BYTES] = "bytes",
                                        [HWC_VALUE_COUNT] = "count",
                                        [HWC_VALUE_CYCLES] = "cycles",
                                        [HWC_VALUE_RATE] = "rate",
                                        [HWC_VALUE_FREQUENCY] = "rate",
                                        [HWC_VALUE_BOOLEAN] = "boolean",
                                        [HWC_VALUE_WORD] = "word"};

    HWC_EACH_FIELD(id, group) {
        const struct hwc_field *field = &hwc_fields[id];
        const char *key = field->key;
        json_t *into = properties_for(properties, &key);
        char reference[32];
        hwc_write(reference, sizeof reference, "#/$defs/%s", kinds[field->kind]);
        json_object_set_new(into, key,
                            json_pack("{s:s, s:s, s:{s:{s:s}}}", "$ref", reference, "title", field->label, "properties",
                                      "unit", "const", field->unit));
    }
}

/* An object with these properties and no others. Takes ownership of both arguments. */
static json_t *object(json_t *properties, json_t *required)
{
    return json_pack("{s:s, s:o, s:b, s:o}", "type", "object", "required", required, "additionalProperties", 0,
                     "properties", properties);
}

static json_t *list(json_t *items)
{
    return json_pack("{s:s, s:o}", "type", "array", "items", items);
}

static json_t *caches(void)
{
    json_t *properties = parse(cache_level);

    add_fields(properties, HWC_OF_CACHE);
    add_fields(properties, HWC_OF_CODE_CACHE);
    return list(object(properties, json_pack("[s, s]", "level", "kind")));
}

static json_t *tlbs(void)
{
    json_t *properties = parse(tlb_level);

    add_fields(properties, HWC_OF_TLB);
    return list(object(properties, json_pack("[s, s]", "level", "kind")));
}

static json_t *memory(void)
{
    json_t *properties = json_object();

    add_fields(properties, HWC_OF_MEMORY);
    return object(properties, json_array());
}

static json_t *core(void)
{
    json_t *properties = json_object(), *btb = parse(level), *operation = parse(instruction);

    add_fields(btb, HWC_OF_BTB);
    add_fields(properties, HWC_OF_CORE);
    add_fields(operation, HWC_OF_INSTRUCTION);
    json_object_set_new(properties, "instructions", list(object(operation, json_pack("[s, s]", "name", "type"))));
    json_object_set_new(properties, "btb", list(object(btb, json_pack("[s]", "level"))));
    return object(properties, json_array());
}

static int set(json_t *object_json, const char *key, json_t *value, struct hwc_error *error)
{
    if (json_object_set_new(object_json, key, value) != 0)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory for the schema's \"%s\"", key);
    return HWC_OK;
}

static int complete(json_t *schema, struct hwc_error *error)
{
    json_t *properties = json_object_get(schema, "properties"), *last;
    int failed;

    TRY(set(properties, "caches", caches(), error));
    TRY(set(properties, "tlbs", tlbs(), error));
    TRY(set(properties, "memory", memory(), error));
    TRY(set(properties, "core", core(), error));
    last = parse(below);
    failed = json_object_update(properties, last);
    json_decref(last);
    if (failed != 0)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory for the schema");
    return set(schema, "$defs", parse(definitions), error);
}

int hwc_profile_write_schema(FILE *stream, struct hwc_error *error)
{
    json_t *schema = parse(top);
    int status = complete(schema, error);

    if (status == HWC_OK && (json_dumpf(schema, stream, JSON_INDENT(2)) != 0 || fputc('\n', stream) == EOF))
        status = hwc_fail(error, HWC_SYSTEM, "the schema could not be written");
    json_decref(schema);
    return status;
}
