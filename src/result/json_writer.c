#include "json_writer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void hwc_json_set(struct hwc_json_writer *writer, json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, value) != 0 && writer->fault == NULL)
        writer->fault = key;
}

void hwc_json_append(struct hwc_json_writer *writer, json_t *list, const char *of, json_t *value)
{
    if (json_array_append_new(list, value) != 0 && writer->fault == NULL)
        writer->fault = of;
}

json_t *hwc_json_number(double value)
{
    if (value == floor(value) && fabs(value) < 9e15)
        return json_integer((json_int_t)value);
    return json_real(value);
}

json_t *hwc_json_words(const char *text)
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
