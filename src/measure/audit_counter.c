#include "audit_counter.h"

#include <math.h>

#include "footprint.h"
#include "known_misses.h"
#include "line_placement.h"

static const struct {
    uint64_t line;
    size_t pages_a_group;
    uint64_t smallest, largest, largest_code; /* bytes */
    size_t fewest_pages, most_pages;
    unsigned samples;
    double some;
} policy = {
    .line = 64,
    .pages_a_group = 16, /* no TLB has fewer entries */
    .smallest = 1024,
    .largest = UINT64_C(64) << 20,
    .largest_code = UINT64_C(2) << 20,
    .fewest_pages = 4,
    .most_pages = 16384,
    .samples = 2,
    .some = 0.1,
};

/* How the lines of a pattern lie. */
enum placing { IN_ORDER, JITTERED, ON_PAGES, AT_PAGE_ENDS, SHUFFLED };

/* Jittered lines: one to eight places, so that no neighbour is of use, in groups of a few pages. */
static const struct pattern {
    enum hwc_pattern pattern, hits; /* and what its resident lines are; HWC_PATTERNS = nobody asks */
    enum hwc_access access;
    enum hwc_pages pages;
    size_t lines;
    uint64_t apart; /* bytes; 0 = pages */
    enum placing placing;
} patterns[] = {
    {HWC_PATTERN_RANDOM, HWC_PATTERN_HITS, HWC_LOAD, HWC_LARGE_PAGES, 1024, 512, JITTERED},
    {HWC_PATTERN_STRIDED, HWC_PATTERNS, HWC_LOAD, HWC_LARGE_PAGES, 1024, 256, IN_ORDER},
    {HWC_PATTERN_SEQUENTIAL, HWC_PATTERNS, HWC_LOAD, HWC_LARGE_PAGES, 2048, 64, IN_ORDER},
    {HWC_PATTERN_STORES, HWC_PATTERN_STORE_HITS, HWC_STORE, HWC_LARGE_PAGES, 1024, 512, JITTERED},
    {HWC_PATTERN_WALKS, HWC_PATTERNS, HWC_LOAD, HWC_SPARSE_PAGES, 16384, 0, ON_PAGES},
    {HWC_PATTERN_FETCHES, HWC_PATTERNS, HWC_FETCH, HWC_CODE_PAGES, 256, 512, SHUFFLED},
    {HWC_PATTERN_CODE_WALKS, HWC_PATTERNS, HWC_FETCH, HWC_CODE_PAGES, 8192, 0, ON_PAGES},
    {HWC_PATTERN_PAGE_ENDS, HWC_PATTERNS, HWC_LOAD, HWC_BASE_PAGES, 1024, 0, AT_PAGE_ENDS},
};

enum { PATTERNS = sizeof patterns / sizeof patterns[0] };

static uint64_t apart_of(const struct hwc_lab *lab, const struct pattern *pattern)
{
    if (pattern->apart > 0)
        return pattern->apart;
    return lab->machine->page_bytes * (pattern->placing == ON_PAGES ? HWC_PAGES_APART : 1);
}

static int lay_out(struct hwc_known_misses *known, const struct pattern *pattern, size_t lines, uint64_t apart,
                   struct hwc_error *error)
{
    struct hwc_lab *lab = known->lab;
    struct hwc_walk *cold = &known->cold;
    uint64_t first = pattern->placing == AT_PAGE_ENDS ? lab->machine->page_bytes - HWC_CELL_BYTES : 0;

    if (pattern->placing == ON_PAGES)
        return hwc_walk_pages(lab, cold, lines, 0, apart, 0, error);
    TRY(hwc_walk_sequence(cold, first, apart, lines, error));
    if (pattern->placing == JITTERED) {
        hwc_walk_jitter(cold, apart, policy.line, &lab->random);
        return hwc_walk_group(cold, policy.pages_a_group * hwc_smallest_entry(lab->machine), &lab->random, error);
    }
    if (pattern->placing != IN_ORDER)
        hwc_walk_shuffle(cold, &lab->random);
    return HWC_OK;
}

/* Translations cannot be flushed, and need no flush. */
static int count_known(struct hwc_lab *lab, struct hwc_known_misses *known, const struct pattern *pattern,
                       enum hwc_event slot, struct hwc_audit_counts *counts, struct hwc_error *error)
{
    uint64_t apart = apart_of(lab, pattern);
    size_t lines = hwc_affordable_lines(lab, pattern->lines, apart);
    struct hwc_known_counts counted;

