#include "export.h"

#include <ctype.h>

#include "identity.h"
#include "json_writer.h"
#include "parts.h"
#include "spelling.h"

const char *hwc_export_name(enum hwc_export form)
{
    static const char *const names[HWC_EXPORTS] = {"map", "papi", "perf"};

    return names[form];
}

struct exporting {
    FILE *stream;
    struct ctr_core_pmu core;
    const char *family;
    unsigned written;
};

static void put_quoted(FILE *stream, const char *text)
{
    json_t *words = hwc_json_words(text);

    json_dumpf(words, stream, JSON_ENCODE_ANY);
    json_decref(words);
}

static void put_in_map(struct exporting *exporting, const struct hwc_event_record *record)
{
    fprintf(exporting->stream, "%s\n  \"%s\": ", exporting->written++ > 0 ? "," : "", hwc_event_name(record->event));
    put_quoted(exporting->stream, record->counter);
}

/* What follows an event's name in PAPI's file: "NOT_DERIVED,A", or "DERIVED_ADD,A,B". */
static bool derive_for_papi(const char *counter, char *text, size_t size)
{
    char part[CTR_MOST_PARTS][HWC_NATIVE_NAME], spelled[HWC_NATIVE_NAME + 16];
    unsigned parts = ctr_parts(counter, part);
    int used = snprintf(text, size, "%s", parts > 1 ? "DERIVED_ADD" : "NOT_DERIVED");

    for (unsigned i = 0; i < parts && used < (int)size; i++) {
        if (!ctr_papi_spelling(part[i], spelled, sizeof spelled))
            return false;
        used += snprintf(text + used, size - (size_t)used, ",%s", spelled);
    }
    return parts > 0 && used < (int)size;
}

static void put_for_papi(struct exporting *exporting, const struct hwc_event_record *record)
{
    char derived[CTR_MOST_PARTS * (HWC_NATIVE_NAME + 16)], name[64];

    if (!derive_for_papi(record->counter, derived, sizeof derived)) {
        fprintf(exporting->stream, "# %s: PAPI has no native event for %s\n", hwc_event_name(record->event),
                record->counter);
        return;
    }
    snprintf(name, sizeof name, "HWCHAR_%s", hwc_event_name(record->event));
    for (char *c = name; *c != '\0'; c++)
        *c = (char)toupper((unsigned char)*c);
    fprintf(exporting->stream, "EVENT,%s,%s\n", name, derived);
    exporting->written++;
}

/* Counters that add up to an event are shown beside each other: "itlb_miss.1", "itlb_miss.2". */
static void put_for_perf(struct exporting *exporting, const struct hwc_event_record *record)
{
    char part[CTR_MOST_PARTS][HWC_NATIVE_NAME], spelled[CTR_MOST_PARTS][HWC_NATIVE_NAME + 64], label[64];
    unsigned parts = ctr_parts(record->counter, part);
    bool known = true;

    for (unsigned i = 0; i < parts; i++) {
        snprintf(label, sizeof label, parts > 1 ? "%s.%u" : "%s", hwc_event_name(record->event), i + 1);
        known = known && ctr_perf_spelling(&exporting->core, part[i], label, spelled[i], sizeof spelled[i]);
    }
    for (unsigned i = 0; i < parts && known; i++)
        fprintf(exporting->stream, "%s%s", exporting->written++ > 0 ? "," : "", spelled[i]);
}

static void begin(struct exporting *exporting, enum hwc_export form)
{
    if (form == HWC_EXPORT_MAP)
        fputs("{\"schema\": \"hwchar-events/1\",\n \"events\": {", exporting->stream);
    if (form == HWC_EXPORT_PAPI)
        fprintf(exporting->stream, "# PAPI_USER_EVENTS_FILE: events that hwchar found to count what they say\nCPU,%s\n",
                exporting->family != NULL ? exporting->family : "perf");
}

static void end(struct exporting *exporting, enum hwc_export form)
{
    if (form == HWC_EXPORT_MAP)
        fputs("}}\n", exporting->stream);
    if (form == HWC_EXPORT_PERF && exporting->written > 0)
        fputc('\n', exporting->stream);
}

/* Counted by a backend of this machine: page faults may be the system's own figures. */
static bool is_wanted(const struct hwc_event_record *record, enum hwc_export form)
{
    if (record->backend[0] == '\0')
        return false;
    return form == HWC_EXPORT_MAP ? hwc_is_believed(record) : record->status == HWC_EVENT_TRUSTED;
}

int hwc_export_events(const struct hwc_profile *profile, enum hwc_export form, FILE *stream, struct hwc_error *error)
{
    static void (*const put[HWC_EXPORTS])(struct exporting *, const struct hwc_event_record *) = {
        put_in_map, put_for_papi, put_for_perf};
    struct exporting exporting = {.stream = stream};
    bool any = false;

    for (unsigned i = 0; i < profile->events; i++)
        any = any || is_wanted(&profile->event[i], form);
    if (!any)
        return hwc_fail(error, HWC_UNAVAILABLE, "--export=%s: no event is counted here that can be believed (--events "
                                                "says why)", hwc_export_name(form));
    ctr_find_core_pmu(profile->host.cpu, &exporting.core);
    exporting.family = ctr_cpu_family(profile->host.cpu, &exporting.core);
    begin(&exporting, form);
    for (unsigned i = 0; i < profile->events; i++)
        if (is_wanted(&profile->event[i], form))
            put[form](&exporting, &profile->event[i]);
    end(&exporting, form);
    if (exporting.written == 0)
        return hwc_fail(error, HWC_UNAVAILABLE, "--export=%s: it has a name for none of the events that can be believed "
                                                "(--events lists them)", hwc_export_name(form));
    return HWC_OK;
}
