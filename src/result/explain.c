/* What lies behind the differences of a validation: one cause for all rows that it explains. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "show.h"
#include "statistics.h"
#include "validate.h"

struct case_of {
    struct hwc_profile *profile;
    const struct hwc_documented *documented;
    bool explained[HWC_MOST_VALIDATED]; /* by row */
};

static void add(struct case_of *all, enum hwc_cause cause, const char *of, enum hwc_supported supports,
                const char *format, ...) __attribute__((format(printf, 5, 6)));

static void add(struct case_of *all, enum hwc_cause cause, const char *of, enum hwc_supported supports,
                const char *format, ...)
{
    struct hwc_validation *validation = all->profile->validation;
    struct hwc_difference *difference = &validation->difference[validation->differences];
    va_list arguments;

    if (validation->differences == HWC_MOST_DIFFERENCES)
        return;
    validation->differences++;
    *difference = (struct hwc_difference){.cause = cause, .supports = supports};
    hwc_write(difference->of, sizeof difference->of, "%s", of);
    va_start(arguments, format);
    hwc_write_list(difference->why, sizeof difference->why, format, arguments);
    va_end(arguments);
}

/* The measured side of a row: the one that the verdict supports, else the counter's if it has an answer. */
static const struct hwc_finding *measured(const struct hwc_validated *row)
{
    bool counted = hwc_finding_is_told(&row->counter);

    if (row->verdict.supports == HWC_SUPPORTS_CLOCK || !counted)
        return &row->clock;
    return &row->counter;
}

static double most_of(const struct hwc_finding *finding)
{
    return finding->known ? finding->value : finding->high;
}

/* The row of a field of a level of ordinary data or instruction caches, or of memory (level 0); its number, or -1. */
static int find_row(const struct case_of *all, enum hwc_field_id field, unsigned level)
{
    const struct hwc_validation *validation = all->profile->validation;

    for (unsigned i = 0; i < validation->rows; i++)
        if (validation->row[i].field == field && validation->row[i].level == level)
            return (int)i;
    return -1;
}

static struct hwc_validated *row_at(const struct case_of *all, int i)
{
    return &all->profile->validation->row[i];
}

/* Do the witnesses, or the one that has an answer, differ from what is documented, and not from one another? */
static bool contradicts_documents(const struct hwc_validated *row)
{
    const struct hwc_finding *finding = measured(row);

    return row->verdict.says == HWC_DIFFER && finding->has_documented &&
           hwc_differs(finding, hwc_fields[row->field].kind) && !hwc_witnesses_differ(row);
}

static void explain_event(struct case_of *all, const struct hwc_event_record *event)
{
    static const enum hwc_cause causes[] = {
        [HWC_FAULT_NONE] = HWC_CAUSE_MISCOUNT,
        [HWC_FAULT_COUNTS_HITS] = HWC_CAUSE_MISCOUNT,
        [HWC_FAULT_COUNTS_NOTHING] = HWC_CAUSE_COUNTS_NOTHING,
        [HWC_FAULT_COUNTS_PREFETCHES] = HWC_CAUSE_COUNTS_PREFETCHES,
        [HWC_FAULT_OTHER_LEVEL] = HWC_CAUSE_OTHER_LEVEL,
        [HWC_FAULT_COUNTS_OTHERS] = HWC_CAUSE_MISCOUNT,
    };
    const char *name = hwc_event_name(event->event);

    if (event->status == HWC_EVENT_BIASED)
        add(all, HWC_CAUSE_MISCOUNT, name, HWC_SUPPORTS_NONE, "it counts %.2f for each miss; that is corrected",
            event->factor);
    else if (event->status == HWC_EVENT_REJECTED && event->fault == HWC_FAULT_NONE && event->expected > 0 &&
             event->counted > event->expected)
        add(all, HWC_CAUSE_MISCOUNT, name, HWC_SUPPORTS_NONE,
            "it over-counts: %.2f for each miss; it is not used", event->counted / event->expected);
    else if (event->status == HWC_EVENT_REJECTED)
        add(all, causes[event->fault], name, HWC_SUPPORTS_NONE, "%s; it is not used",
            event->reason);
}

