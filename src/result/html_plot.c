#include "html_plot.h"

#include <math.h>
#include <string.h>

#include "html.h"
#include "html_marker.h"

/* Pixels. */
struct size {
    const char *class;
    double width, left, right, height; /* of a panel */
    double apart;                      /* named values of the axis of sizes */
};

static const struct size sizes[] = {{"wide", 520, 62, 14, 210, 56}, {"narrow", 366, 62, 8, 190, 62}};

enum { ABOVE_PANEL = 26, BELOW_PANEL = 20, BELOW_LAST = 26, VALUES_APART = 20 };
/* Series beyond these are told apart by their hue alone. */
enum { NAMED_COLOURS = 6, MOST_DOTS = 100 };

struct drawing {
    FILE *stream;
    const struct hwc_curve *curve;
    const struct size *size;
    struct hwc_markers markers;
    struct hwc_scale x;
};

bool hwc_is_spread(const struct hwc_curve *curve, size_t i)
{
    return i > 0 && strncmp(curve->series[i]->axis.name, "its ", strlen("its ")) == 0 &&
           strcmp(curve->series[i]->axis.unit, curve->series[i - 1]->axis.unit) == 0;
}

const struct hwc_series *hwc_spread_of(const struct hwc_curve *curve, size_t i)
{
    return i + 1 < curve->count && hwc_is_spread(curve, i + 1) ? curve->series[i + 1] : NULL;
}

static bool is_first_of_unit(const struct hwc_curve *curve, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (strcmp(curve->series[k]->axis.unit, curve->series[i]->axis.unit) == 0)
            return false;
    return true;
}

struct range {
    double low, high;
};

static void widen(struct range *range, double value)
{
    range->low = fmin(range->low, value);
    range->high = fmax(range->high, value);
}

static struct range sizes_of(const struct hwc_curve *curve)
{
    struct range range = {INFINITY, -INFINITY};

    for (size_t i = 0; i < curve->count; i++)
        for (size_t k = 0; k < curve->series[i]->points; k++)
            widen(&range, curve->series[i]->point[k].at);
    return range;
}

static struct range values_of(const struct hwc_curve *curve, const char *unit)
{
    struct range range = {INFINITY, -INFINITY};

    for (size_t i = 0; i < curve->count; i++)
        for (size_t k = 0; k < curve->series[i]->points; k++)
            if (strcmp(curve->series[i]->axis.unit, unit) == 0 && !hwc_is_spread(curve, i))
                widen(&range, curve->series[i]->point[k].value);
    return range;
}

/* Six colours; more series than these run through the hues, as they are in an order of their own. */
void hwc_plot_colour(FILE *stream, const struct hwc_curve *curve, size_t i)
{
    if (curve->count <= NAMED_COLOURS)
        fprintf(stream, " class=\"c%zu\"", i);
    else
        fprintf(stream, " class=\"hue\" style=\"--hue:%.0f\"", 220 + 200 * (double)i / (double)(curve->count - 1));
}

static void put_point(const struct drawing *drawing, const struct hwc_scale *y, double at, double value)
{
    fprintf(drawing->stream, "%.1f,%.1f ", hwc_scale_place(&drawing->x, at), hwc_scale_place(y, value));
}

static void draw_spread(const struct drawing *drawing, const struct hwc_scale *y, const struct hwc_series *series,
                        const struct hwc_series *spread)
{
    size_t points = series->points < spread->points ? series->points : spread->points;

    fputs("<polygon class=\"spread\" points=\"", drawing->stream);
    for (size_t i = 0; i < points; i++)
        put_point(drawing, y, series->point[i].at, series->point[i].value + spread->point[i].value);
    for (size_t i = points; i-- > 0;)
        put_point(drawing, y, series->point[i].at, series->point[i].value - spread->point[i].value);
    fputs("\"/>", drawing->stream);
}

static void draw_series(const struct drawing *drawing, const struct hwc_scale *y, size_t i)
{
    const struct hwc_series *series = drawing->curve->series[i], *spread = hwc_spread_of(drawing->curve, i);

    fputs("<g", drawing->stream);
    hwc_plot_colour(drawing->stream, drawing->curve, i);
    fputs(">", drawing->stream);
    if (spread != NULL)
        draw_spread(drawing, y, series, spread);
    fputs("<polyline points=\"", drawing->stream);
    for (size_t k = 0; k < series->points; k++)
        put_point(drawing, y, series->point[k].at, series->point[k].value);
    fputs("\"/>", drawing->stream);
    for (size_t k = 0; k < series->points && series->points <= MOST_DOTS; k++)
        fprintf(drawing->stream, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"1.7\"/>",
                hwc_scale_place(&drawing->x, series->point[k].at), hwc_scale_place(y, series->point[k].value));
    fputs("</g>", drawing->stream);
}

static void draw_values(const struct drawing *drawing, const struct hwc_scale *y, const char *unit)
{
    const double down = 4, left = 6; /* to the middle of a line of text; from the axis */
    double ticks[HWC_MOST_TICKS];
    unsigned count = hwc_scale_ticks(y, VALUES_APART, ticks);
    char text[HWC_SHOWN];

    for (unsigned i = 0; i < count; i++) {
        double at = hwc_scale_place(y, ticks[i]);
        hwc_svg_line(drawing->stream, drawing->x.from, at, drawing->x.to, at, "grid");
        hwc_show_tick(text, unit, ticks[i]);
        hwc_svg_text(drawing->stream, drawing->x.from - left, at + down, HWC_UP_TO_HERE, "tick", text);
    }
}

