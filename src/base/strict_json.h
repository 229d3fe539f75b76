/* Strict reading of a JSON object: the reader takes every key that it knows, and
 * any key left over is an error. Every error names its key and its place. */
#ifndef HWC_STRICT_JSON_H
#define HWC_STRICT_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "error.h"

enum { HWC_OBJECT_KEYS = 128 };
enum { HWC_WHERE = 128 };

struct hwc_object {
    json_t *json;    /* borrowed */
    char where[HWC_WHERE]; /* "caches[1]" */
    unsigned taken;
    const char *key[HWC_OBJECT_KEYS];
};

/* Read a file; no key may come twice. The caller frees *json. HWC_BAD_INPUT with what is wrong, and where in it. */
int hwc_json_load(const char *path, json_t **json, struct hwc_error *error);

int hwc_object_open(struct hwc_object *object, json_t *json, const char *where, struct hwc_error *error);

/* The value of a key, or NULL. Marks the key as known. */
json_t *hwc_object_take(struct hwc_object *object, const char *key);

/* Fail with HWC_BAD_INPUT, naming the key and its place. */
int hwc_object_fault(const struct hwc_object *object, const char *key, struct hwc_error *error, const char *format,
                     ...) __attribute__((format(printf, 4, 5)));

/* Integers and numbers within [low, high]; `fallback` < 0 makes the key required. */
int hwc_take_integer(struct hwc_object *object, const char *key, int64_t low, int64_t high, int64_t fallback,
                     uint64_t *value, struct hwc_error *error);
int hwc_take_number(struct hwc_object *object, const char *key, double low, double high, double fallback,
                    double *value, struct hwc_error *error);
int hwc_take_boolean(struct hwc_object *object, const char *key, bool fallback, bool *value,
                     struct hwc_error *error);

/* A string; NULL where absent and not required. Borrowed from the JSON. */
int hwc_take_string(struct hwc_object *object, const char *key, bool required, const char **value,
                    struct hwc_error *error);

/* An integer that may be negative; it may not be missing. */
int hwc_take_signed(struct hwc_object *object, const char *key, int32_t low, int32_t high, int32_t *value,
                    struct hwc_error *error);

/* A list of so many integers within [low, high]; it may not be missing. */
int hwc_take_integers(struct hwc_object *object, const char *key, size_t count, int32_t low, int32_t high,
                      int32_t *values, struct hwc_error *error);

/* The same of a list that was taken: `key` names it. */
int hwc_read_integers(const struct hwc_object *object, const char *key, const json_t *list, size_t count, int32_t low,
                      int32_t high, int32_t *values, struct hwc_error *error);

/* One of `choices` (ends with NULL); `fallback` < 0 makes the key required. */
int hwc_take_choice(struct hwc_object *object, const char *key, const char *const *choices, int fallback, int *value,
                    struct hwc_error *error);

/* Fail if a key of the object was never taken. */
int hwc_object_close(const struct hwc_object *object, struct hwc_error *error);

#endif
