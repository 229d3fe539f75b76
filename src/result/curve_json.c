#include "curve_json.h"

#include <float.h>

#include "finding_read.h"
#include "strict_json.h"

static json_t *axis_json(const struct hwc_axis *axis)
{
    return json_pack("{s:s, s:s}", "name", axis->name, "unit", axis->unit);
}

/* A pair of numbers: where, and what. */
static json_t *point_json(const struct hwc_point *point)
{
    return json_pack("[o, o]", hwc_json_number(point->at), hwc_json_number(point->value));
}

static void set_text(struct hwc_json_writer *writer, json_t *json, const char *key, const char *text)
{
    if (text[0] != '\0')
        hwc_json_set(writer, json, key, json_string(text));
}

static json_t *series_json(struct hwc_json_writer *writer, const struct hwc_series *series)
{
    json_t *json = axis_json(&series->axis), *points = json_array();

    if (series->witness != HWC_NO_WITNESS)
        set_text(writer, json, "witness", hwc_witness_name(series->witness));
    set_text(writer, json, "how", series->how);
    for (size_t i = 0; i < series->points; i++)
        hwc_json_append(writer, points, "curves", point_json(&series->point[i]));
    hwc_json_set(writer, json, "points", points);
    return json;
}

static json_t *read_off_json(struct hwc_json_writer *writer, const struct hwc_read_off *read_off)
{
    json_t *json = axis_json(&read_off->axis);

    set_text(writer, json, "series", read_off->series);
    hwc_json_set(writer, json, "value", read_off->known ? hwc_json_number(read_off->value) : json_null());
    if (read_off->has_interval) {
        hwc_json_set(writer, json, "low", hwc_json_number(read_off->low));
        hwc_json_set(writer, json, "high", hwc_json_number(read_off->high));
    }
    if (read_off->shows)
        hwc_json_set(writer, json, "at", hwc_json_number(read_off->at));
    if (!read_off->known)
        hwc_json_set(writer, json, "reason", json_string(read_off->reason));
    return json;
}

static json_t *curve_json(struct hwc_json_writer *writer, const struct hwc_curve *curve)
{
    json_t *json = json_pack("{s:s, s:s}", "name", curve->name, "type", curve->type);
    json_t *series = json_array(), *read_off = json_array();

    for (size_t i = 0; i < curve->count; i++)
        hwc_json_append(writer, series, "curves", series_json(writer, curve->series[i]));
    for (size_t i = 0; i < curve->read; i++)
        hwc_json_append(writer, read_off, "curves", read_off_json(writer, &curve->read_off[i]));
    hwc_json_set(writer, json, "x", axis_json(&curve->x));
    hwc_json_set(writer, json, "series", series);
    hwc_json_set(writer, json, "read_off", read_off);
    return json;
}

json_t *hwc_curves_json(struct hwc_json_writer *writer, const struct hwc_curves *curves)
{
    json_t *list = json_array();

    for (size_t i = 0; i < curves->count; i++)
        hwc_json_append(writer, list, "curves", curve_json(writer, curves->curve[i]));
    return list;
}

static int take_axis(struct hwc_object *object, struct hwc_axis *axis, struct hwc_error *error)
{
    TRY(hwc_take_text(object, "name", true, axis->name, sizeof axis->name, error));
    return hwc_take_text(object, "unit", true, axis->unit, sizeof axis->unit, error);
}

static int take_points(struct hwc_object *object, struct hwc_series *series, struct hwc_error *error)
{
    json_t *points = hwc_object_take(object, "points");

    if (!json_is_array(points))
        return hwc_object_fault(object, "points", error, "must be a list");
    for (size_t i = 0; i < json_array_size(points); i++) {
        const json_t *point = json_array_get(points, i);
        const json_t *at = json_array_get(point, 0), *value = json_array_get(point, 1);
        if (json_array_size(point) != 2 || !json_is_number(at) || !json_is_number(value))
            return hwc_object_fault(object, "points", error, "must be pairs of numbers");
        TRY(hwc_point_add(series, json_number_value(at), json_number_value(value), error));
    }
    return HWC_OK;
}

static int take_witness(struct hwc_object *object, enum hwc_witness_kind *kind, struct hwc_error *error)
{
    static const enum hwc_witness_kind kinds[] = {HWC_COUNTER, HWC_CLOCK, HWC_NO_WITNESS};
    static const char *const names[] = {"counter", "clock", NULL};
    int choice;

    TRY(hwc_take_choice(object, "witness", names, 2, &choice, error));
    *kind = kinds[choice];
    return HWC_OK;
}

