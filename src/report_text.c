#include "report_text.h"

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

static void print_finding(FILE *stream, const char *level, const char *what, const char *unit,
                          const struct hwc_finding *finding)
{
    char value[256] = "unknown";
    char documented[64] = "-";
    char agreement[16] = "-";
    char witness[160] = "-";

    if (!finding->asked)
        return;
    if (finding->known) {
        if (finding->text[0] != '\0')
            snprintf(value, sizeof value, "%s", finding->text);
        else if (finding->boolean)
            snprintf(value, sizeof value, "%s", finding->value != 0 ? "yes" : "no");
        else
            format_value(value, sizeof value, finding->value, unit);
        if (finding->nanoseconds > 0)
            snprintf(value + strlen(value), sizeof value - strlen(value), " (%.1f ns)", finding->nanoseconds);
        snprintf(witness, sizeof witness, "%s%s%s", hwc_witness_name(finding->witness),
                 finding->counter[0] != '\0' ? ": " : "", finding->counter);
    }
    if (finding->votes > 0)
        snprintf(agreement, sizeof agreement, "%u/%u", finding->alike, finding->votes);
    if (finding->has_documented)
        format_value(documented, sizeof documented, finding->documented, unit);
    fprintf(stream, "%-7s %-15s %-22s %-6s %-12s %s\n", level, what, value, agreement, documented,
            finding->known ? witness : finding->reason);
}

static void print_cache(FILE *stream, const struct hwc_cache_profile *cache, bool code)
{
    char level[16];

    snprintf(level, sizeof level, "L%u%s", cache->level, code ? "i" : cache->level == 1 ? "d" : "");
    print_finding(stream, level, "line size", "bytes", &cache->line_size);
    print_finding(stream, "", "size", "bytes", &cache->size);
    print_finding(stream, "", "associativity", "ways", &cache->associativity);
    print_finding(stream, "", "latency", "cycles", &cache->latency);
    if (cache->miss_penalty.known)
        print_finding(stream, "", "miss penalty", "cycles", &cache->miss_penalty);
    if (cache->effective_size.known && (!cache->size.known || cache->effective_size.value != cache->size.value))
        print_finding(stream, "", "effective size", "bytes", &cache->effective_size);
    print_finding(stream, "", "inclusion", "", &cache->inclusion);
    print_finding(stream, "", "replacement", "", &cache->replacement);
    print_finding(stream, "", "write allocation", "", &cache->write_allocate);
    print_finding(stream, "", "write back", "", &cache->write_back);
    print_finding(stream, "", "unified", "", &cache->unified);
    if (cache->bypassed_by_float.value != 0)
        print_finding(stream, "", "float bypasses", "", &cache->bypassed_by_float);
}

static void print_tlb(FILE *stream, const struct hwc_tlb_profile *tlb)
{
    char level[16];

    snprintf(level, sizeof level, "TLB%u%s", tlb->level, tlb->code ? "i" : "d");
    print_finding(stream, level, "page size", "bytes", &tlb->page_size);
    print_finding(stream, "", "entries", "", &tlb->entries);
    print_finding(stream, "", "associativity", "ways", &tlb->associativity);
    print_finding(stream, "", "replacement", "", &tlb->replacement);
    print_finding(stream, "", "miss penalty", "cycles", &tlb->miss_penalty);
    print_finding(stream, "", "unified", "", &tlb->unified);
    print_finding(stream, "", "all page sizes", "", &tlb->shared_by_page_sizes);
    print_finding(stream, "", "sub-page size", "bytes", &tlb->sub_page_size);
}

static void print_btb(FILE *stream, const struct hwc_btb_profile *btb, unsigned number)
{
    char level[16];

    snprintf(level, sizeof level, "BTB%u", number);
    print_finding(stream, level, "entries", "", &btb->entries);
    print_finding(stream, "", "miss penalty", "cycles", &btb->miss_penalty);
}

void hwc_report_text(const struct hwc_profile *profile, FILE *stream)
{
    const struct hwc_host *host = &profile->host;

    fprintf(stream, "%s, %s%s%s", host->cpu_model[0] != '\0' ? host->cpu_model : "unknown CPU", host->arch,
            host->hypervisor[0] != '\0' ? ", under " : "", host->hypervisor);
    if (host->cpu >= 0)
        fprintf(stream, ", CPU %d", host->cpu);
    fprintf(stream, "\n\n%-7s %-15s %-22s %-6s %-12s %s\n", "", "", "measured", "votes", "documented", "witness");
    for (unsigned i = 0; i < profile->caches; i++)
        print_cache(stream, &profile->cache[i], false);
    for (unsigned i = 0; i < profile->code_caches; i++)
        print_cache(stream, &profile->code_cache[i], true);
    for (unsigned i = 0; i < profile->tlbs; i++)
        print_tlb(stream, &profile->tlb[i]);
    for (unsigned i = 0; i < profile->btbs; i++)
        print_btb(stream, &profile->btb[i], i + 1);
    print_finding(stream, "memory", "latency", "cycles", &profile->memory_latency);
    print_finding(stream, "", "page size", "bytes", &profile->page_size);
    print_finding(stream, "", "huge page size", "bytes", &profile->huge_page_size);
    print_finding(stream, "", "effective page", "bytes", &profile->effective_page_size);
    print_finding(stream, "core", "frequency", "MHz", &profile->frequency);
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
