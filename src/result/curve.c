#include "curve.h"

#include "text.h"

static void name_axis(struct hwc_axis *axis, const char *name, const char *unit)
{
    hwc_write(axis->name, sizeof axis->name, "%s", name);
    hwc_write(axis->unit, sizeof axis->unit, "%s", unit);
}

struct hwc_curve *hwc_curve_add(struct hwc_curves *curves, const char *name, const char *type, const char *x,
                                const char *unit)
{
    struct hwc_curve *curve = &curves->curve[curves->count];

    if (curves->count == HWC_MOST_CURVES)
        return NULL;
    curves->count++;
    hwc_write(curve->name, sizeof curve->name, "%s", name);
    hwc_write(curve->type, sizeof curve->type, "%s", type);
    name_axis(&curve->x, x, unit);
    return curve;
}

struct hwc_series *hwc_series_add(struct hwc_curve *curve, const char *name, const char *unit)
{
    struct hwc_series *series;

    if (curve == NULL || curve->count == HWC_MOST_SERIES)
        return NULL;
    series = &curve->series[curve->count++];
    name_axis(&series->axis, name, unit);
    return series;
}

void hwc_point_add(struct hwc_series *series, double at, double value)
{
    if (series == NULL || series->points == HWC_MOST_CURVE_POINTS)
        return;
    series->at[series->points] = at;
    series->value[series->points++] = value;
}

void hwc_curve_add_drawn(struct hwc_curves *curves, const char *name, const char *x, const char *unit,
                         const struct hwc_drawn_curve *drawn)
{
    struct hwc_curve *curve = hwc_curve_add(curves, name, "random", x, unit);
    struct hwc_series *cycles = hwc_series_add(curve, "time of a load", "cycles");
    struct hwc_series *error = hwc_series_add(curve, "its standard error", "cycles");

    for (size_t i = 0; i < drawn->points; i++) {
        hwc_point_add(cycles, drawn->bytes[i], drawn->cycles[i].mean);
        hwc_point_add(error, drawn->bytes[i], hwc_drawn_error(drawn, i));
    }
}
