#include "html_findings.h"

#include <string.h>

#include "html.h"
#include "summary.h"

static void put_row_head(FILE *stream, const struct hwc_place *place)
{
    char name[HWC_PLACE_NAME];

    fputs("<tr>", stream);
    hwc_html_element(stream, "th", "scope=\"row\"", "%s", hwc_place_name(place, name));
}

/* Data and instruction caches share a table. */
static bool share_a_table(enum hwc_group a, enum hwc_group b)
{
    return a == b || (a == HWC_OF_CACHE && b == HWC_OF_CODE_CACHE);
}

static bool same_column(enum hwc_field_id a, enum hwc_field_id b)
{
    return a == b || strcmp(hwc_fields[a].key, hwc_fields[b].key) == 0;
}

/* How many levels of the table have something to say in this column? */
static unsigned uses_of(const struct hwc_profile *profile, enum hwc_group table, enum hwc_field_id column)
{
    char text[HWC_SHOWN];
    struct hwc_place place;
    unsigned uses = 0;

    for (unsigned i = 0; hwc_profile_place(profile, i, &place); i++)
        if (share_a_table(table, place.group))
            HWC_EACH_FIELD(id, place.group) {
                hwc_record_phrase(text, place.record, id);
                uses += text[0] != '\0' && same_column(id, column);
            }
    return uses;
}

/* Booleans, and what one level of several says alone, stand together in the last cell. */
static bool has_column(const struct hwc_profile *profile, enum hwc_group table, enum hwc_field_id column)
{
    bool single = table == HWC_OF_MEMORY || table == HWC_OF_CORE;

    return hwc_fields[column].kind != HWC_VALUE_BOOLEAN && uses_of(profile, table, column) > (single ? 0 : 1);
}

static void put_cell(FILE *stream, const struct hwc_place *place, enum hwc_field_id column)
{
    const size_t longest = 24; /* that is not broken */
    char text[HWC_SHOWN] = "";

    HWC_EACH_FIELD(id, place->group)
        if (same_column(id, column))
            hwc_record_phrase(text, place->record, id);
    hwc_html_element(stream, "td", text[0] == '\0' ? "class=\"empty\"" : strlen(text) <= longest ? "class=\"whole\"" : "",
                     "%s", text);
}

static void put_rest(FILE *stream, const struct hwc_profile *profile, enum hwc_group table,
                     const struct hwc_place *place)
{
    char text[HWC_SHOWN], rest[4 * HWC_SHOWN] = "";

    HWC_EACH_FIELD(column, table)
        HWC_EACH_FIELD(id, place->group) {
            hwc_record_phrase(text, place->record, id);
            if (same_column(id, column) && text[0] != '\0' && !has_column(profile, table, column))
                hwc_write(rest + strlen(rest), sizeof rest - strlen(rest), "%s%s", rest[0] != '\0' ? ", " : "", text);
        }
    hwc_html_element(stream, "td", rest[0] == '\0' ? "class=\"empty\"" : "", "%s", rest);
}

static void put_level(FILE *stream, const struct hwc_profile *profile, enum hwc_group table,
                      const struct hwc_place *place)
{
    put_row_head(stream, place);
    HWC_EACH_FIELD(column, table)
        if (has_column(profile, table, column))
            put_cell(stream, place, column);
    put_rest(stream, profile, table, place);
    fputs("</tr>\n", stream);
}

static bool has_phrase(const struct hwc_place *place)
{
    char text[HWC_SHOWN];

    HWC_EACH_FIELD(id, place->group) {
        hwc_record_phrase(text, place->record, id);
        if (text[0] != '\0')
            return true;
    }
    return false;
}

