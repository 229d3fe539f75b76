#include <string.h>

#include "fold.h"
#include "profile_text.h"

/* Is there more to report than that the event is absent? */
static bool has_row(const struct hwc_event_record *record)
{
    return record->status != HWC_EVENT_ABSENT || record->counter[0] != '\0';
}

static size_t event_width(const struct hwc_profile *profile)
{
    size_t width = 5;

    for (unsigned i = 0; i < profile->events; i++)
        if (has_row(&profile->event[i]) && hwc_width_of(hwc_event_name(profile->event[i].event)) > width)
            width = hwc_width_of(hwc_event_name(profile->event[i].event));
    return width;
}

static void put_remark(const struct hwc_event_record *record, const struct hwc_text_style *style, FILE *stream)
{
    struct hwc_fold fold = {.stream = stream, .width = style->width, .indent = 4};
    char factor[64] = "";

    if (record->status == HWC_EVENT_BIASED)
        hwc_write(factor, sizeof factor, "counts %.3f for each; corrected", record->factor);
    if (factor[0] == '\0' && record->reason[0] == '\0')
        return;
    hwc_fold_begin(&fold, "");
    hwc_fold_text(&fold, factor);
    hwc_fold_name(&fold, record->reason);
    hwc_fold_end(&fold);
}

/* Numbers first: a counter's name may be longer than a line, and goes on in the next ones. */
static void put_columns(FILE *stream, size_t width, const char *event, const char *const columns[4])
{
    fprintf(stream, "%-*s  %-8s  %8s  %8s  %8s  ", (int)width, event, columns[0], columns[1], columns[2], columns[3]);
}

/* Of all columns up to the counter's name. */
static size_t indent_of(size_t width)
{
    return width + 2 + 8 + (size_t)3 * 10 + 2;
}

static void put_row(const struct hwc_event_record *record, size_t width, const struct hwc_text_style *style,
                    FILE *stream)
{
    char expected[32] = "-", counted[32] = "-", overhead[32] = "-";
    /* What the kernel counts itself is no suspect. */
    const char *verdict =
        record->status == HWC_EVENT_ABSENT ? "untested" : hwc_event_status_name(record->status);
    const char *const columns[] = {verdict, expected, counted, overhead};
    struct hwc_fold fold = {.stream = stream, .width = style->width, .indent = indent_of(width)};
    char quality[sizeof record->quality + 4] = "";

    if (record->expected > 0) {
        hwc_write(expected, sizeof expected, "%.0f", record->expected);
        hwc_write(counted, sizeof counted, "%.0f", record->counted);
        hwc_write(overhead, sizeof overhead, "%.1f", record->overhead);
    }
    put_columns(stream, width, hwc_event_name(record->event), columns);
    fold.column = fold.indent;
    if (record->quality[0] != '\0')
        hwc_write(quality, sizeof quality, "(%s)", record->quality);
    hwc_fold_name(&fold, record->counter[0] != '\0' ? record->counter : "-");
    hwc_fold_text(&fold, quality);
    hwc_fold_end(&fold);
    put_remark(record, style, stream);
}

static void put_header(size_t width, FILE *stream)
{
    static const char *const columns[] = {"verdict", "expected", "counted", "overhead"};

    fputc('\n', stream);
    put_columns(stream, width, "event", columns);
    fputs("counter\n", stream);
}

static bool has_rows(const struct hwc_profile *profile)
{
    for (unsigned i = 0; i < profile->events; i++)
        if (has_row(&profile->event[i]))
            return true;
    return false;
}

/* Without the native counter that was tried first. */
static const char *cause_of(const struct hwc_event_record *record)
{
    return record->reason + record->cause_at;
}

/* Where nothing is counted, what several events lack is what the paragraph on that says. */
static bool is_said(const struct hwc_profile *profile, unsigned i)
{
    if (profile->backend_reason[0] == '\0')
        return false;
    for (unsigned k = 0; k < profile->events; k++)
        if (k != i && !has_row(&profile->event[k]) &&
            strcmp(cause_of(&profile->event[k]), cause_of(&profile->event[i])) == 0)
            return true;
    return profile->event[i].reason[0] == '\0';
}

static bool are_absent_alike(const struct hwc_profile *profile, unsigned a, unsigned b)
{
    if (has_row(&profile->event[a]) || has_row(&profile->event[b]))
        return false;
    return is_said(profile, a) ? is_said(profile, b)
                               : strcmp(cause_of(&profile->event[a]), cause_of(&profile->event[b])) == 0;
}

/* List the events that are absent for the same reason as `first`, the first of them, and give the reason once. */
static void put_absent(const struct hwc_profile *profile, unsigned first, struct hwc_fold *fold)
{
    const struct hwc_event_record *record = &profile->event[first];
    const char *before = "absent:";
    unsigned listed = 0;

    fputc('\n', fold->stream);
    hwc_fold_begin(fold, "");
    hwc_fold_text(fold, before);
    for (unsigned i = first; i < profile->events; i++)
        if (are_absent_alike(profile, first, i)) {
            hwc_fold_text(fold, hwc_event_name(profile->event[i].event));
            listed++;
        }
    hwc_fold_end(fold);
    if (!is_said(profile, first))
        hwc_fold_paragraph(fold, "", listed > 1 ? cause_of(record) : record->reason);
}

static bool is_first_of_reason(const struct hwc_profile *profile, unsigned i)
{
    for (unsigned k = 0; k < i; k++)
        if (are_absent_alike(profile, k, i))
            return false;
    return !has_row(&profile->event[i]);
}

void hwc_events_write_text(const struct hwc_profile *profile, const struct hwc_text_style *style, FILE *stream)
{
    struct hwc_fold fold = {.stream = stream, .width = style->width};
    size_t width = event_width(profile);

    fprintf(stream, "backend: %s\n", profile->backend);
    hwc_fold_paragraph(&fold, "", profile->backend_reason);
    if (has_rows(profile))
        put_header(width, stream);
    for (unsigned i = 0; i < profile->events; i++)
        if (has_row(&profile->event[i]))
            put_row(&profile->event[i], width, style, stream);
    for (unsigned i = 0; i < profile->events; i++)
        if (is_first_of_reason(profile, i))
            put_absent(profile, i, &fold);
}
