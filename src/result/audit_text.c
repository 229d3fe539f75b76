#include "audit_report.h"
#include "audit_words.h"
#include "fold.h"

/* Of the labels, which stand before all of a counter's lines but the first. */
static const size_t indent = 12;

static const size_t name_width = 5; /* of the shortest names, with a space */

static void put_line(FILE *stream, const struct hwc_text_style *style, const char *label, const char *text)
{
    struct hwc_fold fold = {.stream = stream, .width = style->width, .indent = indent};

    hwc_fold_paragraph(&fold, label, text);
}

/* Patterns that were not asked of the counter are left out. */
static void put_counts(FILE *stream, const struct hwc_text_style *style, const struct hwc_audit_counts *counts)
{
    struct hwc_fold fold = {.stream = stream, .width = style->width, .indent = indent};
    char text[64];

    hwc_fold_begin(&fold, "    counts");
    for (int i = 0; i < HWC_PATTERNS; i++)
        if (counts->has[i]) {
            hwc_write(text, sizeof text, "%s %.2f", hwc_pattern_name((enum hwc_pattern)i), counts->of[i]);
            for (char *c = text; *c != '\0'; c++)
                *c = *c == '_' ? ' ' : *c;
            hwc_fold_piece(&fold, 3, text);
        }
    hwc_fold_end(&fold);
}

static void put_head(FILE *stream, const struct hwc_text_style *style, const struct hwc_audited *audited)
{
    struct hwc_fold fold = {.stream = stream, .width = style->width};
    char verdict[HWC_MESSAGE];

    hwc_audit_say(audited, verdict);
    hwc_fold_begin(&fold, "");
    hwc_fold_name(&fold, audited->listed.source.counter);
    hwc_fold_pad(&fold, name_width);
    fold.indent = name_width - 1;
    hwc_fold_text(&fold, verdict);
    hwc_fold_end(&fold);
}

static void put_counter(FILE *stream, const struct hwc_text_style *style, const struct hwc_audits *audits,
                        const struct hwc_audited *audited)
{
    char text[HWC_MESSAGE];

    fputc('\n', stream);
    put_head(stream, style, audited);
    put_line(stream, style, "    is", audited->listed.definition);
    put_line(stream, style, "    meant", audited->listed.description);
    put_line(stream, style, "    but", audited->reason);
    if (!audited->counted)
        return;
    put_counts(stream, style, &audited->counts);
    hwc_audit_say_rises(audited, &audits->levels, text);
    put_line(stream, style, "    rises", text);
    hwc_audit_say_parts(audited, text);
    put_line(stream, style, "    holds", text);
}

static void put_summary(FILE *stream, const struct hwc_text_style *style, const struct hwc_audits *audits)
{
    struct hwc_fold fold = {.stream = stream, .width = style->width};
    unsigned named = 0, right = 0;
    char text[HWC_MESSAGE];

    for (unsigned i = 0; i < audits->count; i++) {
        enum hwc_audit_verdict verdict = audits->counter[i].finding.verdict;
        named += verdict != HWC_AUDIT_UNNAMED && verdict != HWC_AUDIT_ABSENT;
        right += verdict == HWC_AUDIT_AS_NAMED;
    }
    hwc_write(text, sizeof text, "%u counters; %u of %u whose names say what could be tested mean it", audits->count,
              right, named);
    hwc_fold_paragraph(&fold, "", text);
    hwc_audit_say_levels(&audits->levels, text);
    hwc_fold_paragraph(&fold, "", text);
}

void hwc_audit_write_text(const struct hwc_profile *profile, const struct hwc_text_style *style, FILE *stream)
{
    const struct hwc_audits *audits = &profile->audits;

    fprintf(stream, "backend: %s\n", profile->backend);
    put_summary(stream, style, audits);
    for (unsigned i = 0; i < audits->count; i++)
        put_counter(stream, style, audits, &audits->counter[i]);
}