static int read_series(json_t *json, const char *where, struct hwc_curve *curve, struct hwc_error *error)
{
    struct hwc_object object;
    struct hwc_series *series;

    TRY(hwc_object_open(&object, json, where, error));
    TRY(hwc_series_add(curve, "", "", &series, error));
    TRY(take_axis(&object, &series->axis, error));
    TRY(take_witness(&object, &series->witness, error));
    TRY(hwc_take_text(&object, "how", false, series->how, sizeof series->how, error));
    TRY(take_points(&object, series, error));
    return hwc_object_close(&object, error);
}

static int take_value(struct hwc_object *object, struct hwc_read_off *read_off, struct hwc_error *error)
{
    const json_t *value = json_object_get(object->json, "value");

    read_off->known = !json_is_null(value);
    if (read_off->known)
        return hwc_take_number(object, "value", -DBL_MAX, DBL_MAX, -1, &read_off->value, error);
    hwc_object_take(object, "value");
    return hwc_take_text(object, "reason", true, read_off->reason, sizeof read_off->reason, error);
}

static int take_interval(struct hwc_object *object, struct hwc_read_off *read_off, struct hwc_error *error)
{
    read_off->has_interval =
        json_object_get(object->json, "low") != NULL || json_object_get(object->json, "high") != NULL;
    if (!read_off->has_interval)
        return HWC_OK;
    TRY(hwc_take_number(object, "low", -DBL_MAX, DBL_MAX, -1, &read_off->low, error));
    return hwc_take_number(object, "high", read_off->low, DBL_MAX, -1, &read_off->high, error);
}

static int read_read_off(json_t *json, const char *where, struct hwc_curve *curve, struct hwc_error *error)
{
    struct hwc_read_off read_off = {0};
    struct hwc_object object;

    TRY(hwc_object_open(&object, json, where, error));
    TRY(take_axis(&object, &read_off.axis, error));
    TRY(hwc_take_text(&object, "series", false, read_off.series, sizeof read_off.series, error));
    TRY(take_value(&object, &read_off, error));
    TRY(take_interval(&object, &read_off, error));
    read_off.shows = json_object_get(object.json, "at") != NULL;
    TRY(hwc_take_number(&object, "at", -DBL_MAX, DBL_MAX, 0, &read_off.at, error));
    TRY(hwc_object_close(&object, error));
    return hwc_read_off_add(curve, &read_off, error);
}

static int take_x(struct hwc_object *curve, struct hwc_axis *x, struct hwc_error *error)
{
    struct hwc_object object;
    char place[HWC_WHERE];

    hwc_write(place, sizeof place, "%s.x", curve->where);
    TRY(hwc_object_open(&object, hwc_object_take(curve, "x"), place, error));
    TRY(take_axis(&object, x, error));
    return hwc_object_close(&object, error);
}

static int take_list(struct hwc_object *object, const char *key,
                     int (*read)(json_t *, const char *, struct hwc_curve *, struct hwc_error *),
                     struct hwc_curve *curve, struct hwc_error *error)
{
    json_t *list = hwc_object_take(object, key);
    char where[HWC_WHERE];

    if (!json_is_array(list))
        return hwc_object_fault(object, key, error, "must be a list");
    for (size_t i = 0; i < json_array_size(list); i++) {
        hwc_write(where, sizeof where, "%s.%s[%zu]", object->where, key, i);
        TRY(read(json_array_get(list, i), where, curve, error));
    }
    return HWC_OK;
}

static int read_curve(json_t *json, const char *where, struct hwc_curves *curves, struct hwc_error *error)
{
    struct hwc_object object;
    struct hwc_curve *curve;

    TRY(hwc_object_open(&object, json, where, error));
    TRY(hwc_curve_add(curves, "", "", "", "", &curve, error));
    TRY(hwc_take_text(&object, "name", true, curve->name, sizeof curve->name, error));
    TRY(hwc_take_text(&object, "type", true, curve->type, sizeof curve->type, error));
    TRY(take_x(&object, &curve->x, error));
    TRY(take_list(&object, "series", read_series, curve, error));
    if (json_object_get(json, "read_off") != NULL)
        TRY(take_list(&object, "read_off", read_read_off, curve, error));
    return hwc_object_close(&object, error);
}

int hwc_curves_read(json_t *list, struct hwc_curves *curves, struct hwc_error *error)
{
    char where[HWC_WHERE];

    for (size_t i = 0; i < json_array_size(list); i++) {
        hwc_write(where, sizeof where, "curves[%zu]", i);
        TRY(read_curve(json_array_get(list, i), where, curves, error));
    }
    return HWC_OK;
}
