#include "strict_json.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FILE_BYTES (16 << 20)

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

int hwc_json_load(const char *path, json_t **json, struct hwc_error *error)
{
    char *text = NULL;
    size_t length = 0;
    json_error_t fault;
    int status = read_text(path, &text, &length, error);

    *json = NULL;
    if (status == HWC_OK) {
        *json = json_loadb(text, length, JSON_REJECT_DUPLICATES, &fault);
        if (*json == NULL)
            status = hwc_fail(error, HWC_BAD_INPUT, "line %d, column %d: %.200s", fault.line, fault.column, fault.text);
    }
    free(text);
    return status;
}

int hwc_object_open(struct hwc_object *object, json_t *json, const char *where, struct hwc_error *error)
{
    *object = (struct hwc_object){.json = json};
    snprintf(object->where, sizeof object->where, "%s", where);
    if (!json_is_object(json))
        return hwc_fail(error, HWC_BAD_INPUT, "%s: must be an object", where[0] != '\0' ? where : "top level");
    return HWC_OK;
}

json_t *hwc_object_take(struct hwc_object *object, const char *key)
{
    if (object->taken < HWC_OBJECT_KEYS)
        object->key[object->taken++] = key;
    return json_object_get(object->json, key);
}

int hwc_object_fault(const struct hwc_object *object, const char *key, struct hwc_error *error, const char *format, ...)
{
    char what[HWC_MESSAGE];
    va_list arguments;

    va_start(arguments, format);
    hwc_write_list(what, sizeof what, format, arguments);
    va_end(arguments);
    return hwc_fail(error, HWC_BAD_INPUT, "%s%s%s: %s", object->where, object->where[0] != '\0' ? "." : "", key, what);
}

int hwc_take_integer(struct hwc_object *object, const char *key, int64_t low, int64_t high, int64_t fallback,
                     uint64_t *value, struct hwc_error *error)
{
    json_t *json = hwc_object_take(object, key);
    json_int_t number;

    if (json == NULL) {
        if (fallback < 0)
            return hwc_object_fault(object, key, error, "is missing");
        *value = (uint64_t)fallback;
        return HWC_OK;
    }
    if (!json_is_integer(json))
        return hwc_object_fault(object, key, error, "must be an integer");
    number = json_integer_value(json);
    if (number < low || number > high)
        return hwc_object_fault(object, key, error, "is %lld, must be from %lld to %lld", (long long)number,
                                (long long)low, (long long)high);
    *value = (uint64_t)number;
    return HWC_OK;
}

int hwc_take_number(struct hwc_object *object, const char *key, double low, double high, double fallback,
                    double *value, struct hwc_error *error)
{
    json_t *json = hwc_object_take(object, key);

    if (json == NULL) {
        if (fallback < 0)
            return hwc_object_fault(object, key, error, "is missing");
        *value = fallback;
        return HWC_OK;
    }
    if (!json_is_number(json))
        return hwc_object_fault(object, key, error, "must be a number");
    *value = json_number_value(json);
    if (!isfinite(*value) || *value < low || *value > high)
        return hwc_object_fault(object, key, error, "is %g, must be from %g to %g", *value, low, high);
    return HWC_OK;
}

int hwc_take_boolean(struct hwc_object *object, const char *key, bool fallback, bool *value, struct hwc_error *error)
{
    json_t *json = hwc_object_take(object, key);

    *value = json != NULL ? json_is_true(json) : fallback;
    if (json != NULL && !json_is_boolean(json))
        return hwc_object_fault(object, key, error, "must be true or false");
    return HWC_OK;
}

int hwc_take_string(struct hwc_object *object, const char *key, bool required, const char **value,
                    struct hwc_error *error)
{
    json_t *json = hwc_object_take(object, key);

    *value = json_string_value(json);
    if (json == NULL && required)
        return hwc_object_fault(object, key, error, "is missing");
    if (json != NULL && *value == NULL)
        return hwc_object_fault(object, key, error, "must be a string");
    return HWC_OK;
}

int hwc_take_signed(struct hwc_object *object, const char *key, int32_t low, int32_t high, int32_t *value,
                    struct hwc_error *error)
{
    const json_t *json = hwc_object_take(object, key);
    json_int_t number = json_integer_value(json);

    if (json == NULL)
        return hwc_object_fault(object, key, error, "is missing");
    if (!json_is_integer(json) || number < low || number > high)
        return hwc_object_fault(object, key, error, "must be an integer from %ld to %ld", (long)low, (long)high);
    *value = (int32_t)number;
    return HWC_OK;
}

int hwc_read_integers(const struct hwc_object *object, const char *key, const json_t *list, size_t count, int32_t low,
                      int32_t high, int32_t *values, struct hwc_error *error)
{
    if (!json_is_array(list) || json_array_size(list) != count)
        return hwc_object_fault(object, key, error, "must be a list of %zu integers", count);
    for (size_t i = 0; i < count; i++) {
        const json_t *item = json_array_get(list, i);
        json_int_t value = json_integer_value(item);
        if (!json_is_integer(item) || value < low || value > high)
            return hwc_object_fault(object, key, error, "number %zu must be an integer from %ld to %ld", i + 1,
                                    (long)low, (long)high);
        values[i] = (int32_t)value;
    }
    return HWC_OK;
}

int hwc_take_integers(struct hwc_object *object, const char *key, size_t count, int32_t low, int32_t high,
                      int32_t *values, struct hwc_error *error)
{
    return hwc_read_integers(object, key, hwc_object_take(object, key), count, low, high, values, error);
}

int hwc_take_choice(struct hwc_object *object, const char *key, const char *const *choices, int fallback, int *value,
                    struct hwc_error *error)
{
    const char *text;
    char list[256] = "";
    int status = hwc_take_string(object, key, fallback < 0, &text, error);

    if (status != HWC_OK)
        return status;
    *value = fallback;
    if (text == NULL)
        return HWC_OK;
    for (int i = 0; choices[i] != NULL; i++) {
        if (strcmp(text, choices[i]) == 0) {
            *value = i;
            return HWC_OK;
        }
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i > 0 ? ", " : "", choices[i]);
    }
    return hwc_object_fault(object, key, error, "\"%.40s\" is none of %s", text, list);
}

int hwc_object_close(const struct hwc_object *object, struct hwc_error *error)
{
    const char *key;
    json_t *value;

    json_object_foreach(object->json, key, value)
    {
        unsigned i = 0;
        while (i < object->taken && strcmp(key, object->key[i]) != 0)
            i++;
        if (i == object->taken)
            return hwc_fail(error, HWC_BAD_INPUT, "%s%sunknown key \"%.60s\"", object->where,
                            object->where[0] != '\0' ? ": " : "", key);
    }
    return HWC_OK;
}