/* Fewer write-backs than lines stored to may be all that there are: where stores are handed on at once there is none, and
 * some lines may stay. And where stores bring no lines in, each of them misses. */
static bool proves_nothing(const struct hwc_event_record *event)
{
    return (hwc_is_writeback(event->event) && event->counted < event->expected) ||
           (event->event == HWC_L1D_STORE_MISS && event->fault == HWC_FAULT_COUNTS_HITS);
}

static void explain_events(struct case_of *all)
{
    for (unsigned i = 0; i < all->profile->events; i++)
        if (!proves_nothing(&all->profile->event[i]))
            explain_event(all, &all->profile->event[i]);
}

/* Latencies are off by one factor when it is the same to so much for all that are documented, and they are several. */
static const struct {
    unsigned fewest;
    double spread, least;
} common = {.fewest = 3, .spread = 0.06, .least = 0.1};

static double ratio_of(const struct hwc_validated *row)
{
    return row->clock.value / row->clock.documented;
}

static bool is_documented_time(const struct hwc_validated *row)
{
    return hwc_fields[row->field].kind == HWC_VALUE_CYCLES && row->clock.known && row->clock.has_documented;
}

/* Half a cycle says little of a latency of a few: such a ratio tells nothing. */
static bool is_off(const struct hwc_validated *row, double factor)
{
    return fabs(row->clock.value - factor * row->clock.documented) > fmax(0.5, common.spread * row->clock.value);
}

/* The factor of all documented latencies; 0 = they have none in common, or it is 1. */
static double common_factor(const struct case_of *all, unsigned *count)
{
    const struct hwc_validation *validation = all->profile->validation;
    double ratio[HWC_MOST_VALIDATED], factor;
    unsigned ratios = 0;

    for (unsigned i = 0; i < validation->rows; i++)
        if (is_documented_time(&validation->row[i]))
            ratio[ratios++] = ratio_of(&validation->row[i]);
    *count = ratios;
    if (ratios < common.fewest)
        return 0;
    factor = hwc_median(ratio, ratios);
    for (unsigned i = 0; i < validation->rows; i++)
        if (is_documented_time(&validation->row[i]) && is_off(&validation->row[i], factor))
            return 0;
    return fabs(factor - 1) > common.least ? factor : 0;
}

static void explain_frequency(struct case_of *all)
{
    struct hwc_validation *validation = all->profile->validation;
    double mhz = all->documented->frequency_mhz, factor;
    char clock[80] = "";
    unsigned count;

    factor = common_factor(all, &count);
    if (factor <= 0)
        return;
    if (mhz > 0)
        hwc_write(clock, sizeof clock, ": the clock ticks at about %.0f MHz, not the documented %.0f", factor * mhz,
                  mhz);
    add(all, HWC_CAUSE_CLOCK_FREQUENCY, "clock", HWC_SUPPORTS_NONE,
        "all %u documented latencies come out %.2f times as long%s", count, factor, clock);
    for (unsigned i = 0; i < validation->rows; i++)
        if (is_documented_time(&validation->row[i])) {
            all->explained[i] = true;
            if (validation->row[i].verdict.says == HWC_DIFFER)
                hwc_write(validation->row[i].verdict.why, sizeof validation->row[i].verdict.why,
                          "as all latencies, %.2f times the documented one: the clock's frequency", factor);
        }
}

static const struct hwc_documented_cache *documented_level(const struct case_of *all, unsigned level)
{
    for (unsigned i = 0; i < all->documented->caches; i++)
        if (all->documented->cache[i].level == level && all->documented->cache[i].data)
            return &all->documented->cache[i];
    return NULL;
}