void hwc_html_levels(FILE *stream, const struct hwc_profile *profile)
{
    for (enum hwc_group table = 0; table < HWC_GROUPS; table++) {
        struct hwc_place place;
        bool any = false;
        for (unsigned i = 0; table != HWC_OF_CODE_CACHE && hwc_profile_place(profile, i, &place); i++) {
            if (!share_a_table(table, place.group) || !has_phrase(&place))
                continue;
            if (!any)
                fputs("<div class=\"levels\"><table>\n", stream);
            any = true;
            put_level(stream, profile, table, &place);
        }
        if (any)
            fputs("</table></div>\n", stream);
    }
}

static void put_difference(FILE *stream, const struct hwc_place *place, enum hwc_field_id id)
{
    const struct hwc_finding *finding = &place->record->finding[id];
    char name[HWC_PLACE_NAME], value[HWC_SHOWN], verdict[HWC_SHOWN];

    hwc_show_value(value, &hwc_fields[id], finding);
    hwc_show_verdict(verdict, &hwc_fields[id], finding);
    fputs("<li>", stream);
    hwc_html_element(stream, "b", "", "%s %s", hwc_place_name(place, name), hwc_fields[id].label);
    hwc_html_element(stream, "span", "", ": %s; %s", value, verdict);
    fputs("</li>\n", stream);
}

void hwc_html_differences(FILE *stream, const struct hwc_profile *profile)
{
    unsigned documented = 0, different = 0;
    struct hwc_place place;

    for (unsigned i = 0; hwc_profile_place(profile, i, &place); i++)
        HWC_EACH_FIELD(id, place.group) {
            const struct hwc_finding *finding = &place.record->finding[id];
            bool compared = finding->asked && finding->has_documented && hwc_finding_is_told(finding);
            documented += compared;
            if (!compared || !hwc_differs(finding, hwc_fields[id].kind))
                continue;
            if (different++ == 0)
                fputs("<h2>Differs from what is documented</h2>\n<ul class=\"differs\">\n", stream);
            put_difference(stream, &place, id);
        }
    if (different > 0)
        fputs("</ul>\n", stream);
    else if (documented > 0)
        hwc_html_element(stream, "p", "class=\"agrees\"", "All %u values that are documented agree with what was measured.",
                         documented);
}

static unsigned put_unknown(FILE *stream, const struct hwc_place *place, unsigned group, unsigned before)
{
    char name[HWC_PLACE_NAME];
    unsigned count = 0;

    HWC_EACH_FIELD(id, place->group) {
        if (!hwc_is_unknown(&place->record->finding[id], group))
            continue;
        if (count++ == 0) {
            fputs(before > 0 ? "; " : "", stream);
            hwc_html_element(stream, "b", "", "%s", hwc_place_name(place, name));
            fputs(" ", stream);
        } else {
            fputs(", ", stream);
        }
        hwc_html_text(stream, hwc_fields[id].label);
    }
    return count;
}

void hwc_html_unknown(FILE *stream, const struct hwc_profile *profile)
{
    if (!hwc_any_unknown(profile))
        return;
    fputs("<h2>Unknown</h2>\n<ul>\n", stream);
    for (unsigned group = 0; group < HWC_UNKNOWN_GROUPS; group++) {
        struct hwc_place place;
        unsigned count = 0;
        for (unsigned i = 0; hwc_profile_place(profile, i, &place); i++) {
            unsigned more = 0;
            HWC_EACH_FIELD(id, place.group)
                more += hwc_is_unknown(&place.record->finding[id], group);
            if (more > 0 && count == 0)
                fputs("<li>", stream);
            count += put_unknown(stream, &place, group, count);
        }
        if (count > 0)
            hwc_html_element(stream, "span", "class=\"soft\"", ": %s", hwc_what_helps(profile, group));
        fputs(count > 0 ? "</li>\n" : "", stream);
    }
    fputs("</ul>\n", stream);
}

/* How the vote went, where it was not unanimous. */
static void put_rounds(FILE *stream, const struct hwc_finding *finding, enum hwc_value_kind kind)
{
    char round[HWC_SHOWN];

    if (!hwc_says_more(finding))
        return;
    fputs("<tr class=\"more\"><td class=\"empty\"></td><td colspan=\"4\">", stream);
    for (unsigned i = 0; i < finding->rounds; i++) {
        hwc_show_round(round, finding, i, kind);
        hwc_html_element(stream, "div", "", "%s", round);
    }
    fputs("</td></tr>\n", stream);
}

