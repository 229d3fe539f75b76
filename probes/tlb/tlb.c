/* TLBs: entries, associativity, page size and miss penalty, of data and code,
 * level by level.
 *
 * Claim: the number of entries and of ways, how much one entry covers, and how
 * much longer a reference takes that misses than one that hits.
 *
 * Method: AMP (ISPASS 2001, 3.10): the algorithms for caches, with pages for
 * lines; compact walks keep cache misses away (X-Ray, SIGMETRICS 2005, 6). The
 * number of pages that fit a long stride apart gives the ways (hwc_fit_ways); the
 * number of adjacent pages that fit shows whether low address bits or a hash of
 * them choose the set (Tatar et al., USENIX Security 2022). Before that, the curve
 * of time against pages gives the levels and their penalties (tlb_curve.h). Where it rises on without a plateau, as page
 * walks take the longer the more pages there are, few pages that share a set tell (few_pages.h).
 *
 * What can fool it: an operating system that merges pages that thrash into larger
 * ones (IRIX; AMP 3.10): it is watched for first. Entries that take several
 * contiguous pages at once (coalescing): then more pages fit than there are
 * entries. Pages that the host of a virtual machine backs with smaller ones: the
 * entries found are those for the smaller ones. A second level that not every miss
 * of the first fills. A sibling thread that takes its part of the entries: they are
 * measured while it rests. Policies that resist thrashing, by the clock. A page
 * walk takes as long as its own loads: the penalty of the last level is that of
 * walks whose tables are cached. */
#include <math.h>

#include "backing.h"
#include "conflict_cost.h"
#include "few_pages.h"
#include "growing_pages.h"
#include "quiet_core.h"
#include "side_by_side.h"
#include "table.h"
#include "tlb_geometry.h"
#include "tlb_penalty.h"
#include "vote.h"

enum question { PAGE, ENTRIES, WAYS, APART, QUESTIONS };

struct context {
    const struct hwc_tlb_side *side;
    unsigned level;
};

/* Of ordinary pages, the first level. */
static const struct hwc_tlb *known_small(const struct hwc_lab *lab, const struct hwc_tlb_side *side)
{
    return &lab->known->tlb[hwc_tlb_of(side, 1)];
}

/* Others only take entries. Each reading of entries for code is taken on a quiet core. */
static void say_effects(const struct hwc_lab *lab, const struct hwc_tlb_side *side, struct hwc_ballot *ballot)
{
    enum hwc_effect effect = side->code ? HWC_OTHERS_MAY_LESSEN_SOME : HWC_OTHERS_MAY_LESSEN;

    if (lab->machine->interference)
        hwc_ballot_is_one_sided(ballot, QUESTIONS, 1 << ENTRIES | 1 << WAYS, effect);
}

/* So many pages fit into one set, but for one that the core may keep elsewhere. */
static void say_what_fits(struct hwc_ballot *ballot, const struct hwc_tlb_geometry *found)
{
    if (found->entries == found->ways && found->ways > 1)
        ballot->at_least[ENTRIES] = ballot->at_least[WAYS] = (int64_t)found->ways - 1;
}

static void cast(struct hwc_ballot *ballot, const struct hwc_tlb_geometry *found)
{
    for (int q = 0; q < QUESTIONS; q++)
        ballot->cast[q] = true;
    ballot->value[PAGE] = (int64_t)found->page;
    ballot->value[ENTRIES] = (int64_t)found->entries;
    ballot->value[WAYS] = (int64_t)found->ways;
    ballot->value[APART] =
        (int64_t)(found->ways == found->entries ? HWC_PAGES_APART * found->page : found->period);
}

/* By the curve, or where that shows no plateau, or one that misleads as sets are not yet full there, by few pages. */
static int find_geometry(struct hwc_translation *translation, const struct hwc_tlb_side *side,
                         struct hwc_tlb_geometry *found, struct hwc_error *error)
{
    bool by_few = side->few.cycles > 0 && hwc_goes_by_time(translation->witness) && translation->level > 1;
    int status = HWC_INCONCLUSIVE;

    if (!by_few || side->levels >= translation->level)
        status = hwc_find_tlb_geometry(translation, side, found, error);
    return by_few && hwc_came_to_nothing(status) ? hwc_find_geometry_by_few(translation, side, found, error) : status;
}

