#include "curve_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fold.h"
#include "show.h"
#include "statistics.h"

enum { GAP = 2 };

/* The values of x that any series has, in ascending order. */
struct columns {
    double *x;
    size_t count;
};

static int list_columns(const struct hwc_curve *curve, struct columns *columns, struct hwc_error *error)
{
    size_t points = 0, distinct = 0;

    for (size_t i = 0; i < curve->count; i++)
        points += curve->series[i]->points;
    columns->count = 0;
    columns->x = calloc(points + 1, sizeof *columns->x);
    if (columns->x == NULL)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory to write a curve");
    for (size_t i = 0; i < curve->count; i++)
        for (size_t k = 0; k < curve->series[i]->points; k++)
            columns->x[columns->count++] = curve->series[i]->point[k].at;
    hwc_sort(columns->x, columns->count);
    for (size_t i = 0; i < columns->count; i++)
        if (distinct == 0 || columns->x[i] > columns->x[distinct - 1])
            columns->x[distinct++] = columns->x[i];
    columns->count = distinct;
    return HWC_OK;
}

static void show(char text[HWC_SHOWN], const char *unit, double value)
{
    if (strcmp(unit, "bytes") == 0)
        hwc_show_number(text, HWC_VALUE_BYTES, value);
    else if (value == floor(value) && fabs(value) < 1e9)
        hwc_write(text, HWC_SHOWN, "%.0f", value);
    else
        hwc_write(text, HWC_SHOWN, "%.2f", value);
}

/* "" where the series has no point at x. */
static void show_cell(char text[HWC_SHOWN], const struct hwc_series *series, double x)
{
    text[0] = '\0';
    for (size_t i = 0; i < series->points; i++)
        if (!(series->point[i].at < x || series->point[i].at > x))
            show(text, series->axis.unit, series->point[i].value);
}

static void show_axis(char text[HWC_SHOWN], const struct hwc_axis *axis)
{
    bool has_unit = axis->unit[0] != '\0' && strcmp(axis->unit, "bytes") != 0;

    hwc_write(text, HWC_SHOWN, has_unit ? "%s (%s)" : "%s", axis->name, axis->unit);
}

static size_t width_of_labels(const struct hwc_curve *curve)
{
    char text[HWC_SHOWN];
    size_t width;

    show_axis(text, &curve->x);
    width = hwc_width_of(text);
    for (size_t i = 0; i < curve->count; i++) {
        show_axis(text, &curve->series[i]->axis);
        if (hwc_width_of(text) > width)
            width = hwc_width_of(text);
    }
    return width;
}

static size_t width_of_column(const struct hwc_curve *curve, double x)
{
    char text[HWC_SHOWN];
    size_t width;

    show(text, curve->x.unit, x);
    width = hwc_width_of(text);
    for (size_t i = 0; i < curve->count; i++) {
        show_cell(text, curve->series[i], x);
        if (hwc_width_of(text) > width)
            width = hwc_width_of(text);
    }
    return width + GAP;
}

static void put_right(const char *text, size_t width, FILE *stream)
{
    size_t used = hwc_width_of(text);

    fprintf(stream, "%*s%s", (int)(width > used ? width - used : 0), "", text);
}

static void put_label(const struct hwc_axis *axis, size_t width, FILE *stream)
{
    char text[HWC_SHOWN];

    show_axis(text, axis);
    fprintf(stream, "%*s%s%*s", GAP, "", text, (int)(width - hwc_width_of(text)), "");
}

/* A row of a series, or with NULL that of x. */
static void put_row(const struct hwc_curve *curve, const struct hwc_series *series, const struct columns *columns,
                    size_t labels, FILE *stream)
{
    char text[HWC_SHOWN];
    size_t width = 0; /* no spaces at the end of a row */

    put_label(series != NULL ? &series->axis : &curve->x, labels, stream);
    for (size_t i = 0; i < columns->count; i++) {
        if (series != NULL)
            show_cell(text, series, columns->x[i]);
        else
            show(text, curve->x.unit, columns->x[i]);
        width += width_of_column(curve, columns->x[i]);
        if (text[0] == '\0')
            continue;
        put_right(text, width, stream);
        width = 0;
    }
    fputc('\n', stream);
}

static bool has_any(const struct hwc_series *series, const struct columns *columns)
{
    char text[HWC_SHOWN] = "";

    for (size_t i = 0; i < columns->count && text[0] == '\0'; i++)
        show_cell(text, series, columns->x[i]);
    return text[0] != '\0';
}

/* As many columns as the width holds, at least one. */
static size_t columns_that_fit(const struct hwc_curve *curve, const struct columns *columns, size_t used, size_t width)
{
    size_t count = 0;

    for (; count < columns->count; count++) {
        used += width_of_column(curve, columns->x[count]);
        if (count > 0 && used > width)
            break;
    }
    return count;
}

static void put_table(const struct hwc_curve *curve, const struct columns *columns, size_t width, FILE *stream)
{
    size_t labels = width_of_labels(curve);

    for (size_t done = 0; done < columns->count;) {
        struct columns part = {columns->x + done, columns->count - done};
        part.count = columns_that_fit(curve, &part, GAP + labels, width);
        put_row(curve, NULL, &part, labels, stream);
        for (size_t i = 0; i < curve->count; i++)
            if (has_any(curve->series[i], &part))
                put_row(curve, curve->series[i], &part, labels, stream);
        done += part.count;
        if (done < columns->count)
            fputc('\n', stream);
    }
}

int hwc_curve_write_table(const struct hwc_curve *curve, unsigned width, FILE *stream, struct hwc_error *error)
{
    struct columns columns;

    TRY(list_columns(curve, &columns, error));
    fprintf(stream, "\n%s, %s\n", curve->name, curve->type);
    put_table(curve, &columns, width, stream);
    free(columns.x);
    return HWC_OK;
}
