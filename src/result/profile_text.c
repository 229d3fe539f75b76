#include "profile_text.h"

#include <math.h>
#include <string.h>

static void format_value(char *text, size_t size, double value, const char *unit)
{
    if (strcmp(unit, "bytes") != 0) {
        if (value == floor(value))
            snprintf(text, size, "%.0f %s", value, unit);
        else
            snprintf(text, size, "%.1f %s", value, unit);
    } else if (value >= 1 << 20 && fmod(value, 1 << 16) == 0) {
        snprintf(text, size, "%.6g MiB", value / (1 << 20));
    } else if (value >= 1024 && fmod(value, 64) == 0) {
        snprintf(text, size, "%.6g KiB", value / 1024);
    } else {
        snprintf(text, size, "%.0f bytes", value);
    }
}

static void print_finding(FILE *stream, const char *level, const struct hwc_field *field,
                          const struct hwc_finding *finding)
{
    char value[256] = "unknown";
    char documented[64] = "-";
    char agreement[16] = "-";
    char witness[160] = "-";

    if (finding->known) {
        if (field->kind == HWC_VALUE_WORD)
            snprintf(value, sizeof value, "%s", finding->text);
        else if (field->kind == HWC_VALUE_BOOLEAN)
            snprintf(value, sizeof value, "%s", finding->value != 0 ? "yes" : "no");
        else
            format_value(value, sizeof value, finding->value, field->unit);
        if (finding->nanoseconds > 0)
            snprintf(value + strlen(value), sizeof value - strlen(value), " (%.1f ns)", finding->nanoseconds);
        snprintf(witness, sizeof witness, "%s%s%s", hwc_witness_name(finding->witness),
                 finding->counter[0] != '\0' ? ": " : "", finding->counter);
    }
    if (finding->votes > 0)
        snprintf(agreement, sizeof agreement, "%u/%u", finding->alike, finding->votes);
    if (finding->has_documented)
        format_value(documented, sizeof documented, finding->documented, field->unit);
    fprintf(stream, "%-7s %-20s %-22s %-6s %-12s %s\n", level, field->label, value, agreement, documented,
            finding->known ? witness : finding->reason);
}

static void print_place(FILE *stream, const struct hwc_place *place)
{
    char name[HWC_PLACE_NAME];
    const char *level = hwc_place_name(place, name);

    for (enum hwc_field_id id = hwc_next_field(place->group, HWC_NO_FIELD); id != HWC_NO_FIELD;
         id = hwc_next_field(place->group, id)) {
        if (!place->record->finding[id].asked)
            continue;
        print_finding(stream, level, &hwc_fields[id], &place->record->finding[id]);
        level = "";
    }
}

void hwc_report_text(const struct hwc_profile *profile, FILE *stream)
{
    const struct hwc_host *host = &profile->host;
    struct hwc_place place;

    fprintf(stream, "%s, %s%s%s", host->cpu_model[0] != '\0' ? host->cpu_model : "unknown CPU", host->arch,
            host->hypervisor[0] != '\0' ? ", under " : "", host->hypervisor);
    if (host->cpu >= 0)
        fprintf(stream, ", CPU %d", host->cpu);
    fprintf(stream, "\n\n%-7s %-20s %-22s %-6s %-12s %s\n", "", "", "measured", "votes", "documented", "witness");
    for (unsigned i = 0; hwc_profile_place(profile, i, &place); i++)
        print_place(stream, &place);
    if (profile->notes.count > 0)
        fputs("\nnotes\n", stream);
    for (unsigned i = 0; i < profile->notes.count; i++)
        fprintf(stream, "- %s\n", profile->notes.text[i]);
}

void hwc_report_events(const struct hwc_profile *profile, FILE *stream)
{
    fprintf(stream, "backend: %s\n", profile->backend);
    if (profile->backend_reason[0] != '\0')
        fprintf(stream, "%s\n", profile->backend_reason);
    fprintf(stream, "\n%-15s %-9s %-44s %-20s %9s %9s %9s  %s\n", "event", "verdict", "counter", "quality", "expected",
            "counted", "overhead", "remark");
    for (unsigned i = 0; i < profile->events; i++) {
        const struct hwc_event_record *record = &profile->event[i];
        fprintf(stream, "%-15s %-9s %-44s %-20s ", hwc_event_name(record->event),
                hwc_event_status_name(record->status), record->counter[0] != '\0' ? record->counter : "-",
                record->quality[0] != '\0' ? record->quality : "-");
        if (record->expected > 0)
            fprintf(stream, "%9.0f %9.0f %9.1f  ", record->expected, record->counted, record->overhead);
        else
            fprintf(stream, "%9s %9s %9s  ", "-", "-", "-");
        if (record->status == HWC_EVENT_BIASED)
            fprintf(stream, "counts %.3f for each; corrected", record->factor);
        fprintf(stream, "%s\n", record->reason);
    }
}