static void put_votes(FILE *stream, const struct hwc_finding *finding)
{
    if (finding->votes > 0)
        hwc_html_element(stream, "td", "class=\"votes\"", "%u/%u", finding->alike, finding->votes);
    else
        fputs("<td class=\"empty\"></td>", stream);
}

/* Who says so: the clock, or which counter. */
static void put_witness(FILE *stream, const struct hwc_finding *finding)
{
    bool counted = finding->counter[0] != '\0', named = strcmp(finding->event, finding->counter) != 0;

    fputs("<td>", stream);
    hwc_html_text(stream, hwc_witness_name(finding->witness));
    if (counted || finding->event[0] != '\0')
        hwc_html_element(stream, "span", "class=\"soft\"", " %s%s%s", finding->counter, counted && named ? ", " : "",
                         named ? finding->event : "");
    if (!finding->known)
        hwc_html_element(stream, "span", "class=\"soft\"", "; %s", finding->reason);
    fputs("</td>", stream);
}

static void put_known(FILE *stream, const struct hwc_field *field, const struct hwc_finding *finding)
{
    char value[HWC_SHOWN];

    hwc_show_value(value, field, finding);
    hwc_html_element(stream, "td", "class=\"value\"", "%s", value);
    put_votes(stream, finding);
    put_witness(stream, finding);
}

static void put_reason(FILE *stream, const struct hwc_finding *finding, const char *attributes)
{
    const char *why = hwc_why_name(finding->why);
    bool nothing = finding->why == HWC_WHY_NOTHING, said = !nothing && why[0] != '\0';

    hwc_html_element(stream, "td", "class=\"soft\"", "%s%s%s%s", nothing ? "none" : "unknown", said ? " (" : "",
                     said ? why : "", said ? ")" : "");
    put_votes(stream, finding);
    hwc_html_element(stream, "td", attributes, "%s", finding->reason);
}

static void put_finding(FILE *stream, const struct hwc_field *field, const struct hwc_finding *finding)
{
    char verdict[HWC_SHOWN];

    hwc_show_verdict(verdict, field, finding);
    fputs("<tr>", stream);
    hwc_html_element(stream, "th", "scope=\"row\"", "%s", field->label);
    if (hwc_finding_is_told(finding))
        put_known(stream, field, finding);
    else
        put_reason(stream, finding, verdict[0] != '\0' ? "class=\"soft\"" : "class=\"soft\" colspan=\"2\"");
    if (verdict[0] != '\0')
        hwc_html_element(stream, "td", hwc_differs(finding, field->kind) ? "class=\"differs\"" : "", "%s", verdict);
    fputs("</tr>\n", stream);
    put_rounds(stream, finding, field->kind);
}

void hwc_html_findings(FILE *stream, const struct hwc_profile *profile)
{
    char name[HWC_PLACE_NAME];
    struct hwc_place place;

    fputs("<h2>Findings</h2>\n<table class=\"findings\">\n<thead><tr><th></th><th>measured</th><th>votes</th>"
          "<th>witness</th><th>documented</th></tr></thead>\n",
          stream);
    for (unsigned i = 0; hwc_profile_place(profile, i, &place); i++) {
        if (!hwc_any_asked(&place))
            continue;
        fputs("<tbody><tr class=\"place\">", stream);
        hwc_html_element(stream, "th", "colspan=\"5\" scope=\"rowgroup\"", "%s", hwc_place_name(&place, name));
        fputs("</tr>\n", stream);
        HWC_EACH_FIELD(id, place.group)
            if (place.record->finding[id].asked)
                put_finding(stream, &hwc_fields[id], &place.record->finding[id]);
        fputs("</tbody>\n", stream);
    }
    fputs("</table>\n", stream);
}
