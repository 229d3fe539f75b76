#include "html_curve.h"

#include <math.h>
#include <string.h>

#include "html.h"
#include "html_plot.h"
#include "read_off.h"

/* " by counter: PAPI_L1_DCM"; "" if nothing is said. */
static void show_origin(char text[HWC_SHOWN], const struct hwc_series *series)
{
    bool witness = series->witness != HWC_NO_WITNESS, how = series->how[0] != '\0';

    hwc_write(text, HWC_SHOWN, "%s%s%s%s", witness || how ? " by " : "", witness ? hwc_witness_name(series->witness) : "",
              witness && how ? ": " : "", series->how);
}

/* Then it is said once for all. */
static bool have_one_origin(const struct hwc_curve *curve)
{
    for (size_t i = 1; i < curve->count; i++)
        if (curve->series[i]->witness != curve->series[0]->witness ||
            strcmp(curve->series[i]->how, curve->series[0]->how) != 0)
            return false;
    return curve->count > 0;
}

static void put_key(FILE *stream, const struct hwc_curve *curve, size_t i)
{
    fputs("<svg class=\"key\" viewBox=\"0 0 24 10\" width=\"24\" height=\"10\" aria-hidden=\"true\"><g", stream);
    hwc_plot_colour(stream, curve, i);
    fputs("><polyline points=\"0,5 24,5\"/></g></svg>", stream);
}

static void put_legend(FILE *stream, const struct hwc_curve *curve)
{
    char origin[HWC_SHOWN];

    fputs("<ul class=\"legend\">", stream);
    for (size_t i = 0; i < curve->count; i++) {
        const struct hwc_series *series = curve->series[i], *spread = hwc_spread_of(curve, i);
        if (hwc_is_spread(curve, i))
            continue;
        fputs("<li>", stream);
        put_key(stream, curve, i);
        hwc_html_text(stream, series->axis.name);
        if (spread != NULL)
            hwc_html_element(stream, "span", "class=\"soft\"", " (band: %s)", spread->axis.name);
        show_origin(origin, series);
        if (!have_one_origin(curve) && origin[0] != '\0')
            hwc_html_element(stream, "span", "class=\"soft\"", "%s", origin);
        fputs("</li>", stream);
    }
    fputs("</ul>\n", stream);
}

/* A few points over what has no unit, such as levels, are better read than looked at. */
static bool is_table(const struct hwc_curve *curve)
{
    const size_t few = 8;

    for (size_t i = 0; i < curve->count; i++)
        if (curve->series[i]->points > few)
            return false;
    return curve->count > 0 && curve->x.unit[0] == '\0';
}

/* The series with the most points has all that there are. */
static const struct hwc_series *longest_of(const struct hwc_curve *curve)
{
    const struct hwc_series *longest = curve->series[0];

    for (size_t i = 1; i < curve->count; i++)
        if (curve->series[i]->points > longest->points)
            longest = curve->series[i];
    return longest;
}

static void put_point(FILE *stream, const struct hwc_series *series, double at)
{
    for (size_t i = 0; i < series->points; i++)
        if (series->point[i].at == at) {
            hwc_html_element(stream, "td", "class=\"number\"", "%.*f", series->point[i].value == floor(series->point[i].value) ? 0 : 2,
                             series->point[i].value);
            return;
        }
    fputs("<td></td>", stream);
}

static void put_points(FILE *stream, const struct hwc_curve *curve)
{
    const struct hwc_series *longest = longest_of(curve);
    char origin[HWC_SHOWN];

    fputs("<table class=\"points\">\n<tr>", stream);
    hwc_html_element(stream, "th", "scope=\"col\"", "%s", curve->x.name);
    for (size_t k = 0; k < longest->points; k++)
        hwc_html_element(stream, "th", "scope=\"col\" class=\"number\"", "%.6g", longest->point[k].at);
    fputs("</tr>\n", stream);
    for (size_t i = 0; i < curve->count; i++) {
        const struct hwc_series *series = curve->series[i];
        fputs("<tr><th scope=\"row\">", stream);
        hwc_html_element(stream, "span", "", "%s%s%s", series->axis.name, series->axis.unit[0] != '\0' ? ", " : "",
                         series->axis.unit);
        show_origin(origin, series);
        if (!have_one_origin(curve) && (i == 0 || strcmp(series->how, curve->series[i - 1]->how) != 0))
            hwc_html_element(stream, "span", "class=\"soft\"", "%s", origin);
        fputs("</th>", stream);
        for (size_t k = 0; k < longest->points; k++)
            put_point(stream, series, longest->point[k].at);
        fputs("</tr>\n", stream);
    }
    fputs("</table>\n", stream);
}

/* Why it is not known, once where several are unknown for one reason; or the series that says it. */
static const char *remark_on(const struct hwc_curve *curve, size_t i)
{
    const struct hwc_read_off *read_off = &curve->read_off[i];

    if (read_off->known)
        return read_off->series;
    return i > 0 && strcmp(read_off->reason, read_off[-1].reason) == 0 ? "likewise" : read_off->reason;
}

static void put_value(FILE *stream, const struct hwc_curve *curve, size_t i)
{
    char value[HWC_SHOWN];

    hwc_show_read_off(value, &curve->read_off[i]);
    fputs("<tr>", stream);
    hwc_html_element(stream, "th", "scope=\"row\"", "%s", curve->read_off[i].axis.name);
    hwc_html_element(stream, "td", "", "%s", value);
    hwc_html_element(stream, "td", "class=\"soft\"", "%s", remark_on(curve, i));
    fputs("</tr>\n", stream);
}

static void put_read_off(FILE *stream, const struct hwc_curve *curve)
{
    bool marked = false;

    for (size_t i = 0; i < curve->read; i++)
        marked = marked || (curve->read_off[i].known && curve->read_off[i].shows && !is_table(curve));
    if (curve->read == 0)
        return;
    hwc_html_element(stream, "p", "class=\"soft caption\"", "Read off%s:", marked ? " (triangles on the axis)" : "");
    fputs("<table class=\"values\">", stream);
    for (size_t i = 0; i < curve->read; i++)
        put_value(stream, curve, i);
    fputs("</table>\n", stream);
}

static void put_caption(FILE *stream, const struct hwc_curve *curve)
{
    char origin[HWC_SHOWN] = "";

    if (have_one_origin(curve))
        show_origin(origin, curve->series[0]);
    fputs("<figcaption>", stream);
    hwc_html_element(stream, "b", "", "%s", curve->name);
    hwc_html_element(stream, "span", "class=\"soft\"", ", references: %s%s%s", curve->type, origin[0] != '\0' ? ";" : "",
                     origin);
    fputs("</figcaption>\n", stream);
}

void hwc_html_curve(FILE *stream, const struct hwc_profile *profile, const struct hwc_curve *curve)
{
    fputs("<figure>", stream);
    put_caption(stream, curve);
    if (is_table(curve))
        put_points(stream, curve);
    else if (hwc_html_plot(stream, profile, curve))
        put_legend(stream, curve);
    else
        hwc_html_element(stream, "p", "class=\"soft\"", "No point was measured.");
    put_read_off(stream, curve);
    fputs("</figure>\n", stream);
}
