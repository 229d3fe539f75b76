#include "audit_words.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "show.h"

static void add(char text[HWC_MESSAGE], const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(char text[HWC_MESSAGE], const char *format, ...)
{
    size_t used = strlen(text);
    va_list arguments;

    va_start(arguments, format);
    hwc_write_list(text + used, HWC_MESSAGE - used, format, arguments);
    va_end(arguments);
}

const char *hwc_outgrown_unit(enum hwc_outgrown outgrown)
{
    return hwc_outgrew_pages(outgrown) ? "pages" : "bytes";
}

const char *hwc_prefetched_word(enum hwc_prefetched prefetched)
{
    return prefetched == HWC_PREFETCHED_IN ? "in" : prefetched == HWC_PREFETCHED_OUT ? "out" : NULL;
}

/* One decimal at most. */
static void add_size(char text[HWC_MESSAGE], bool pages, double size)
{
    char shown[HWC_SHOWN];

    if (pages) {
        add(text, "%.0f pages", size);
    } else if (size < 1024) {
        add(text, "%.0f bytes", size);
    } else {
        static const char *const units[] = {"KiB", "MiB", "GiB"};
        unsigned unit = 0;
        size /= 1024;
        for (; size >= 1024 && unit < 2; unit++)
            size /= 1024;
        snprintf(shown, sizeof shown, size < 9.95 && size > (double)(unsigned)size + 0.05 ? "%.1f" : "%.0f", size);
        add(text, "%s %s", shown, units[unit]);
    }
}

static void say_other_level(const struct hwc_audited *audited, char text[HWC_MESSAGE])
{
    const struct hwc_audit_finding *finding = &audited->finding;
    const char *what = hwc_outgrew_pages(audited->counts.outgrown) ? "TLB " : "";

    if (audited->counts.rises == 0)
        add(text, "counts another level: no walk of up to ");
    else if (finding->level[0] > 0)
        add(text, "counts another level: misses of %slevel %u", what, finding->level[0]);
    else
        add(text, "counts another level: none that shows otherwise");
    if (audited->counts.rises == 0) {
        add_size(text, hwc_outgrew_pages(audited->counts.outgrown), audited->counts.largest);
        add(text, " misses");
    }
    if (audited->claim.level > 0)
        add(text, ", not of %slevel %u", what, audited->claim.level);
    else if (audited->claim.last)
        add(text, ", not of the last");
}

static void say_sum(const struct hwc_audited *audited, char text[HWC_MESSAGE])
{
    const struct hwc_audit_finding *finding = &audited->finding;

    add(text, "adds up misses of %u levels", audited->counts.rises);
    for (unsigned i = 0; i < audited->counts.rises; i++)
        if (finding->level[i] > 0)
            add(text, "%s%u", i == 0 ? ": " : " and ", finding->level[i]);
}

static void say_others(const struct hwc_audited *audited, char text[HWC_MESSAGE])
{
    const struct hwc_audit_finding *finding = &audited->finding;
    const struct hwc_claim *claim = &audited->claim;

    add(text, "counts other references: ");
    if (claim->of == HWC_CLAIMS_TRANSLATIONS)
        add(text, finding->each < 0.5 ? "not those that a TLB misses" : "lines that miss a cache");
    else if (claim->stores && claim->loads && !finding->stores && finding->loads)
        add(text, "no stores");
    else if (!claim->stores && finding->stores)
        add(text, "stores, too");
    else if (!claim->loads && finding->loads)
        add(text, "loads, too");
    else
        add(text, "%.2f for each of those that it is named for", finding->each);
}

static const char *unnamed(const struct hwc_audited *audited)
{
    const struct hwc_audit_counts *counts = &audited->counts;

    if (counts->has[HWC_PATTERN_HITS] && counts->of[HWC_PATTERN_HITS] > 0.02)
        return "counts what is no miss";
    switch (counts->outgrown) {
    case HWC_OUTGREW_DATA:
        return "counts misses of a data cache";
    case HWC_OUTGREW_PAGES:
        return "counts translations of data";
    case HWC_OUTGREW_CODE:
        return "counts misses of code";
    case HWC_OUTGREW_CODE_PAGES:
        return "counts translations of code";
    default:
        return "counts nothing of these references";
    }
}

static void say_unnamed(const struct hwc_audited *audited, char text[HWC_MESSAGE])
{
    const struct hwc_audit_finding *finding = &audited->finding;

    add(text, "%s", unnamed(audited));
    for (unsigned i = 0; i < audited->counts.rises; i++)
        if (finding->level[i] > 0)
            add(text, "%s %u", i == 0 ? ", of level" : " and", finding->level[i]);
}

void hwc_audit_say(const struct hwc_audited *audited, char text[HWC_MESSAGE])
{
    const struct hwc_audit_finding *finding = &audited->finding;

    text[0] = '\0';
    switch (finding->verdict) {
    case HWC_AUDIT_ABSENT:
        add(text, "cannot be counted");
        break;
    case HWC_AUDIT_AS_NAMED:
        add(text, "means what it says");
        break;
    case HWC_AUDIT_UNNAMED:
        say_unnamed(audited, text);
        break;
    case HWC_AUDIT_OTHER_LEVEL:
        say_other_level(audited, text);
        break;
    case HWC_AUDIT_SUMS_LEVELS:
        say_sum(audited, text);
        break;
    case HWC_AUDIT_PREFETCHES:
        add(text, "includes prefetched lines");
        break;
    case HWC_AUDIT_WALKS:
        add(text, "includes lines of page walks");
        break;
    case HWC_AUDIT_OVER:
        add(text, "over-counts: %.2f for each", finding->each);
        break;
    case HWC_AUDIT_UNDER:
        add(text, "under-counts: %.2f for each", finding->each);
        break;
    case HWC_AUDIT_HITS:
        add(text, "counts what is no miss: %.2f for each hit", audited->counts.of[HWC_PATTERN_HITS]);
        break;
    case HWC_AUDIT_OTHER_REFERENCES:
        say_others(audited, text);
        break;
    case HWC_AUDIT_DEAD:
        add(text, "dead: counts nothing");
        break;
    default:
        add(text, "unclear: none of these walks tells what it is named for");
    }
}

void hwc_audit_say_rises(const struct hwc_audited *audited, const struct hwc_audit_levels *levels,
                         char text[HWC_MESSAGE])
{
    const struct hwc_audit_counts *counts = &audited->counts;
    bool pages = hwc_outgrew_pages(audited->counts.outgrown);

    text[0] = '\0';
    if (counts->outgrown == HWC_OUTGREW_NOTHING)
        return;
    for (unsigned i = 0; i < counts->rises; i++) {
        const struct hwc_rise *rise = &counts->rise[i];
        add(text, "%s%.2f at ", i > 0 ? "; " : "", rise->from);
        add_size(text, pages, rise->low);
        add(text, ", %.2f at ", rise->to);
        add_size(text, pages, rise->high);
        if (audited->finding.level[i] > 0)
            add(text, ": %s %u", pages ? "TLB" : "level", audited->finding.level[i]);
        else if (!pages && counts->outgrown == HWC_OUTGREW_DATA && levels->caches.levels > 0)
            add(text, ": no level that shows otherwise");
    }
    if (counts->rises == 0 && counts->largest > 0) {
        add(text, "nowhere up to ");
        add_size(text, pages, counts->largest);
    }
}

void hwc_audit_say_parts(const struct hwc_audited *audited, char text[HWC_MESSAGE])
{
    const struct hwc_audit_finding *finding = &audited->finding;
    bool misses = audited->counts.outgrown == HWC_OUTGREW_DATA;

    text[0] = '\0';
    add(text, "%s, %s, %s", finding->loads ? "loads" : "no loads", finding->stores ? "stores" : "no stores",
        finding->fetches ? "fetches" : "no fetches");
    if (misses || finding->walks)
        add(text, finding->walks && misses ? ", page walks' lines" : finding->walks ? ", translations" : ", no page walks");
    if (misses)
        add(text, ", %s", finding->prefetched == HWC_PREFETCHED_IN    ? "prefetched lines"
                          : finding->prefetched == HWC_PREFETCHED_OUT ? "no prefetched lines"
                                                                      : "and no prefetching showed");
}

static void add_ends(const struct hwc_audit_ends *ends, bool pages, char text[HWC_MESSAGE])
{
    for (unsigned i = 0; i < ends->levels; i++) {
        add(text, "%s", i == 0 ? "" : i + 1 < ends->levels ? ", " : " and ");
        add_size(text, pages, ends->end[i]);
    }
}

void hwc_audit_say_levels(const struct hwc_audit_levels *levels, char text[HWC_MESSAGE])
{
    text[0] = '\0';
    if (levels->caches.levels > 0) {
        add(text, "data caches end at ");
        add_ends(&levels->caches, false, text);
        add(text, " (by %s)", levels->by_clock ? "the clock" : "where these counters rise");
    }
    if (levels->tlbs.levels > 0) {
        add(text, "%sTLBs at ", text[0] != '\0' ? "; " : "");
        add_ends(&levels->tlbs, true, text);
        add(text, " (by the counters)");
    }
}