    TRY(hwc_known_open(known, lab, pattern->access, lines * apart, pattern->pages, error));
    TRY(lay_out(known, pattern, lines, apart, error));
    known->steady = pattern->placing == ON_PAGES && !lab->machine->flushes;
    TRY(hwc_count_known(known, slot, &counted, error));
    counts->has[pattern->pattern] = true;
    counts->of[pattern->pattern] =
        fmax(0, counted.least - hwc_counting_overhead(&counted)) / (double)known->cold.count;
    if (pattern->hits == HWC_PATTERNS)
        return HWC_OK;
    counts->has[pattern->hits] = true;
    counts->of[pattern->hits] = fmax(0, counted.resident[1] - counted.resident[0]) / HWC_RESIDENT_REFERENCES;
    return HWC_OK;
}

static int count_pattern(struct hwc_lab *lab, const struct pattern *pattern, enum hwc_event slot,
                         struct hwc_audit_counts *counts, struct hwc_error *error)
{
    struct hwc_known_misses known;
    int status = count_known(lab, &known, pattern, slot, counts, error);

    hwc_known_close(&known);
    return status;
}

static double count_of(const struct hwc_audit_counts *counts, enum hwc_pattern pattern)
{
    return counts->has[pattern] ? counts->of[pattern] : 0;
}

/* Code on many pages takes long to make, and ends of pages only tell why a counter counts too much. */
static bool is_asked(const struct hwc_audited *audited, enum hwc_pattern pattern)
{
    const struct hwc_audit_counts *counts = &audited->counts;
    bool of_code = audited->claim.of == HWC_CLAIMS_TRANSLATIONS && audited->claim.fetches;

    if (pattern == HWC_PATTERN_PAGE_ENDS)
        return count_of(counts, HWC_PATTERN_RANDOM) > 1 && count_of(counts, HWC_PATTERN_HITS) < policy.some;
    return pattern != HWC_PATTERN_CODE_WALKS || of_code ||
           (audited->claim.of == HWC_CLAIMS_NOTHING && count_of(counts, HWC_PATTERN_FETCHES) < 0.5 &&
            count_of(counts, HWC_PATTERN_RANDOM) + count_of(counts, HWC_PATTERN_WALKS) < policy.some);
}

/* A pattern that comes to nothing leaves a gap, if others do not. */
static int count_patterns(struct hwc_lab *lab, struct hwc_audited *audited, struct hwc_error *error)
{
    int status = HWC_OK;
    unsigned counted = 0;

    for (unsigned i = 0; i < PATTERNS; i++) {
        if (!is_asked(audited, patterns[i].pattern))
            continue;
        status = count_pattern(lab, &patterns[i], audited->listed.slot, &audited->counts, error);
        if (status != HWC_OK && !hwc_came_to_nothing(status))
            return status;
        counted += status == HWC_OK;
        if (i == 0 && status == HWC_UNAVAILABLE)
            return status;
    }
    return counted > 0 ? HWC_OK : status;
}

/* A walk of a size, whose counts of a reference are asked for. */
struct growing {
    struct hwc_lab *lab;
    enum hwc_event slot;
    enum hwc_outgrown outgrown;
    enum hwc_access access;
};

static int measure_bytes(const struct growing *growing, double size, struct hwc_steady *steady, size_t *references,
                         struct hwc_error *error)
{
    struct hwc_footprint footprint = hwc_spaced_footprint(growing->lab, (uint64_t)size, policy.line);

    footprint.access = growing->access;
    *references = footprint.lines;
    return hwc_measure_footprint(growing->lab, &footprint, growing->slot, policy.samples, steady, error);
}

static int lay_out_more(const struct growing *growing, struct hwc_walk *walk, size_t count, uint64_t apart,
                        struct hwc_error *error)
{
    walk->access = growing->access;
    if (growing->outgrown != HWC_OUTGREW_CODE)
        return hwc_walk_pages(growing->lab, walk, count, 0, apart, 0, error);
    TRY(hwc_walk_sequence(walk, 0, apart, count, error));
    hwc_walk_shuffle(walk, &growing->lab->random);
    return HWC_OK;
}

static int measure_places(const struct growing *growing, double size, struct hwc_steady *steady, size_t *references,
                          struct hwc_error *error)
{
    struct hwc_lab *lab = growing->lab;
    bool code = growing->outgrown == HWC_OUTGREW_CODE;
    uint64_t apart = code ? policy.line : HWC_PAGES_APART * lab->machine->page_bytes;
    size_t count = (size_t)(code ? size / (double)policy.line : size);
    struct hwc_arena arena;
    struct hwc_walk walk;
    int status;

