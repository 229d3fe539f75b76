/* A JSON tree in the making. */
#ifndef HWC_JSON_WRITER_H
#define HWC_JSON_WRITER_H

#include <jansson.h>

/* Remembers the first value that could not be added to the tree: no memory, or no JSON value (not finite). */
struct hwc_json_writer {
    const char *fault; /* its key; NULL = none */
};

/* Both take ownership of the value. `of`: the key to remember. */
void hwc_json_set(struct hwc_json_writer *writer, json_t *object, const char *key, json_t *value);
void hwc_json_append(struct hwc_json_writer *writer, json_t *list, const char *of, json_t *value);

/* Text. What comes from outside may not be UTF-8: its bytes beyond ASCII are then replaced by question marks. */
json_t *hwc_json_words(const char *text);

/* Whole numbers without a fraction. NULL if the value is not finite. */
json_t *hwc_json_number(double value);

#endif
