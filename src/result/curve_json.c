#include "curve_json.h"

#include <stdio.h>

#include "finding_read.h"
#include "strict_json.h"

static json_t *axis_json(const struct hwc_axis *axis)
{
    return json_pack("{s:s, s:s}", "name", axis->name, "unit", axis->unit);
}

/* A pair of numbers: where, and what. */
static json_t *point_json(const struct hwc_series *series, size_t i)
{
    return json_pack("[o, o]", hwc_json_number(series->at[i]), hwc_json_number(series->value[i]));
}

static json_t *series_json(struct hwc_json_writer *writer, const struct hwc_series *series)
{
    json_t *json = axis_json(&series->axis), *points = json_array();

    for (size_t i = 0; i < series->points; i++)
        hwc_json_append(writer, points, "curves", point_json(series, i));
    hwc_json_set(writer, json, "points", points);
    return json;
}

static json_t *curve_json(struct hwc_json_writer *writer, const struct hwc_curve *curve)
{
    json_t *json = json_pack("{s:s, s:s}", "name", curve->name, "type", curve->type), *list = json_array();

    for (size_t i = 0; i < curve->count; i++)
        hwc_json_append(writer, list, "curves", series_json(writer, &curve->series[i]));
    hwc_json_set(writer, json, "x", axis_json(&curve->x));
    hwc_json_set(writer, json, "series", list);
    return json;
}

json_t *hwc_curves_json(struct hwc_json_writer *writer, const struct hwc_curves *curves)
{
    json_t *list = json_array();

    for (size_t i = 0; i < curves->count; i++)
        hwc_json_append(writer, list, "curves", curve_json(writer, &curves->curve[i]));
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
    size_t count = json_array_size(points);

    if (!json_is_array(points) || count > HWC_MOST_CURVE_POINTS)
        return hwc_object_fault(object, "points", error, "must be a list of at most %d", HWC_MOST_CURVE_POINTS);
    for (size_t i = 0; i < count; i++) {
        const json_t *point = json_array_get(points, i);
        const json_t *at = json_array_get(point, 0), *value = json_array_get(point, 1);
        if (json_array_size(point) != 2 || !json_is_number(at) || !json_is_number(value))
            return hwc_object_fault(object, "points", error, "must be pairs of numbers");
        hwc_point_add(series, json_number_value(at), json_number_value(value));
    }
    return HWC_OK;
}

static int read_series(json_t *json, const char *where, struct hwc_series *series, struct hwc_error *error)
{
    struct hwc_object object;

    TRY(hwc_object_open(&object, json, where, error));
    TRY(take_axis(&object, &series->axis, error));
    TRY(take_points(&object, series, error));
    return hwc_object_close(&object, error);
}

static int take_x(struct hwc_object *curve, const char *where, struct hwc_axis *x, struct hwc_error *error)
{
    struct hwc_object object;
    char place[HWC_WHERE];

    snprintf(place, sizeof place, "%.100s.x", where);
    TRY(hwc_object_open(&object, hwc_object_take(curve, "x"), place, error));
    TRY(take_axis(&object, x, error));
    return hwc_object_close(&object, error);
}

static int take_series(struct hwc_object *object, const char *where, struct hwc_curve *curve, struct hwc_error *error)
{
    json_t *list = hwc_object_take(object, "series");

    if (!json_is_array(list) || json_array_size(list) > HWC_MOST_SERIES)
        return hwc_object_fault(object, "series", error, "must be a list of at most %d", HWC_MOST_SERIES);
    for (; curve->count < json_array_size(list); curve->count++) {
        char place[HWC_WHERE];
        snprintf(place, sizeof place, "%.100s.series[%zu]", where, curve->count);
        TRY(read_series(json_array_get(list, curve->count), place, &curve->series[curve->count], error));
    }
    return HWC_OK;
}

static int read_curve(json_t *json, const char *where, struct hwc_curve *curve, struct hwc_error *error)
{
    struct hwc_object object;

    TRY(hwc_object_open(&object, json, where, error));
    TRY(hwc_take_text(&object, "name", true, curve->name, sizeof curve->name, error));
    TRY(hwc_take_text(&object, "type", true, curve->type, sizeof curve->type, error));
    TRY(take_x(&object, where, &curve->x, error));
    TRY(take_series(&object, where, curve, error));
    return hwc_object_close(&object, error);
}

int hwc_curves_read(json_t *list, struct hwc_curves *curves, struct hwc_error *error)
{
    if (json_array_size(list) > HWC_MOST_CURVES)
        return hwc_fail(error, HWC_BAD_INPUT, "curves: has more than %d", HWC_MOST_CURVES);
    for (; curves->count < json_array_size(list); curves->count++) {
        char where[HWC_WHERE];
        snprintf(where, sizeof where, "curves[%zu]", curves->count);
        TRY(read_curve(json_array_get(list, curves->count), where, &curves->curve[curves->count], error));
    }
    return HWC_OK;
}