    TRY(lab->machine->ops->arena_open(lab->machine, count * apart,
                                      growing->access == HWC_FETCH ? HWC_CODE_PAGES : HWC_SPARSE_PAGES, &arena,
                                      error));
    hwc_walk_init(&walk);
    status = lay_out_more(growing, &walk, count, apart, error);
    if (status == HWC_OK)
        status = hwc_measure_steady(lab, &arena, &walk, growing->slot, policy.samples, steady, error);
    *references = walk.count;
    hwc_close_footprint(lab, &arena, &walk);
    return status;
}

static int measure_at(const struct growing *growing, double size, struct hwc_rise_points *points,
                      struct hwc_error *error)
{
    struct hwc_steady steady = {0};
    size_t references = 1;

    if (growing->outgrown == HWC_OUTGREW_DATA)
        TRY(measure_bytes(growing, size, &steady, &references, error));
    else
        TRY(measure_places(growing, size, &steady, &references, error));
    if (!steady.counted)
        return hwc_fail(error, HWC_UNAVAILABLE, "it stopped counting");
    hwc_rise_add(points, size, steady.misses / (double)references);
    return HWC_OK;
}

static enum hwc_outgrown what_outgrows(const struct hwc_audit_counts *counts)
{
    if (count_of(counts, HWC_PATTERN_HITS) > policy.some || count_of(counts, HWC_PATTERN_STORE_HITS) > policy.some)
        return HWC_OUTGREW_NOTHING;
    if (count_of(counts, HWC_PATTERN_RANDOM) > policy.some || count_of(counts, HWC_PATTERN_STORES) > policy.some)
        return HWC_OUTGREW_DATA;
    if (count_of(counts, HWC_PATTERN_WALKS) > policy.some)
        return HWC_OUTGREW_PAGES;
    if (count_of(counts, HWC_PATTERN_FETCHES) > policy.some)
        return HWC_OUTGREW_CODE;
    return count_of(counts, HWC_PATTERN_CODE_WALKS) > policy.some ? HWC_OUTGREW_CODE_PAGES : HWC_OUTGREW_NOTHING;
}

static void find_ends(const struct hwc_lab *lab, const struct hwc_audit_counts *counts, double *first, double *last)
{
    double memory = (double)lab->machine->max_arena_bytes;

    *first = (double)policy.smallest;
    if (counts->outgrown == HWC_OUTGREW_DATA) {
        *last = fmin((double)policy.largest, memory / 4);
    } else if (counts->outgrown == HWC_OUTGREW_CODE) {
        *last = fmin((double)policy.largest_code, memory / 4);
    } else {
        *first = (double)policy.fewest_pages;
        *last = (double)hwc_affordable_lines(lab, policy.most_pages, HWC_PAGES_APART * lab->machine->page_bytes);
    }
}

/* Both ends first, then where counts differ. */
static int find_rises(struct hwc_lab *lab, enum hwc_event slot, struct hwc_audit_counts *counts,
                      struct hwc_error *error)
{
    struct growing growing = {.lab = lab, .slot = slot, .outgrown = what_outgrows(counts)};
    struct hwc_rise_points points = {0};
    double size, largest;

    counts->outgrown = growing.outgrown;
    if (counts->outgrown == HWC_OUTGREW_NOTHING)
        return HWC_OK;
    growing.access = hwc_outgrew_code(growing.outgrown)                                       ? HWC_FETCH
                     : count_of(counts, HWC_PATTERN_RANDOM) + count_of(counts, HWC_PATTERN_WALKS) > policy.some ? HWC_LOAD
                                                                                                : HWC_STORE;
    find_ends(lab, counts, &size, &largest);
    TRY(measure_at(&growing, size, &points, error));
    TRY(measure_at(&growing, largest, &points, error));
    while (hwc_rise_gap(&points, &size))
        TRY(measure_at(&growing, size, &points, error));
    counts->rises = hwc_find_rises(&points, counts->rise);
    counts->largest = largest;
    return HWC_OK;
}

int hwc_audit_counter(struct hwc_lab *lab, const struct hwc_listed *listed, struct hwc_audited *audited,
                      struct hwc_error *error)
{
    const char *name = listed->source.counter;
    int status;

    *audited = (struct hwc_audited){.listed = *listed, .claim = hwc_claim_of_name(name)};
    hwc_write(audited->reason, sizeof audited->reason, "%s", listed->source.reason);
    if (!listed->source.available)
        return HWC_OK;
    if (lab->machine->ops->use_source != NULL)
        lab->machine->ops->use_source(lab->machine, listed->slot, &listed->source);
    status = count_patterns(lab, audited, error);
    audited->counted = status == HWC_OK;
    if (status == HWC_OK)
        status = find_rises(lab, listed->slot, &audited->counts, error);
    if (status == HWC_OK || !hwc_came_to_nothing(status))
        return status;
    hwc_write(audited->reason, sizeof audited->reason, "%s", error->message);
    return HWC_OK;
}
