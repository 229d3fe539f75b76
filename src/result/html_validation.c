#include "html_validation.h"

#include "html.h"
#include "validation_show.h"

static void put_differences(FILE *stream, const struct hwc_validation *validation)
{
    char text[HWC_SHOWN];

    hwc_show_differences(text, validation);
    if (validation->differences == 0) {
        hwc_html_element(stream, "p", "", "Nothing differs.");
        return;
    }
    hwc_html_element(stream, "p", "", "%s:", text);
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

/* What was counted in the clock's walks; where it speaks against the clock, the event is named. */
static void put_walks(FILE *stream, const struct hwc_validated *row)
{
    const struct hwc_walk_counts *counted = &row->clock.counted;
    char walks[HWC_SHOWN];

    hwc_show_walks(walks, row->group, counted);
    if (counted->any && hwc_bears_out(counted))
        hwc_html_element(stream, "span", "class=\"walks soft\"", "%s", walks);
    else if (counted->any)
        hwc_html_element(stream, "span", "class=\"walks differs\"", "%s: %s", hwc_event_name(counted->event), walks);
}

static void put_value(FILE *stream, const struct hwc_field *field, const struct hwc_finding *side)
{
    char value[HWC_SHOWN];

    hwc_show_answer(value, field, side);
    hwc_html_text(stream, value[0] != '\0' ? value : "unknown");
}

/* Without counters they have no say at all. */
static void put_counter(FILE *stream, const struct hwc_validated *row, bool counters)
{
    fputs(counters ? "<td data-who=\"counter\">" : "<td class=\"empty\">", stream);
    if (counters)
        put_value(stream, &hwc_fields[row->field], &row->counter);
    fputs("</td>", stream);
}

static void put_clock(FILE *stream, const struct hwc_validated *row)
{
    fputs("<td data-who=\"clock\">", stream);
    put_value(stream, &hwc_fields[row->field], &row->clock);
    put_walks(stream, row);
    fputs("</td>", stream);
}

static void put_documented(FILE *stream, const struct hwc_validated *row)
{
    char value[HWC_SHOWN];

    hwc_show_documented(value, row);
    hwc_html_element(stream, "td", value[0] == '\0' ? "class=\"empty\"" : "data-who=\"documented\"", "%s", value);
}

static void put_verdict(FILE *stream, const struct hwc_validated *row)
{
    char says[HWC_SHOWN];

    hwc_show_says(says, row);
    fputs(row->verdict.says == HWC_DIFFER ? "<td class=\"differs\">" : "<td>", stream);
    hwc_html_text(stream, says);
    if (row->verdict.why[0] != '\0')
        hwc_html_element(stream, "span", "class=\"soft\"", "; %s", row->verdict.why);
    fputs("</td>", stream);
}

static void put_row(FILE *stream, const struct hwc_validated *row, bool counters)
{
    char name[HWC_SHOWN];

    hwc_show_row_name(name, row);
    fputs("<tr>", stream);
    hwc_html_element(stream, "th", "scope=\"row\"", "%s", name);
    put_counter(stream, row, counters);
    put_clock(stream, row);
    put_documented(stream, row);
    put_verdict(stream, row);
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
            put_row(stream, &validation->row[i], validation->counters);
    fputs("</tbody>\n", stream);
}

/* Of one witness's answers there is no more to say than they say themselves. */
static void put_undecided(FILE *stream, const struct hwc_validation *validation)
{
    unsigned count = hwc_validation_count(validation, HWC_UNDECIDED);
    char text[HWC_LISTED];

    if (count == 0)
        return;
    hwc_html_element(stream, "p", "class=\"caption\"", "Undecided are %u:", count);
    fputs("<ul class=\"undecided\">\n", stream);
    for (unsigned i = 0; i < validation->rows; i++)
        if (hwc_list_undecided(text, validation, i)) {
            hwc_html_element(stream, "li", "", "%s", text);
            fputc('\n', stream);
        }
    fputs("</ul>\n", stream);
}

static bool any_counted(const struct hwc_validation *validation)
{
    for (unsigned i = 0; i < validation->rows; i++)
        if (validation->row[i].clock.counted.any)
            return true;
    return false;
}

void hwc_html_validation(FILE *stream, const struct hwc_profile *profile)
{
    static const enum hwc_says order[] = {HWC_DIFFER, HWC_AGREE};

    if (profile->validation == NULL)
        return;
    fputs("<h2>Counter, clock and documentation</h2>\n", stream);
    put_differences(stream, profile->validation);
    if (any_counted(profile->validation))
        hwc_html_element(stream, "p", "class=\"caption\"",
                         "Below the clock's values: what an event counted in its own walks, over as many lines or pages "
                         "as fit, and over more.");
    fputs("<table class=\"findings validation\">\n<thead><tr><th></th><th>by counter</th><th>by clock</th>"
          "<th>documented</th><th>verdict</th></tr></thead>\n",
          stream);
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
        put_rows(stream, profile->validation, order[i]);
    fputs("</table>\n", stream);
    put_undecided(stream, profile->validation);
}