static void explain_levels(struct case_of *all)
{
    unsigned levels = all->profile->caches;
    char name[HWC_PLACE_NAME], size[HWC_SHOWN];

    for (unsigned level = levels + 1; levels > 0 && all->profile->all_levels && level <= HWC_MAX_CACHE_LEVEL; level++) {
        const struct hwc_documented_cache *cache = documented_level(all, level);
        if (cache == NULL)
            continue;
        hwc_show_number(size, HWC_VALUE_BYTES, (double)cache->size_bytes);
        hwc_write(name, sizeof name, "L%u", level);
        add(all, HWC_CAUSE_NO_LEVEL, name, HWC_SUPPORTS_NONE,
            "%s of %s is documented, but past L%u everything is served by memory", name, size, levels);
    }
    for (unsigned level = 1; level <= levels && all->documented->caches > 0; level++) {
        if (documented_level(all, level) != NULL)
            continue;
        hwc_write(name, sizeof name, "L%u", level);
        add(all, HWC_CAUSE_HIDDEN_LEVEL, name, HWC_SUPPORTS_NONE, "no data cache of level %u is documented", level);
    }
}

/* A tenth may be lost to what others keep in the level; a partition leaves less. */
static const double most_of_level = 0.9;

/* A row on which the witnesses differ is explained by no document. */
static void mark(struct case_of *all, enum hwc_field_id field, unsigned level, const char *why)
{
    int i = find_row(all, field, level);

    if (i < 0 || hwc_witnesses_differ(row_at(all, i)))
        return;
    all->explained[i] = true;
    if (row_at(all, i)->verdict.says == HWC_DIFFER)
        hwc_write(row_at(all, i)->verdict.why, sizeof row_at(all, i)->verdict.why, "%s", why);
}

/* What is there of the last level: its size, else its effective size; its row's number, or -1 if all of it is. */
static int lessened_row(const struct case_of *all, unsigned level)
{
    static const enum hwc_field_id fields[] = {HWC_CACHE_SIZE, HWC_CACHE_EFFECTIVE_SIZE};

    for (int k = 0; k < 2; k++) {
        int i = find_row(all, fields[k], level);
        if (i >= 0 && contradicts_documents(row_at(all, i)) &&
            most_of(measured(row_at(all, i))) < most_of_level * measured(row_at(all, i))->documented)
            return i;
    }
    return -1;
}

/* Are there as many ways as documented? Then it is not some ways that are kept back. */
static bool has_all_ways(const struct case_of *all, unsigned level)
{
    int i = find_row(all, HWC_CACHE_ASSOCIATIVITY, level);

    return i >= 0 && hwc_finding_is_told(measured(row_at(all, i))) && measured(row_at(all, i))->has_documented &&
           !hwc_differs(measured(row_at(all, i)), HWC_VALUE_COUNT);
}

static void describe_ways(const struct case_of *all, unsigned level, char text[80])
{
    int i = find_row(all, HWC_CACHE_ASSOCIATIVITY, level);
    const struct hwc_finding *ways = i >= 0 ? measured(row_at(all, i)) : NULL;

    text[0] = '\0';
    if (ways != NULL && ways->known && ways->has_documented)
        hwc_write(text, 80, ", in %.0f of %.0f ways", ways->value, ways->documented);
}

static void explain_partition(struct case_of *all)
{
    unsigned level = all->profile->caches;
    int i = level > 1 ? lessened_row(all, level) : -1;
    char found[HWC_SHOWN], figure[HWC_SHOWN], name[HWC_PLACE_NAME], ways[80];
    const struct hwc_finding *finding;

    if (i < 0 || (row_at(all, i)->field == HWC_CACHE_SIZE && has_all_ways(all, level)))
        return;
    finding = measured(row_at(all, i));
    hwc_show_value(found, &hwc_fields[row_at(all, i)->field], finding);
    hwc_show_number(figure, HWC_VALUE_BYTES, finding->documented);
    describe_ways(all, level, ways);
    add(all, HWC_CAUSE_PARTITION, hwc_validated_place(row_at(all, i), name), row_at(all, i)->verdict.supports,
        "this machine gives you %s of the documented %s%s: the level is partitioned, or others hold the rest", found,
        figure, ways);
    mark(all, HWC_CACHE_SIZE, level, "a part of the level is given");
    mark(all, HWC_CACHE_ASSOCIATIVITY, level, "a part of the level is given");
    mark(all, HWC_CACHE_EFFECTIVE_SIZE, level, "a part of the level is given");
}