/* Votes agree on half of a level that is halved. */
static int doubt_half(const struct hwc_lab *lab, unsigned level, const struct hwc_tlb_geometry *found,
                      struct hwc_ballot *ballot, struct hwc_error *error)
{
    if (found->whole || !hwc_may_be_halved(lab, level))
        return HWC_OK;
    ballot->at_least[ENTRIES] = (int64_t)found->entries;
    return hwc_fail(error, HWC_INCONCLUSIVE, HWC_AT_LEAST_BESIDE, (double)found->entries);
}

/* Sibling threads partition the entries for code, which every reading guards against by itself, and evict each other's
 * entries for data. */
static int measure(struct hwc_lab *lab, void *data, struct hwc_ballot *ballot, struct hwc_error *error)
{
    struct context *context = data;
    const struct hwc_tlb_side *side = context->side;
    struct hwc_translation translation = {0};
    struct hwc_tlb_geometry found = {0};
    int status = hwc_translation_open(&translation, lab, hwc_tlb_of(side, context->level), side->large, error);

    hwc_is_alone(lab, HWC_WAIT_FOR_BALLOT);
    if (status == HWC_OK)
        status = find_geometry(&translation, side, &found, error);
    hwc_translation_close(&translation);
    say_effects(lab, side, ballot);
    say_what_fits(ballot, &found);
    if (status == HWC_OK)
        status = doubt_half(lab, context->level, &found, ballot, error);
    if (status == HWC_OK)
        cast(ballot, &found);
    ballot->whole = found.whole;
    return status;
}

/* Why the level cannot be measured; HWC_NO_REASON if it can. */
static struct hwc_reason why_not(struct hwc_lab *lab, const struct hwc_tlb_side *side, unsigned level)
{
    const struct hwc_witness *witness = &lab->structure_witness[hwc_tlb_of(side, level)];

    if (!hwc_can_answer(witness))
        return hwc_unavailable("nothing counts its misses here, and there is no clock");
    if (hwc_goes_by_time(witness) && side->levels < level && side->few.cycles <= 0)
        return hwc_inconclusive(side->rises_at > 0 ? "what its misses take does not settle: page walks take the longer, the "
                                                 "more pages there are"
                                               : "time shows no step where its misses would begin");
    if (level > 1 && hwc_known_tlb(lab, side, 1)->entries == 0)
        return hwc_depends("the first level is not known well enough to be put aside");
    return HWC_NO_REASON;
}

/* All zero unless everything was decided. */
static struct hwc_tlb tlb_of(const struct hwc_result *results)
{
    uint64_t entries = (uint64_t)results[ENTRIES].value, ways = (uint64_t)results[WAYS].value;
    uint64_t page = (uint64_t)results[PAGE].value;

    for (int q = 0; q < QUESTIONS; q++)
        if (!results[q].decided)
            return (struct hwc_tlb){0};
    return (struct hwc_tlb){.entries = entries,
                            .ways = ways,
                            .page_bytes = page,
                            .period_bytes = entries / ways * page,
                            .apart_bytes = (uint64_t)results[APART].value};
}

/* Record what later probes rely on. */
static void know(struct hwc_lab *lab, const struct hwc_tlb_side *side, unsigned level, const struct hwc_tlb *tlb,
                 const struct hwc_finding *penalty)
{
    bool is_timed = hwc_finding_is_told(penalty);

    if (tlb->ways == 0)
        return;
    hwc_know_tlb(lab, hwc_tlb_of(side, level), side->large, tlb);
    if (!side->large) /* beyond a hit */
        lab->structure_witness[hwc_tlb_of(side, level)].miss_cycles = is_timed ? hwc_miss_by_curve(side, level) : 0;
}

/* Bounds, of code; data has those of tlb_capacity.c. */
static int bound_entries(struct hwc_lab *lab, const struct hwc_tlb_side *side, unsigned level,
                         struct hwc_finding *entries, struct hwc_error *error)
{
    int status = HWC_OK;

    if (side->code && !side->large && side->levels >= level &&
        !hwc_counts(&lab->structure_witness[hwc_tlb_of(side, level)]))
        status = hwc_bound_entries(lab, side, level, entries, error);
    return hwc_came_to_nothing(status) ? HWC_OK : status;
}

static int run_level(struct hwc_lab *lab, const struct hwc_tlb_side *side, unsigned level, struct hwc_record *tlb,
                     struct hwc_error *error)
{
    struct hwc_finding apart = {0}; /* for later probes */
    struct hwc_finding *findings[QUESTIONS] = {&tlb->finding[HWC_TLB_PAGE_SIZE], &tlb->finding[HWC_TLB_ENTRIES],
                                               &tlb->finding[HWC_TLB_ASSOCIATIVITY], &apart};
    struct hwc_result results[QUESTIONS] = {0};
    struct hwc_tlb found;
    struct context context = {.side = side, .level = level};
    struct hwc_reason reason = why_not(lab, side, level);

