#include <string.h>

#include "fold.h"
#include "profile_text.h"

/* Is there more to report than that the event is absent? */
static bool has_row(const struct hwc_event_record *record)
{
    return record->status != HWC_EVENT_ABSENT || record->counter[0] != '\0';
}

struct widths {
    int event, counter, quality;
};

static int wider(int width, const char *text)
{
    int other = (int)hwc_width_of(text);
    return other > width ? other : width;
}

static struct widths widths_of(const struct hwc_profile *profile)
{
    struct widths widths = {.event = 5, .counter = 7, .quality = 7};

    for (unsigned i = 0; i < profile->events; i++) {
        const struct hwc_event_record *record = &profile->event[i];
        if (!has_row(record))
            continue;
        widths.event = wider(widths.event, hwc_event_name(record->event));
        widths.counter = wider(widths.counter, record->counter);
        widths.quality = wider(widths.quality, record->quality);
    }
    return widths;
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
    hwc_fold_text(&fold, record->reason);
    hwc_fold_end(&fold);
}

static void put_row(const struct hwc_event_record *record, const struct widths *widths,
                    const struct hwc_text_style *style, FILE *stream)
{
    char expected[32] = "-", counted[32] = "-", overhead[32] = "-";

    if (record->expected > 0) {
        hwc_write(expected, sizeof expected, "%.0f", record->expected);
        hwc_write(counted, sizeof counted, "%.0f", record->counted);
        hwc_write(overhead, sizeof overhead, "%.1f", record->overhead);
    }
    fprintf(stream, "%-*s  %-8s  %-*s  %-*s  %8s  %8s  %8s\n", widths->event, hwc_event_name(record->event),
            hwc_event_status_name(record->status), widths->counter, record->counter[0] != '\0' ? record->counter : "-",
            widths->quality, record->quality[0] != '\0' ? record->quality : "-", expected, counted, overhead);
    put_remark(record, style, stream);
}

static bool is_absent_because(const struct hwc_event_record *record, const char *reason)
{
    return !has_row(record) && strcmp(record->reason, reason) == 0;
}

/* List the events that are absent for the same reason as `first`, the first of them, and give the reason once. */
static void put_absent(const struct hwc_profile *profile, unsigned first, struct hwc_fold *fold)
{
    const char *reason = profile->event[first].reason;
    const char *before = "absent:";

    fputc('\n', fold->stream);
    hwc_fold_begin(fold, "");
    hwc_fold_text(fold, before);
    for (unsigned i = first; i < profile->events; i++)
        if (is_absent_because(&profile->event[i], reason))
            hwc_fold_text(fold, hwc_event_name(profile->event[i].event));
    hwc_fold_end(fold);
    if (strcmp(reason, profile->backend_reason) == 0 || reason[0] == '\0')
        return;
    hwc_fold_begin(fold, "");
    hwc_fold_text(fold, reason);
    hwc_fold_end(fold);
}

static bool is_first_of_reason(const struct hwc_profile *profile, unsigned i)
{
    for (unsigned k = 0; k < i; k++)
        if (is_absent_because(&profile->event[k], profile->event[i].reason))
            return false;
    return !has_row(&profile->event[i]);
}

void hwc_events_write_text(const struct hwc_profile *profile, const struct hwc_text_style *style, FILE *stream)
{
    struct hwc_fold fold = {.stream = stream, .width = style->width};
    struct widths widths = widths_of(profile);

    fprintf(stream, "backend: %s\n", profile->backend);
    hwc_fold_begin(&fold, "");
    hwc_fold_text(&fold, profile->backend_reason);
    if (profile->backend_reason[0] != '\0')
        hwc_fold_end(&fold);
    fprintf(stream, "\n%-*s  %-8s  %-*s  %-*s  %8s  %8s  %8s\n", widths.event, "event", "verdict", widths.counter,
            "counter", widths.quality, "quality", "expected", "counted", "overhead");
    for (unsigned i = 0; i < profile->events; i++)
        if (has_row(&profile->event[i]))
            put_row(&profile->event[i], &widths, style, stream);
    for (unsigned i = 0; i < profile->events; i++)
        if (is_first_of_reason(profile, i))
            put_absent(profile, i, &fold);
}
