#include "html_validation.h"

#include "html.h"
#include "show.h"

static void put_differences(FILE *stream, const struct hwc_validation *validation)
{
    if (validation->differences == 0) {
        hwc_html_element(stream, "p", "", "Nothing differs.");
        return;
    }
    fputs("<ul class=\"differs\">\n", stream);
    for (unsigned i = 0; i < validation->differences; i++) {
        const struct hwc_difference *difference = &validation->difference[i];
        fputs("<li>", stream);
        hwc_html_element(stream, "b", "", "%s", difference->of);
        hwc_html_element(stream, "span", "", ": %s", difference->why);
        fputs("</li>\n", stream);
    }
    fputs("</ul>\n", stream);
}

static void put_side(FILE *stream, const struct hwc_field *field, const struct hwc_finding *side, const char *who)
{
    char value[HWC_SHOWN];

    hwc_show_value(value, field, side);
    if (value[0] != '\0')
        hwc_html_element(stream, "td", who, "%s", value);
    else
        hwc_html_element(stream, "td", who, "%s", side->why == HWC_WHY_NOTHING ? "none" : "unknown");
}

static void put_documented(FILE *stream, const struct hwc_validated *row)
{
    const struct hwc_finding *says = hwc_documented_side(row);
    char value[HWC_SHOWN] = "";

    if (says->has_documented)
        hwc_show_number(value, hwc_fields[row->field].kind, says->documented);
    hwc_html_element(stream, "td", value[0] == '\0' ? "class=\"empty\"" : "data-who=\"documented\"", "%s", value);
}

static void put_verdict(FILE *stream, const struct hwc_verdict *verdict)
{
    const char *supports = hwc_supported_name(verdict->supports);
    bool differs = verdict->says == HWC_DIFFER;

    fputs(differs ? "<td class=\"differs\">" : "<td>", stream);
    hwc_html_text(stream, hwc_says_name(verdict->says));
    if (differs && supports != NULL)
        hwc_html_element(stream, "span", "", "; the evidence is for the %s", supports);
    if (verdict->why[0] != '\0')
        hwc_html_element(stream, "span", "class=\"soft\"", ": %s", verdict->why);
    fputs("</td>", stream);
}

static void put_row(FILE *stream, const struct hwc_validated *row)
{
    const struct hwc_field *field = &hwc_fields[row->field];
    char name[HWC_PLACE_NAME];

    fputs("<tr>", stream);
    hwc_html_element(stream, "th", "scope=\"row\"", "%s %s", hwc_validated_place(row, name), field->label);
    put_side(stream, field, &row->counter, "data-who=\"counter\"");
    put_side(stream, field, &row->clock, "data-who=\"clock\"");
    put_documented(stream, row);
    put_verdict(stream, &row->verdict);
    fputs("</tr>\n", stream);
}

static void put_rows(FILE *stream, const struct hwc_validation *validation, enum hwc_says says)
{
    unsigned count = hwc_validation_count(validation, says);

    if (count == 0)
        return;
    fputs("<tbody><tr class=\"place\">", stream);
    hwc_html_element(stream, "th", "colspan=\"5\" scope=\"rowgroup\"", "%s (%u)", hwc_says_name(says), count);
    fputs("</tr>\n", stream);
    for (unsigned i = 0; i < validation->rows; i++)
        if (validation->row[i].verdict.says == says)
            put_row(stream, &validation->row[i]);
    fputs("</tbody>\n", stream);
}

void hwc_html_validation(FILE *stream, const struct hwc_profile *profile)
{
    static const enum hwc_says order[] = {HWC_DIFFER, HWC_UNDECIDED, HWC_AGREE};

    if (profile->validation == NULL)
        return;
    fputs("<h2>Counter, clock and documentation</h2>\n", stream);
    put_differences(stream, profile->validation);
    fputs("<table class=\"findings validation\">\n<thead><tr><th></th><th>by counter</th><th>by clock</th>"
          "<th>documented</th><th>verdict</th></tr></thead>\n",
          stream);
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
        put_rows(stream, profile->validation, order[i]);
    fputs("</table>\n", stream);
}