    tlb->level = level;
    tlb->code = side->code;
    if (reason.text != NULL)
        hwc_findings_because(findings, QUESTIONS, reason);
    else
        TRY(hwc_findings_by_vote(lab, measure, &context, &lab->structure_witness[hwc_tlb_of(side, level)], QUESTIONS,
                                 findings, results, error));
    if (!results[ENTRIES].decided)
        TRY(bound_entries(lab, side, level, &tlb->finding[HWC_TLB_ENTRIES], error));
    found = tlb_of(results);
    TRY(hwc_report_tlb_penalty(lab, side, level, &results[ENTRIES], &found, &tlb->finding[HWC_TLB_MISS_PENALTY], error));
    know(lab, side, level, &found, &tlb->finding[HWC_TLB_MISS_PENALTY]);
    return HWC_OK;
}

static int read_by_time(struct hwc_lab *lab, struct hwc_tlb_side *side, struct hwc_error *error)
{
    if (lab->machine->has_clock)
        TRY(hwc_read_tlb_curve(lab, side, error));
    return hwc_watch_pages(lab, side, error);
}

/* Does the curve show a level, by a plateau or as it rises on? */
static bool shows(const struct hwc_tlb_side *side, unsigned level)
{
    return side->levels + (side->rises_at > 0) >= level;
}

/* Once the first level is known, and so can be put aside. */
static int cost_few_pages(struct hwc_lab *lab, struct hwc_tlb_side *side, unsigned level, struct hwc_error *error)
{
    int status;

    if (!shows(side, level) || hwc_known_tlb(lab, side, 1)->entries == 0)
        return HWC_OK;
    status = hwc_cost_few_pages(lab, side, level, error);
    return hwc_came_to_nothing(status) ? HWC_OK : status;
}

/* The first level is always measured; a second where an event or the clock shows one. */
static int run_side(struct hwc_lab *lab, bool code, struct hwc_profile *profile, struct hwc_error *error)
{
    struct hwc_tlb_side side = {.code = code};
    int status = read_by_time(lab, &side, error);

    if (status != HWC_OK && !hwc_came_to_nothing(status)) /* without a curve, events may still answer */
        return status;
    for (unsigned level = 1; level <= HWC_TLB_LEVELS; level++) {
        if (level > 1 && !code)
            TRY(cost_few_pages(lab, &side, level, error));
        if (level == 1 || shows(&side, level) || hwc_counts(&lab->structure_witness[hwc_tlb_of(&side, level)]))
            TRY(run_level(lab, &side, level, &profile->tlb[profile->tlbs++], error));
    }
    return HWC_OK;
}

/* How large are large pages, and how many may be used? */
static int look_at_large(struct hwc_lab *lab, struct hwc_tlb_side *side, struct hwc_error *error)
{
    struct hwc_translation translation = {0};
    int status = hwc_translation_open(&translation, lab, hwc_tlb_of(side, 1), side->large, error);
    uint64_t room = translation.arena.bytes - translation.base, memory = lab->machine->max_arena_bytes / 2;

    if (status == HWC_OK) {
        uint64_t apart = room / HWC_PAGES_APART;
        uint64_t pages = (apart < memory ? apart : memory) / translation.arena.page_bytes;
        side->large_bytes = translation.arena.page_bytes;
        side->most_large = pages < HWC_MOST_LARGE_PAGES ? (size_t)pages : HWC_MOST_LARGE_PAGES;
    }
    hwc_translation_close(&translation);
    if (status != HWC_OK)
        return status;
    if (side->large_bytes <= lab->machine->page_bytes)
        return hwc_fail(error, HWC_UNAVAILABLE, "no larger page was to be had");
    if (side->most_large < HWC_MOST_LARGE_PAGES / 4)
        return hwc_fail(error, HWC_NO_MEMORY, "too little memory to use many large pages");
    return HWC_OK;
}

static bool covers_more(struct hwc_lab *lab, const struct hwc_tlb_side *side, const struct hwc_finding *page)
{
    return page->known && page->value > (double)lab->known->tlb[hwc_tlb_of(side, 1)].page_bytes;
}