static void draw_sizes(const struct drawing *drawing, double bottom)
{
    const double length = 4, down = 17;
    double ticks[HWC_MOST_TICKS];
    unsigned count = hwc_scale_ticks(&drawing->x, drawing->size->apart, ticks);
    char text[HWC_SHOWN];

    for (unsigned i = 0; i < count; i++) {
        double at = hwc_scale_place(&drawing->x, ticks[i]);
        hwc_svg_line(drawing->stream, at, bottom, at, bottom + length, "axis");
        hwc_show_tick(text, drawing->curve->x.unit, ticks[i]);
        hwc_svg_text_within(drawing->stream, at, bottom + down, 0, drawing->size->width, "tick", text);
    }
}

/* Where values were read off: a triangle on the axis. */
static void draw_read_off(const struct drawing *drawing, double bottom)
{
    for (size_t i = 0; i < drawing->curve->read; i++) {
        const struct hwc_read_off *read_off = &drawing->curve->read_off[i];
        double at = hwc_scale_place(&drawing->x, read_off->at);
        if (read_off->known && read_off->shows)
            fprintf(drawing->stream, "<path d=\"M%.1f %.1fl4 -8h-8z\" class=\"read\"/>", at, bottom);
    }
}

static void draw_title(const struct drawing *drawing, const struct hwc_axis *axis, const struct hwc_scale *scale,
                       bool alone, double x, double y)
{
    char title[HWC_SHOWN];
    bool same = strcmp(axis->name, axis->unit) == 0 || axis->unit[0] == '\0' || strcmp(axis->unit, "bytes") == 0 || !alone;

    hwc_write(title, sizeof title, "%s%s%s%s", alone ? axis->name : axis->unit, same ? "" : ", ",
              same ? "" : axis->unit, scale->kind == HWC_LINEAR ? "" : " (log scale)");
    hwc_svg_text(drawing->stream, x, y, HWC_FROM_HERE, "title", title);
}

static bool is_alone(const struct hwc_curve *curve, size_t first)
{
    for (size_t i = first + 1; i < curve->count; i++)
        if (strcmp(curve->series[i]->axis.unit, curve->series[first]->axis.unit) == 0 && !hwc_is_spread(curve, i))
            return false;
    return true;
}

/* The panel of all series with the unit of the first. */
static void draw_panel(const struct drawing *drawing, size_t first, double top)
{
    const struct hwc_curve *curve = drawing->curve;
    const struct hwc_axis *axis = &curve->series[first]->axis;
    struct range range = values_of(curve, axis->unit);
    double bottom = top + drawing->size->height;
    struct hwc_scale y = hwc_scale_of_values(range.low, range.high, bottom, top);
    double title = top - 10 - (drawing->markers.rows > 0 ? drawing->markers.rows * HWC_MARKER_ROW : 0);

    draw_title(drawing, axis, &y, is_alone(curve, first), 0, first == 0 ? title : top - 10);
    if (first == 0)
        hwc_markers_draw_labels(drawing->stream, &drawing->markers, &drawing->x, top);
    hwc_markers_draw(drawing->stream, &drawing->markers, &drawing->x, top, bottom);
    draw_values(drawing, &y, axis->unit);
    for (size_t i = first; i < curve->count; i++)
        if (strcmp(curve->series[i]->axis.unit, axis->unit) == 0 && !hwc_is_spread(curve, i))
            draw_series(drawing, &y, i);
    hwc_svg_line(drawing->stream, drawing->x.from, bottom, drawing->x.to, bottom, "axis");
    draw_sizes(drawing, bottom);
    draw_read_off(drawing, bottom);
}

static unsigned panels_of(const struct hwc_curve *curve)
{
    unsigned count = 0;

    for (size_t i = 0; i < curve->count; i++)
        count += is_first_of_unit(curve, i);
    return count;
}

static void draw(FILE *stream, const struct hwc_profile *profile, const struct hwc_curve *curve,
                 const struct size *size)
{
    struct drawing drawing = {.stream = stream, .curve = curve, .size = size};
    struct range range = sizes_of(curve);
    double below = BELOW_PANEL + ABOVE_PANEL, top, height;

    drawing.x = hwc_scale_of_sizes(range.low, range.high, size->left, size->width - size->right);
    hwc_markers_of(&drawing.markers, profile, curve, range.low, range.high);
    hwc_markers_lay_out(&drawing.markers, &drawing.x);
    top = ABOVE_PANEL + drawing.markers.rows * HWC_MARKER_ROW;
    height = top + panels_of(curve) * (size->height + below) - ABOVE_PANEL + BELOW_LAST;
    fprintf(stream, "<svg class=\"%s\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\" role=\"img\">",
            size->class, size->width, height, size->width, height);
    hwc_html_element(stream, "title", "", "%s, %s over %s", curve->name, curve->type, curve->x.name);
    for (size_t i = 0; i < curve->count; i++)
        if (is_first_of_unit(curve, i)) {
            draw_panel(&drawing, i, top);
            top += size->height + below;
        }
    draw_title(&drawing, &curve->x, &drawing.x, true, size->left, height - 6);
    fputs("</svg>\n", stream);
}

bool hwc_html_plot(FILE *stream, const struct hwc_profile *profile, const struct hwc_curve *curve)
{
    struct range range = sizes_of(curve);

    if (range.low > range.high)
        return false;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        draw(stream, profile, curve, &sizes[i]);
    return true;
}
