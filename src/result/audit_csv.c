#include <math.h>

#include "audit_report.h"
#include "audit_words.h"
#include "csv_writer.h"

static void put_counts(FILE *stream, const struct hwc_audited *audited)
{
    const struct hwc_audit_counts *counts = &audited->counts;
    bool rises = counts->rises > 0;

    for (int i = 0; i < HWC_PATTERNS; i++)
        hwc_csv_column_number(stream, counts->has[i], round(counts->of[i] * 1e4) / 1e4);
    hwc_csv_column_number(stream, rises, round(counts->rise[0].low));
    hwc_csv_column_number(stream, rises, round(counts->rise[0].high));
    hwc_csv_column(stream, rises, hwc_outgrown_unit(counts->outgrown));
    hwc_csv_column_number(stream, audited->finding.level[0] > 0, audited->finding.level[0]);
    hwc_csv_column(stream, audited->finding.prefetched != HWC_PREFETCHED_NOT_TOLD,
                   hwc_prefetched_word(audited->finding.prefetched));
}

static void put_row(FILE *stream, const struct hwc_audited *audited)
{
    const struct hwc_event_source *source = &audited->listed.source;
    char verdict[HWC_MESSAGE];

    hwc_audit_say(audited, verdict);
    hwc_csv_text(stream, source->counter);
    hwc_csv_column(stream, source->backend != NULL, source->backend);
    hwc_csv_column(stream, true, hwc_audit_verdict_name(audited->finding.verdict));
    hwc_csv_column(stream, true, verdict);
    put_counts(stream, audited);
    hwc_csv_column(stream, true, audited->listed.definition);
    hwc_csv_column(stream, true, audited->listed.description);
    hwc_csv_column(stream, true, audited->reason);
    fputc('\n', stream);
}

int hwc_audit_write_csv(const struct hwc_profile *profile, FILE *stream, struct hwc_error *error)
{
    const struct hwc_audits *audits = &profile->audits;

    fputs("counter,backend,verdict,says", stream);
    for (int i = 0; i < HWC_PATTERNS; i++)
        fprintf(stream, ",%s", hwc_pattern_name((enum hwc_pattern)i));
    fputs(",rises_low,rises_high,rises_unit,rises_level,prefetched,definition,description,reason\n", stream);
    for (unsigned i = 0; i < audits->count; i++)
        put_row(stream, &audits->counter[i]);
    return ferror(stream) ? hwc_fail(error, HWC_SYSTEM, "the audit could not be written as CSV") : HWC_OK;
}