/* Memory that the system maps by huge pages, and whose translation has an entry for each smaller part. */
static void explain_broken_pages(struct case_of *all)
{
    int huge = find_row(all, HWC_MEMORY_HUGE_PAGE_SIZE, 0);
    int effective = find_row(all, HWC_MEMORY_EFFECTIVE_PAGE_SIZE, 0);
    const struct hwc_finding *mapped, *covered;
    char whole[HWC_SHOWN], part[HWC_SHOWN];

    if (huge < 0 || effective < 0)
        return;
    mapped = measured(row_at(all, huge));
    covered = measured(row_at(all, effective));
    if (!mapped->known || !covered->known || covered->value >= mapped->value)
        return;
    hwc_show_number(whole, HWC_VALUE_BYTES, mapped->value);
    hwc_show_number(part, HWC_VALUE_BYTES, covered->value);
    add(all, HWC_CAUSE_BROKEN_PAGES, "memory", HWC_SUPPORTS_NONE,
        "the system maps pages of %s, and each part of %s takes a TLB entry of its own: beneath, the host has broken "
        "them up", whole, part);
    if (hwc_witnesses_differ(row_at(all, effective)))
        return;
    row_at(all, effective)->verdict.says = HWC_DIFFER;
    hwc_write(row_at(all, effective)->verdict.why, sizeof row_at(all, effective)->verdict.why,
              "pages of %s are broken up", whole);
    all->explained[effective] = true;
}

/* Rows of the same record that contradict the documentation are one difference. */
static void explain_documentation(struct case_of *all, unsigned first)
{
    const struct hwc_validated *row = row_at(all, (int)first);
    char name[HWC_PLACE_NAME], what[HWC_MESSAGE] = "", found[HWC_SHOWN], figure[HWC_SHOWN];

    for (unsigned i = first; i < all->profile->validation->rows; i++) {
        const struct hwc_validated *other = row_at(all, (int)i);
        size_t used = strlen(what);
        if (all->explained[i] || other->group != row->group || other->level != row->level || other->code != row->code ||
            other->large != row->large || !contradicts_documents(other))
            continue;
        all->explained[i] = true;
        hwc_show_value(found, &hwc_fields[other->field], measured(other));
        hwc_show_number(figure, hwc_fields[other->field].kind, measured(other)->documented);
        hwc_write(what + used, sizeof what - used, "%s%s is %s, not the documented %s", used > 0 ? "; " : "",
                  hwc_fields[other->field].label, found, figure);
    }
    add(all, HWC_CAUSE_DOCUMENTATION, hwc_validated_place(row, name), row->verdict.supports, "%s", what);
}

static void explain_rest(struct case_of *all)
{
    char name[HWC_PLACE_NAME];

    for (unsigned i = 0; i < all->profile->validation->rows; i++) {
        const struct hwc_validated *row = row_at(all, (int)i);
        if (row->verdict.says != HWC_DIFFER || all->explained[i])
            continue;
        if (contradicts_documents(row))
            explain_documentation(all, i);
        else
            add(all, HWC_CAUSE_WITNESSES, hwc_validated_place(row, name), row->verdict.supports, "%s: %s",
                hwc_fields[row->field].label, row->verdict.why);
    }
}

void hwc_explain(struct hwc_profile *profile, const struct hwc_documented *documented)
{
    struct case_of all = {.profile = profile, .documented = documented};

    explain_events(&all);
    explain_levels(&all);
    explain_partition(&all);
    explain_broken_pages(&all);
    explain_frequency(&all);
    explain_rest(&all);
}
