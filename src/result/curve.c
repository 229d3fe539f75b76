#include "curve.h"

#include <stdlib.h>
#include <string.h>

#include "grow.h"

static void name_axis(struct hwc_axis *axis, const char *name, const char *unit)
{
    hwc_write(axis->name, sizeof axis->name, "%s", name);
    hwc_write(axis->unit, sizeof axis->unit, "%s", unit);
}

static int no_memory(struct hwc_error *error)
{
    return hwc_fail(error, HWC_NO_MEMORY, "no memory for a curve");
}

int hwc_curve_add(struct hwc_curves *curves, const char *name, const char *type, const char *x, const char *unit,
                  struct hwc_curve **curve, struct hwc_error *error)
{
    struct hwc_curve **list = hwc_grow_list(curves->curve, curves->count, &curves->room, sizeof(struct hwc_curve *));

    if (list == NULL)
        return no_memory(error);
    curves->curve = list;
    *curve = calloc(1, sizeof **curve);
    if (*curve == NULL)
        return no_memory(error);
    list[curves->count++] = *curve;
    hwc_write((*curve)->name, sizeof(*curve)->name, "%s", name);
    hwc_write((*curve)->type, sizeof(*curve)->type, "%s", type);
    name_axis(&(*curve)->x, x, unit);
    return HWC_OK;
}

int hwc_series_add(struct hwc_curve *curve, const char *name, const char *unit, struct hwc_series **series,
                   struct hwc_error *error)
{
    struct hwc_series **list = hwc_grow_list(curve->series, curve->count, &curve->room, sizeof(struct hwc_series *));

    if (list == NULL)
        return no_memory(error);
    curve->series = list;
    *series = calloc(1, sizeof **series);
    if (*series == NULL)
        return no_memory(error);
    list[curve->count++] = *series;
    name_axis(&(*series)->axis, name, unit);
    return HWC_OK;
}

int hwc_point_add(struct hwc_series *series, double at, double value, struct hwc_error *error)
{
    struct hwc_point *list = hwc_grow_list(series->point, series->points, &series->room, sizeof *list);

    if (list == NULL)
        return no_memory(error);
    series->point = list;
    list[series->points++] = (struct hwc_point){at, value};
    return HWC_OK;
}

int hwc_curve_add_drawn(struct hwc_curves *curves, const char *name, const char *x, const char *unit,
                        const struct hwc_drawn_curve *drawn, struct hwc_error *error)
{
    struct hwc_series *cycles, *deviation;
    struct hwc_curve *curve;

    TRY(hwc_curve_add(curves, name, "random", x, unit, &curve, error));
    TRY(hwc_series_add(curve, "time of a load", "cycles", &cycles, error));
    TRY(hwc_series_add(curve, "its standard error", "cycles", &deviation, error));
    for (size_t i = 0; i < drawn->points; i++) {
        TRY(hwc_point_add(cycles, drawn->bytes[i], drawn->cycles[i].mean, error));
        TRY(hwc_point_add(deviation, drawn->bytes[i], hwc_drawn_error(drawn, i), error));
    }
    return HWC_OK;
}

int hwc_read_off_add(struct hwc_curve *curve, const struct hwc_read_off *read_off, struct hwc_error *error)
{
    struct hwc_read_off *list = hwc_grow_list(curve->read_off, curve->read, &curve->read_room, sizeof *list);

    if (list == NULL)
        return no_memory(error);
    curve->read_off = list;
    list[curve->read++] = *read_off;
    return HWC_OK;
}

const struct hwc_read_off *hwc_curve_says(const struct hwc_curve *curve, const char *name)
{
    for (size_t i = 0; i < curve->read; i++)
        if (strcmp(curve->read_off[i].axis.name, name) == 0)
            return &curve->read_off[i];
    return NULL;
}

const struct hwc_curve *hwc_curve_find(const struct hwc_curves *curves, const char *name, const char *type)
{
    for (size_t i = curves->count; i > 0; i--)
        if (strcmp(curves->curve[i - 1]->name, name) == 0 && strcmp(curves->curve[i - 1]->type, type) == 0)
            return curves->curve[i - 1];
    return NULL;
}

static void free_curve(struct hwc_curve *curve)
{
    for (size_t i = 0; i < curve->count; i++) {
        free(curve->series[i]->point);
        free(curve->series[i]);
    }
    free(curve->series);
    free(curve->read_off);
    free(curve);
}

void hwc_curves_cut(struct hwc_curves *curves, size_t n)
{
    while (curves->count > n)
        free_curve(curves->curve[--curves->count]);
}

void hwc_curves_free(struct hwc_curves *curves)
{
    hwc_curves_cut(curves, 0);
    free(curves->curve);
    *curves = (struct hwc_curves){0};
}
