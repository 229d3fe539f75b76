#include <math.h>

#include "audit_report.h"
#include "audit_words.h"

static json_t *rounded(double value)
{
    return hwc_json_number(round(value * 1e4) / 1e4);
}

static json_t *counts_json(struct hwc_json_writer *writer, const struct hwc_audit_counts *counts)
{
    json_t *json = json_object();

    for (int i = 0; i < HWC_PATTERNS; i++)
        if (counts->has[i])
            hwc_json_set(writer, json, hwc_pattern_name((enum hwc_pattern)i), rounded(counts->of[i]));
    return json;
}

static json_t *rises_json(struct hwc_json_writer *writer, const struct hwc_audited *audited)
{
    const struct hwc_audit_counts *counts = &audited->counts;
    json_t *list = json_array();

    for (unsigned i = 0; i < counts->rises; i++) {
        json_t *json = json_object();
        unsigned level = audited->finding.level[i];
        hwc_json_set(writer, json, "low", hwc_json_number(round(counts->rise[i].low)));
        hwc_json_set(writer, json, "high", hwc_json_number(round(counts->rise[i].high)));
        hwc_json_set(writer, json, "unit", json_string(hwc_outgrown_unit(counts->outgrown)));
        hwc_json_set(writer, json, "from", rounded(counts->rise[i].from));
        hwc_json_set(writer, json, "to", rounded(counts->rise[i].to));
        hwc_json_set(writer, json, "level", level > 0 ? json_integer(level) : json_null());
        hwc_json_append(writer, list, "rises", json);
    }
    return list;
}

static void set_text(struct hwc_json_writer *writer, json_t *json, const char *key, const char *text)
{
    if (text[0] != '\0')
        hwc_json_set(writer, json, key, hwc_json_words(text));
}

static void set_counted(struct hwc_json_writer *writer, json_t *json, const struct hwc_audited *audited)
{
    const struct hwc_audit_finding *finding = &audited->finding;
    const char *prefetched = hwc_prefetched_word(finding->prefetched);

    hwc_json_set(writer, json, "counts", counts_json(writer, &audited->counts));
    hwc_json_set(writer, json, "rises", rises_json(writer, audited));
    if (audited->counts.largest > 0)
        hwc_json_set(writer, json, "largest", hwc_json_number(round(audited->counts.largest)));
    hwc_json_set(writer, json, "loads", json_boolean(finding->loads));
    hwc_json_set(writer, json, "stores", json_boolean(finding->stores));
    hwc_json_set(writer, json, "fetches", json_boolean(finding->fetches));
    hwc_json_set(writer, json, "walks", json_boolean(finding->walks));
    hwc_json_set(writer, json, "prefetched", prefetched != NULL ? json_string(prefetched) : json_null());
}

static json_t *counter_json(struct hwc_json_writer *writer, const struct hwc_audited *audited)
{
    json_t *json = json_object();
    char verdict[HWC_MESSAGE];

    hwc_audit_say(audited, verdict);
    hwc_json_set(writer, json, "counter", hwc_json_words(audited->listed.source.counter));
    if (audited->listed.source.backend != NULL)
        hwc_json_set(writer, json, "backend", json_string(audited->listed.source.backend));
    hwc_json_set(writer, json, "verdict", json_string(hwc_audit_verdict_name(audited->finding.verdict)));
    hwc_json_set(writer, json, "says", hwc_json_words(verdict));
    set_text(writer, json, "definition", audited->listed.definition);
    set_text(writer, json, "description", audited->listed.description);
    set_text(writer, json, "reason", audited->reason);
    if (audited->counted)
        set_counted(writer, json, audited);
    return json;
}

static json_t *ends_json(struct hwc_json_writer *writer, const struct hwc_audit_ends *ends)
{
    json_t *list = json_array();

    for (unsigned i = 0; i < ends->levels; i++)
        hwc_json_append(writer, list, "levels", hwc_json_number(round(ends->end[i])));
    return list;
}

json_t *hwc_audit_json(struct hwc_json_writer *writer, const struct hwc_audits *audits)
{
    const struct hwc_audit_levels *levels = &audits->levels;
    json_t *json = json_object(), *list = json_array();

    hwc_json_set(writer, json, "caches_by", json_string(levels->by_clock ? "clock" : "counters"));
    hwc_json_set(writer, json, "caches_end", ends_json(writer, &levels->caches));
    hwc_json_set(writer, json, "tlbs_end", ends_json(writer, &levels->tlbs));
    for (unsigned i = 0; i < audits->count; i++)
        hwc_json_append(writer, list, "counters", counter_json(writer, &audits->counter[i]));
    hwc_json_set(writer, json, "counters", list);
    return json;
}
