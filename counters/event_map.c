#include "event_map.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

int ctr_event_map_add(struct ctr_event_map *map, enum hwc_event event, const char *native, struct hwc_error *error)
{
    struct ctr_mapping *mapping = &map->mapping[map->count];

    if (map->count == CTR_MAX_MAPPINGS)
        return hwc_fail(error, HWC_BAD_INPUT, "more than %d native counters are named", CTR_MAX_MAPPINGS);
    if (native[0] == '\0' || strlen(native) >= sizeof mapping->native)
        return hwc_fail(error, HWC_BAD_INPUT, "%s: the native counter's name is empty or too long",
                        hwc_event_name(event));
    mapping->event = event;
    snprintf(mapping->native, sizeof mapping->native, "%s", native);
    map->count++;
    return HWC_OK;
}

static int add_entry(struct ctr_event_map *map, const char *name, json_t *natives, struct hwc_error *error)
{
    enum hwc_event event = hwc_event_by_name(name);
    size_t i;
    json_t *native;

    if (event == HWC_NO_EVENT)
        return hwc_fail(error, HWC_BAD_INPUT, "events: unknown event \"%.60s\"", name);
    if (json_is_string(natives))
        return ctr_event_map_add(map, event, json_string_value(natives), error);
    if (!json_is_array(natives))
        return hwc_fail(error, HWC_BAD_INPUT, "events.%.60s: must be a native counter's name or a list of them", name);
    json_array_foreach(natives, i, native)
    {
        int status;
        if (!json_is_string(native))
            return hwc_fail(error, HWC_BAD_INPUT, "events.%.60s[%zu]: must be a string", name, i);
        status = ctr_event_map_add(map, event, json_string_value(native), error);
        if (status != HWC_OK)
            return status;
    }
    return HWC_OK;
}

static int add_all(struct ctr_event_map *map, json_t *root, struct hwc_error *error)
{
    json_t *events = json_object_get(root, "events");
    const char *schema = json_string_value(json_object_get(root, "schema"));
    const char *key;
    json_t *value;

    if (schema == NULL || strcmp(schema, "hwchar-events/1") != 0)
        return hwc_fail(error, HWC_BAD_INPUT, "schema: must be \"hwchar-events/1\"");
    if (!json_is_object(events))
        return hwc_fail(error, HWC_BAD_INPUT, "events: must be an object");
    json_object_foreach(root, key, value)
        if (strcmp(key, "schema") != 0 && strcmp(key, "events") != 0)
            return hwc_fail(error, HWC_BAD_INPUT, "unknown key \"%.60s\"", key);
    json_object_foreach(events, key, value)
    {
        int status = add_entry(map, key, value, error);
        if (status != HWC_OK)
            return status;
    }
    return HWC_OK;
}

int ctr_event_map_read(struct ctr_event_map *map, const char *path, struct hwc_error *error)
{
    json_error_t fault;
    json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &fault);
    int status;

    if (root == NULL && fault.line < 0)
        return hwc_fail(error, HWC_BAD_INPUT, "%s: %.200s", path, fault.text);
    if (root == NULL)
        return hwc_fail(error, HWC_BAD_INPUT, "%s: line %d, column %d: %.200s", path, fault.line, fault.column,
                        fault.text);
    status = add_all(map, root, error);
    if (status != HWC_OK)
        hwc_context(error, "%s", path);
    json_decref(root);
    return status;
}