/* Add a level for pages requested as large ones, if its entries cover more than those for ordinary pages. */
static int add_large_level(struct hwc_lab *lab, const struct hwc_tlb_side *side, unsigned level,
                           struct hwc_profile *profile, struct hwc_finding *page, struct hwc_error *error)
{
    struct hwc_record found = {.large = true};
    int status = run_level(lab, side, level, &found, error);

    *page = found.finding[HWC_TLB_PAGE_SIZE];
    if (status == HWC_OK && covers_more(lab, side, page))
        profile->tlb[profile->tlbs++] = found;
    return status;
}

/* To touch a large page for the first time takes some milliseconds, as both kernels clear it. Where small pages back
 * large ones, the step is that of ordinary pages, and soon seen; only otherwise are more of them looked at. */
static int read_large_curve(struct hwc_lab *lab, struct hwc_tlb_side *side, struct hwc_error *error)
{
    size_t most = side->most_large, soon = 2 * (size_t)known_small(lab, side)->entries;

    side->most_large = soon < most ? soon : most;
    TRY(hwc_read_tlb_curve(lab, side, error));
    side->most_large = most;
    return side->levels > 0 || soon >= most ? HWC_OK : hwc_read_tlb_curve(lab, side, error);
}

static int ask_large_levels(struct hwc_lab *lab, struct hwc_tlb_side *side, struct hwc_profile *profile,
                            struct hwc_finding *page, struct hwc_error *error)
{
    struct hwc_finding of_second;

    TRY(look_at_large(lab, side, error));
    if (!side->code)
        TRY(hwc_find_small_backing(lab, page, error));
    if (page->known)
        return HWC_OK;
    if (lab->machine->has_clock)
        TRY(read_large_curve(lab, side, error));
    TRY(add_large_level(lab, side, 1, profile, page, error));
    if (covers_more(lab, side, page))
        TRY(add_large_level(lab, side, 2, profile, &of_second, error));
    return HWC_OK;
}

static int run_large_levels(struct hwc_lab *lab, struct hwc_tlb_side *side, struct hwc_profile *profile,
                            struct hwc_finding *page, struct hwc_error *error)
{
    return hwc_findings_settle(ask_large_levels(lab, side, profile, page, error), &page, 1, error);
}

/* What an entry covers is what really backs large pages: under a hypervisor these may be small pages. */
static int run_large_data(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    struct hwc_tlb_side side = {.large = true};
    struct hwc_finding *page = &profile->memory.finding[HWC_MEMORY_EFFECTIVE_PAGE_SIZE];

    if (lab->known->tlb[HWC_DTLB1].page_bytes == 0) {
        hwc_finding_because(page, hwc_depends("the TLB of ordinary pages is not known"));
        return HWC_OK;
    }
    TRY(run_large_levels(lab, &side, profile, page, error));
    if (page->known && !covers_more(lab, &side, page))
        hwc_note(&lab->notes,
                 "the effective page is small: what the kernel maps by %llu KiB takes an entry of the TLB for every "
                 "%.0f KiB; a hypervisor may back it with smaller pages",
                 (unsigned long long)(side.large_bytes >> 10), page->value / 1024);
    return HWC_OK;
}

static int run_large_code(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    struct hwc_tlb_side of_data = {.large = true}, side = {.code = true, .large = true};
    const struct hwc_finding *of_memory = &profile->memory.finding[HWC_MEMORY_EFFECTIVE_PAGE_SIZE];
    struct hwc_finding page = {0};

    if (lab->known->tlb[HWC_ITLB1].page_bytes == 0 || !covers_more(lab, &of_data, of_memory))
        return HWC_OK;
    return run_large_levels(lab, &side, profile, &page, error);
}

static int run(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    TRY(run_side(lab, false, profile, error));
    TRY(run_large_data(lab, profile, error));
    TRY(run_side(lab, true, profile, error));
    return run_large_code(lab, profile, error);
}

const struct hwc_probe hwc_probe_tlb = {
    .name = "tlb",
    .summary = "entries, associativity, page size and miss penalty of data and instruction TLBs",
    .source = "Coleman and Davidson, ISPASS 2001, 3.10; Yotov et al., SIGMETRICS 2005, 6",
    .needs = {HWC_CODE_CACHE_SIZE}, /* how many lines of code may be timed */
    .provides = {HWC_TLB_ENTRIES, HWC_TLB_ASSOCIATIVITY, HWC_TLB_PAGE_SIZE, HWC_TLB_MISS_PENALTY,
                 HWC_MEMORY_EFFECTIVE_PAGE_SIZE},
    .basic = true,
    .run = run,
};
