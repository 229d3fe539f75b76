#include "profile_html.h"

#include <string.h>

#include "html.h"
#include "html_curve.h"
#include "html_findings.h"
#include "html_hierarchy.h"
#include "html_validation.h"
#include "matrix_text.h"
#include "summary.h"

static const char *cpu_of(const struct hwc_host *host)
{
    return host->cpu_model[0] != '\0' ? host->cpu_model : "unknown CPU";
}

static void put_head(FILE *stream, const struct hwc_profile *profile)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n",
          stream);
    hwc_html_element(stream, "title", "", "hwchar: %s", cpu_of(&profile->host));
    fputs("\n<style>\n", stream);
    for (size_t i = 0; hwc_html_style[i] != NULL; i++)
        fputs(hwc_html_style[i], stream);
    fputs("</style>\n</head>\n<body>\n", stream);
}

static void put_witness(FILE *stream, const struct hwc_profile *profile)
{
    if (strcmp(profile->backend, "none") != 0 && profile->backend[0] != '\0')
        hwc_html_element(stream, "span", "", "counters (%s), and the clock where none counts", profile->backend);
    else
        hwc_html_element(stream, "span", "", "the clock%s%s", profile->backend_reason[0] != '\0' ? "; no counters: " : "",
                         profile->backend_reason);
}

static void put_host(FILE *stream, const struct hwc_profile *profile)
{
    const struct hwc_host *host = &profile->host;

    fputs("<header>\n", stream);
    hwc_html_element(stream, "h1", "", "%s", cpu_of(host));
    fputs("\n<p class=\"soft\">", stream);
    hwc_html_element(stream, "span", "", "%s%s%s", host->arch, host->hypervisor[0] != '\0' ? ", under " : "",
                     host->hypervisor);
    if (host->cpu >= 0)
        hwc_html_element(stream, "span", "", ", CPU %d", host->cpu);
    hwc_html_element(stream, "span", "", "; host %s, %s; %s; hwchar %s", host->name, host->kernel, host->time,
                     profile->version);
    fputs("<br>Measured by ", stream);
    put_witness(stream, profile);
    fputs("</p>\n</header>\n", stream);
}

static void put_curves(FILE *stream, const struct hwc_profile *profile)
{
    if (profile->curves.count == 0)
        return;
    fputs("<h2>Curves</h2>\n<p class=\"soft\">Dashed lines and shaded bands: the levels' boundaries as they were "
          "measured, by whatever means.</p>\n<div class=\"curves\">\n",
          stream);
    for (size_t i = 0; i < profile->curves.count; i++)
        hwc_html_curve(stream, profile, profile->curves.curve[i]);
    fputs("</div>\n", stream);
}

static void put_cells(FILE *stream, const struct hwc_matrix *matrix, int decimals, size_t row)
{
    char text[HWC_MATRIX_CELL];

    fputs("<tr>", stream);
    hwc_html_element(stream, "th", "scope=\"row\"", "%s", matrix->label[row]);
    for (size_t i = 0; i < matrix->count; i++) {
        hwc_matrix_show(text, decimals, *hwc_matrix_at(matrix, row, i));
        hwc_html_element(stream, "td", "class=\"number\"", "%s", text);
    }
    fputs("</tr>\n", stream);
}

static void put_matrix(FILE *stream, const struct hwc_matrix *matrix)
{
    int decimals = hwc_matrix_decimals(matrix);

    hwc_html_element(stream, "h2", "", "%s%s%s", matrix->name, matrix->unit[0] != '\0' ? ", " : "", matrix->unit);
    hwc_html_element(stream, "p", "class=\"soft\"", "%s", matrix->what);
    fputs("<div class=\"matrix\"><table class=\"points\">\n<tr>", stream);
    hwc_html_element(stream, "th", "", "%s", matrix->of);
    for (size_t i = 0; i < matrix->count; i++)
        hwc_html_element(stream, "th", "scope=\"col\" class=\"number\"", "%s", matrix->label[i]);
    fputs("</tr>\n", stream);
    for (size_t row = 0; row < matrix->count; row++)
        put_cells(stream, matrix, decimals, row);
    fputs("</table></div>\n", stream);
}

static void put_event(FILE *stream, const struct hwc_event_record *record)
{
    fputs("<tr>", stream);
    hwc_html_element(stream, "th", "scope=\"row\"", "%s", hwc_event_name(record->event));
    hwc_html_element(stream, "td", record->status == HWC_EVENT_TRUSTED ? "" : "class=\"differs\"", "%s",
                     hwc_event_status_name(record->status));
    hwc_html_element(stream, "td", record->counter[0] == '\0' ? "class=\"empty\"" : "", "%s", record->counter);
    if (record->expected > 0)
        hwc_html_element(stream, "td", "", "%.0f expected, %.0f counted", record->expected, record->counted);
    else
        fputs("<td class=\"empty\"></td>", stream);
    if (record->status == HWC_EVENT_BIASED)
        hwc_html_element(stream, "td", "class=\"soft\"", "counts %.3f for each; corrected. %s", record->factor,
                         record->reason);
    else
        hwc_html_element(stream, "td", record->reason[0] == '\0' ? "class=\"empty\"" : "class=\"soft\"", "%s",
                         record->reason);
    fputs("</tr>\n", stream);
}

static bool is_offered(const struct hwc_event_record *record)
{
    return record->status != HWC_EVENT_ABSENT || record->counter[0] != '\0';
}

static void put_events(FILE *stream, const struct hwc_profile *profile)
{
    unsigned shown = 0;

    for (unsigned i = 0; i < profile->events; i++) {
        if (!is_offered(&profile->event[i]))
            continue;
        if (shown++ == 0)
            fputs("<h2>Counters</h2>\n<p class=\"soft\">Each was held against references whose misses are known "
                  "beforehand.</p>\n<table class=\"findings events\">\n<thead><tr><th>event</th><th>verdict</th>"
                  "<th>counter</th><th>test</th><th></th></tr></thead>\n",
                  stream);
        put_event(stream, &profile->event[i]);
    }
    if (shown > 0)
        fputs("</table>\n", stream);
}

static void put_notes(FILE *stream, const struct hwc_notes *notes)
{
    if (notes->count == 0)
        return;
    fputs("<h2>Notes</h2>\n<ul>\n", stream);
    for (unsigned i = 0; i < notes->count; i++) {
        hwc_html_element(stream, "li", "", "%s", notes->text[i]);
        fputc('\n', stream);
    }
    fputs("</ul>\n", stream);
}

int hwc_profile_write_html(const struct hwc_profile *profile, FILE *stream, struct hwc_error *error)
{
    put_head(stream, profile);
    put_host(stream, profile);
    fputs("<main>\n", stream);
    hwc_html_hierarchy(stream, profile);
    hwc_html_levels(stream, profile);
    if (profile->validation != NULL)
        hwc_html_validation(stream, profile);
    else
        hwc_html_differences(stream, profile);
    hwc_html_unknown(stream, profile);
    put_curves(stream, profile);
    for (size_t i = 0; i < profile->matrices.count; i++)
        put_matrix(stream, profile->matrices.matrix[i]);
    if (hwc_any_finding(profile))
        hwc_html_findings(stream, profile);
    put_events(stream, profile);
    put_notes(stream, &profile->notes);
    fputs("</main>\n</body>\n</html>\n", stream);
    return ferror(stream) ? hwc_fail(error, HWC_SYSTEM, "the profile could not be written as HTML") : HWC_OK;
}
