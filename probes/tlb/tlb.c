/* TLBs: entries, associativity, page size and miss penalty, of data and code,
 * level by level.
 *
 * Claim: how many pages a TLB translates, in sets of how many, how much one
 * entry covers, and what a reference that misses it takes longer than one that
 * hits.
 *
 * Method: AMP (ISPASS 2001, 3.10): the caches' algorithms, with pages for
 * lines; compact walks keep cache misses away (X-Ray, SIGMETRICS 2005, 6). So
 * many pages a stride apart fit (hwc_fit_ways); how many do side by side says
 * whether sets are chosen by low address bits or by a hash of them, as
 * Skylake's second level does (Tatar et al., USENIX Security 2022). By the
 * clock, the curve of the time of ever more pages gives the levels and their
 * penalties first (Dongarra et al., ICCS 2004, Figure 3, with time for counts).
 *
 * What can fool it: an operating system that makes larger pages of some that
 * thrash (IRIX; AMP 3.10): it is watched for first. Entries that take several
 * pages at once where neighbours are contiguous (coalescing): then more pages
 * fit than there are entries.
 * Pages that the host of a virtual machine backs with smaller ones: entries
 * are for those. A second level that is not filled by all that passes the
 * first. A sibling thread that has its part of the entries: they are asked about
 * when it rests. Policies that resist thrashing, by the clock. A page walk takes what
 * its own loads take: the penalty of the last level is that of walks whose
 * tables are cached. */
#include <math.h>

#include "solitude.h"
#include "statistics.h"
#include "table.h"
#include "translation.h"
#include "walk_share.h"

enum question { PAGE, ENTRIES, WAYS, APART, QUESTIONS };

#define LEVELS HWC_MAX_TLB_LEVEL
#define LONGEST_STRIDE (UINT64_C(256) << 20)
#define LONGEST_CODE_STRIDE (UINT64_C(8) << 20)
#define PAGES_IN_STRIDE 65536
/* First levels have few sets, and caches that are asked by a hash of the address's low bits (the "utags" of AMD's first
 * data caches: of bits 12 to 27; Lipp et al., AsiaCCS 2020) take lines that lie farther apart for the same. */
#define PAGES_IN_FIRST_STRIDE 4096
#define MOST_PAGES 16384
#define MOST_POINTS 32
/* Where the first instruction cache is known, or not: then as many lines as such hold, too few for a second level. */
#define MOST_CODE_PAGES 4096
#define MOST_CODE_PAGES_AT_ONCE 512
/* What a first level has for large pages, and more: they take real memory, and five apart they must lie in an arena. */
#define MOST_LARGE_PAGES 368
#define LEAST_LARGE_PAGES 92
#define FIRST_STRIDE_IN_LARGE 4
#define LONGEST_LARGE_STRIDE (UINT64_C(1) << 30)
#define LEAST_POINT 8
#define LEAST_LARGE_POINT 4

/* One side, data or code, for pages of one size: what the clock's curve says. */
struct side {
    bool code, large;
    bool pages_grow; /* the operating system grows those that thrash */
    uint64_t large_bytes;   /* such are they as far as the machine can see */
    size_t most_large;      /* and so many are to be had */
    unsigned levels;        /* by the curve */
    size_t below[LEVELS], above[LEVELS]; /* pages: the last point before it and the first of it */
    double plateau[LEVELS]; /* cycles that a reference takes longer when the levels up to this one miss */
};

struct context {
    const struct side *side;
    unsigned level;
};

static enum hwc_structure structure_of(const struct side *side, unsigned level)
{
    return side->code ? hwc_code_tlb(level) : hwc_data_tlb(level);
}

/* What is known of a level by now, by votes. */
static const struct hwc_tlb *known(const struct hwc_lab *lab, const struct side *side, unsigned level)
{
    return side->large ? &lab->known->large_tlb[structure_of(side, level)] : &lab->known->tlb[structure_of(side, level)];
}

/* Lines of more pages than this begin to miss a data cache when they are spread
 * and not when they lie side by side: sets of one or two ways much sooner than
 * those of many. */
static size_t most_pages(const struct hwc_lab *lab, const struct side *side)
{
    const struct hwc_level *level = &lab->known->level[lab->known->levels > 1 ? 2 : 1];
    uint64_t bytes = level->size_bytes > 0 ? level->size_bytes : level->rough_low;
    uint64_t pages = bytes / (level->fill_bytes > 64 ? level->fill_bytes : 64);
    size_t most;

    if (level->ways > 0 && level->ways <= 2)
        pages /= 4;
    if (side->large)
        return side->most_large;
    if (side->code && lab->known->code.size_bytes == 0)
        return MOST_CODE_PAGES_AT_ONCE;
    if (pages < 128)
        return 128;
    most = side->code ? MOST_CODE_PAGES : MOST_PAGES;
    return pages < most ? (size_t)pages : most;
}

/* What predictors make of one order of jumps they need not make of the next: the least of a few. */
#define LOOKS_AT_CODE 3

/* Cores part the entries for code among the threads that work: a Granite Rapids
 * shows 256 alone, and 128 beside another. */
static const struct hwc_solitude solitude_for_code = {.wait_seconds = 0.3, .tries = 8};

struct point {
    struct hwc_translation *translation;
    size_t pages;
    double packed, excess;
};

static int look_at_point(struct hwc_lab *lab, void *context, struct hwc_error *error)
{
    struct point *point = context;

    (void)lab;
    return hwc_translation_excess(point->translation, point->pages, &point->packed, &point->excess, error);
}

static int read_point(struct hwc_translation *translation, const struct side *side, size_t pages, double *packed,
                      double *excess, struct hwc_error *error)
{
    struct point point = {.translation = translation, .pages = pages};
    int status = HWC_OK;

    *packed = *excess = INFINITY;
    for (int look = 0; status == HWC_OK && look < (side->code ? LOOKS_AT_CODE : 1); look++) {
        status = side->code ? hwc_in_solitude(translation->lab, &solitude_for_code, look_at_point, &point, error)
                            : look_at_point(translation->lab, &point, error);
        *packed = fmin(*packed, point.packed);
        *excess = fmin(*excess, point.excess);
    }
    return status;
}

/* From how many pages on is the level missed? Half-way up to its plateau. */
static void find_step(struct side *side, unsigned level, const double *pages, const double *excess,
                      unsigned points)
{
    double before = level > 0 ? side->plateau[level - 1] : 0;
    double half = (before + side->plateau[level]) / 2;

    side->below[level] = 0;
    side->above[level] = SIZE_MAX;
    for (unsigned i = 0; i < points && side->above[level] == SIZE_MAX; i++) {
        if (excess[i] < half)
            side->below[level] = (size_t)pages[i];
        else
            side->above[level] = (size_t)pages[i];
    }
}

/* The time of ever more pages: each level of translation is a plateau of it. */
static int read_curve(struct hwc_lab *lab, struct side *side, struct hwc_error *error)
{
    struct hwc_translation translation = {0};
    double pages[MOST_POINTS], excess[MOST_POINTS], packed[MOST_POINTS], most = (double)most_pages(lab, side);
    unsigned points = 0;
    int status = hwc_translation_open(&translation, lab, structure_of(side, 1), side->large, error);

    for (double at = side->large ? LEAST_LARGE_POINT : LEAST_POINT;
         status == HWC_OK && at <= most * 1.01 && points < MOST_POINTS; at *= sqrt(2)) {
        pages[points] = at;
        status = read_point(&translation, side, (size_t)at, &packed[points], &excess[points], error);
        points++;
    }
    hwc_translation_close(&translation);
    if (status != HWC_OK)
        return status;
    side->levels = hwc_translation_plateaus(excess, packed, points, side->code, side->plateau);
    for (unsigned level = 0; level < side->levels; level++)
        find_step(side, level, pages, excess, points);
    return HWC_OK;
}

struct geometry {
    size_t ways;
    uint64_t period; /* things so far apart compete */
    uint64_t page;
};

/* Where one set holds all, competing things cannot be moved apart: in twos, as
 * many as fit still fit while the two share an entry. */
static int find_page_by_twins(struct hwc_lab *lab, struct hwc_translation *translation, const struct hwc_fit *fit,
                              uint64_t stride, size_t ways, uint64_t *page, struct hwc_error *error)
{
    bool fits = true;
    int status = HWC_OK;

    for (*page = hwc_smallest_entry(lab->machine); *page < stride && status == HWC_OK; *page *= 2) {
        translation->twin = *page;
        status = hwc_fits(fit, stride, ways, &fits, error);
        if (status != HWC_OK || !fits)
            break;
    }
    translation->twin = 0;
    if (status == HWC_OK && fits)
        return hwc_fail(error, HWC_UNAVAILABLE, "things %llu bytes apart share an entry", (unsigned long long)stride);
    return status;
}

/* Pages side by side overflow set after set, each with one page more than its ways, and all of such a set miss: before
 * that is seen, the pages are more than there are entries by so much. */
static double overflow(const struct hwc_translation *translation, size_t ways)
{
    return 1 + hwc_unseen_share(translation->witness) / ((double)ways + 0.7);
}

/* What is seen only of many pages is not seen to the page: a fifth of it is left open. */
static double tolerance_of(const struct hwc_translation *translation)
{
    return hwc_unseen_share(translation->witness) / 5;
}

/* Do as many pages side by side (`stride` apart) fit as there are entries, and few more not? */
static int check_expected(const struct hwc_translation *translation, const struct hwc_fit *fit, uint64_t stride,
                          size_t expected, size_t ways, bool *as_expected, struct hwc_error *error)
{
    double most = (double)expected * (1 + tolerance_of(translation)) * overflow(translation, ways);
    size_t beyond = 1 + (size_t)ceil(most);
    bool fits, more = true;

    *as_expected = false;
    if (beyond >= fit->most)
        return HWC_OK;
    TRY(hwc_fits(fit, stride, expected, &fits, error));
    if (fits)
        TRY(hwc_fits(fit, stride, beyond, &more, error));
    *as_expected = fits && !more;
    return HWC_OK;
}

/* Sets are a power of two where they are not as many as a period has pages. */
static double sets_of(double entries, size_t ways)
{
    return exp2(round(log2(entries / (double)ways)));
}

/* Where address bits choose the set, sets are a period of pages; a level above may keep some more. Where a hash of them
 * does, the period is longer; then the nearest power of two. */
static int count_entries(const struct hwc_translation *translation, const struct hwc_fit *fit, const struct side *side,
                         const struct geometry *found, uint64_t *entries, struct hwc_error *error)
{
    uint64_t stride = found->page * (side->pages_grow ? HWC_PAGES_APART : 1);
    double tolerance = tolerance_of(translation), settled;
    size_t ways = found->ways, plain = ways * (size_t)(found->period / found->page), count = plain;
    bool as_expected;

    *entries = plain;
    TRY(check_expected(translation, fit, stride, plain, ways, &as_expected, error));
    if (as_expected)
        return HWC_OK;
    TRY(hwc_fit_count(fit, stride, &count, error));
    settled = (double)count / overflow(translation, ways);
    if (settled > (double)plain && settled - (double)plain <= (double)translation->above.entries)
        return HWC_OK;
    if (fabs(settled / (double)plain - 1) > tolerance)
        *entries = (uint64_t)(sets_of(settled, ways) * (double)ways);
    if (fabs(settled / (double)*entries - 1) > tolerance)
        return hwc_fail(error, HWC_UNAVAILABLE, "%.0f pages side by side fit, which is no number of sets of %zu", settled,
                        ways);
    return HWC_OK;
}

/* What votes find and what the curve shows must be the same step: noise, and
 * other structures that code goes through, make others. */
#define STEP_LEEWAY 1.3

static bool is_step_of_curve(const struct side *side, unsigned level, uint64_t entries)
{
    double low = (double)side->below[level - 1] / STEP_LEEWAY, high = (double)side->above[level - 1] * STEP_LEEWAY;

    return side->levels >= level && (double)entries >= low && (double)entries <= high;
}

/* Large pages that entries for smaller ones translate lie so far apart on the curve that all compete for one set. */
static uint64_t step_of(const struct side *side, const struct geometry *found, uint64_t entries)
{
    bool smaller = side->large && found->page < side->large_bytes;

    return smaller && HWC_PAGES_APART * side->large_bytes % found->period == 0 ? found->ways : entries;
}

static int check_against_curve(const struct side *side, unsigned level, const struct geometry *found, uint64_t entries,
                               struct hwc_error *error)
{
    if (side->levels < level || is_step_of_curve(side, level, step_of(side, found, entries)))
        return HWC_OK;
    return hwc_fail(error, HWC_UNAVAILABLE, "%llu entries were found, but time rises from %zu pages on",
                    (unsigned long long)entries, side->above[level - 1]);
}

/* Of one set that holds all, pages of our own and of neighbours take places, and a core may keep the page that it
 * fetches from elsewhere: where others disturb the clock, an odd one more or less is no finding. */
#define SURE_MULTIPLE UINT64_C(4)
/* Of so many references not one misses, or some do. */
#define NONE_MISSES 0.02
#define SOME_MISS 0.05
#define ORDERS 3

static int usual_share(const struct hwc_fit *fit, uint64_t stride, size_t count, double *share,
                       struct hwc_error *error)
{
    double shares[ORDERS];

    for (int i = 0; i < ORDERS; i++) {
        struct hwc_estimate estimate;
        enum hwc_side side;
        TRY(fit->ask(fit->context, stride, count, &estimate, &side, error));
        shares[i] = estimate.value;
    }
    *share = hwc_median(shares, ORDERS);
    return HWC_OK;
}

/* One page too many makes few miss where the core keeps the page that it fetches from: a tenth of all, and of one page
 * less none. */
static int put_one_back(const struct hwc_fit *fit, struct geometry *found, uint64_t *entries,
                        struct hwc_error *error)
{
    double all = 0, but_one = 0;

    TRY(usual_share(fit, found->period, found->ways, &all, error));
    if (all < SOME_MISS)
        return HWC_OK;
    TRY(usual_share(fit, found->period, found->ways - 1, &but_one, error));
    if (but_one < NONE_MISSES)
        *entries = --found->ways;
    return HWC_OK;
}

static int check_whole_set(struct hwc_lab *lab, const struct hwc_fit *fit, struct geometry *found, uint64_t *entries,
                           struct hwc_error *error)
{
    if (!lab->machine->interference || *entries != found->ways || *entries < 4 * SURE_MULTIPLE)
        return HWC_OK;
    if (*entries % SURE_MULTIPLE == 1)
        TRY(put_one_back(fit, found, entries, error));
    if (*entries % SURE_MULTIPLE == 0)
        return HWC_OK;
    return hwc_fail(error, HWC_UNAVAILABLE,
                    "%llu pages fit into one set: that may be one more or less than it has entries",
                    (unsigned long long)*entries);
}

struct strides {
    uint64_t first, longest;
};

/* Large pages take a level's sets far apart, and the arena has room for few so far. */
static struct strides strides_of(const struct hwc_lab *lab, const struct side *side, unsigned level)
{
    uint64_t pages = lab->machine->page_bytes * (level == 1 ? PAGES_IN_FIRST_STRIDE : PAGES_IN_STRIDE);
    uint64_t longest = side->code ? LONGEST_CODE_STRIDE : LONGEST_STRIDE;

    if (side->large)
        return (struct strides){FIRST_STRIDE_IN_LARGE * side->large_bytes, LONGEST_LARGE_STRIDE};
    longest = pages < longest ? pages : longest;
    return (struct strides){longest, longest};
}

/* Where the system grows pages that are used side by side, nothing is asked of
 * such: things lie a few pages apart at least, and where one set holds all at
 * any distance, twins tell the page. */
static int find_page(struct hwc_lab *lab, struct hwc_translation *translation, const struct hwc_fit *fit,
                     const struct side *side, const struct strides *strides, uint64_t least,
                     struct geometry *found, struct hwc_error *error)
{
    uint64_t smallest = hwc_smallest_entry(lab->machine), base = translation->base;
    int status;

    translation->base = 0; /* an entry that covers several pages begins at a multiple of them */
    if (side->pages_grow && found->period == least) {
        status = find_page_by_twins(lab, translation, fit, strides->longest, found->ways, &found->page, error);
        found->period = found->page;
    } else {
        status = hwc_fit_parting(fit, found->period, hwc_too_many(found->ways), smallest, found->period,
                                 &found->page, error);
    }
    translation->base = base;
    return status;
}

static int find_geometry(struct hwc_lab *lab, struct hwc_translation *translation, const struct hwc_fit *fit,
                         const struct side *side, const struct strides *strides, struct geometry *found,
                         struct hwc_error *error)
{
    uint64_t least = side->pages_grow ? 4 * lab->machine->page_bytes : hwc_smallest_entry(lab->machine);
    int status = hwc_fit_ways(fit, least, strides->first, strides->longest, &found->ways, &found->period, error);

    return status == HWC_OK ? find_page(lab, translation, fit, side, strides, least, found, error) : status;
}

struct look {
    const struct context *context;
    struct hwc_translation translation;
    struct hwc_ballot *ballot;
};

static int search(struct hwc_lab *lab, struct look *look, struct hwc_error *error)
{
    const struct context *context = look->context;
    struct hwc_translation *translation = &look->translation;
    struct hwc_ballot *ballot = look->ballot;
    const struct side *side = context->side;
    struct strides strides = strides_of(lab, side, context->level);
    struct hwc_fit fit = {.ask = hwc_translation_ask,
                          .move = hwc_translation_move,
                          .context = translation,
                          .most_bytes = translation->arena.bytes - translation->base - 2 * strides.first,
                          .most = side->large ? side->most_large : MOST_PAGES / 2};
    struct geometry found = {0};
    uint64_t entries = 0;

    translation->miss_cycles = side->plateau[context->level - 1];
    if (context->level > 1) {
        translation->above_cycles = side->plateau[0];
        translation->miss_cycles -= side->plateau[0];
    }
    TRY(find_geometry(lab, translation, &fit, side, &strides, &found, error));
    TRY(count_entries(translation, &fit, side, &found, &entries, error));
    if (!hwc_counts(translation->witness)) {
        TRY(check_whole_set(lab, &fit, &found, &entries, error));
        TRY(check_against_curve(side, context->level, &found, entries, error));
    }
    for (int q = 0; q < QUESTIONS; q++)
        ballot->cast[q] = true;
    ballot->value[PAGE] = (int64_t)found.page;
    ballot->value[ENTRIES] = (int64_t)entries;
    ballot->value[WAYS] = (int64_t)found.ways;
    ballot->value[APART] = (int64_t)(found.ways == entries ? HWC_PAGES_APART * found.page : found.period);
    return HWC_OK;
}

/* Threads part the entries for code, which every reading minds, and take each other's for data. */
static int measure(struct hwc_lab *lab, void *data, struct hwc_ballot *ballot, struct hwc_error *error)
{
    const struct context *context = data;
    struct look look = {.context = context, .ballot = ballot};
    int status = hwc_translation_open(&look.translation, lab, structure_of(context->side, context->level),
                                      context->side->large, error);

    hwc_is_alone(lab, HWC_WAIT_FOR_BALLOT);
    if (status == HWC_OK)
        status = search(lab, &look, error);
    hwc_translation_close(&look.translation);
    return status;
}

/* Why the level cannot be looked at; no reason where it can. */
static struct hwc_reason why_not(struct hwc_lab *lab, const struct side *side, unsigned level)
{
    const struct hwc_witness *witness = &lab->structure_witness[structure_of(side, level)];

    if (!hwc_can_answer(witness))
        return hwc_unavailable("nothing counts its misses here, and there is no clock");
    if (hwc_goes_by_time(witness) && side->levels < level)
        return hwc_inconclusive("time shows no step where its misses would begin");
    if (level > 1 && known(lab, side, 1)->entries == 0)
        return hwc_depends("the first level is not known well enough to be put aside");
    return HWC_NO_REASON;
}

/* Why not; no reason where it can be told. Levels above have a part in it. */
static struct hwc_reason why_no_penalty(struct hwc_lab *lab, const struct side *side, unsigned level,
                                  const struct hwc_result *entries)
{
    uint64_t above = level > 1 ? known(lab, side, level - 1)->entries : 0;

    if (side->levels < level)
        return hwc_inconclusive("time shows no step where its misses would begin");
    if (!entries->decided || (level > 1 && above == 0))
        return hwc_depends("whether the step in time is this level's is not known");
    if (!is_step_of_curve(side, level, (uint64_t)entries->value) ||
        (level > 1 && !is_step_of_curve(side, level - 1, above)))
        return hwc_inconclusive("time steps up at another number of pages than there are entries");
    return HWC_NO_REASON;
}

/* What missing this level adds: by the clock alone. */
static void report_penalty(struct hwc_lab *lab, const struct side *side, unsigned level,
                           const struct hwc_result *entries, struct hwc_finding *finding)
{
    struct hwc_reason reason = why_no_penalty(lab, side, level, entries);

    if (reason.text != NULL) {
        hwc_finding_because(finding, reason);
        return;
    }
    hwc_finding_cycles(finding, side->plateau[level - 1] - (level > 1 ? side->plateau[level - 2] : 0));
}

/* What later probes go by. */
static void know(struct hwc_lab *lab, const struct side *side, unsigned level, const struct hwc_result *results,
                 const struct hwc_finding *penalty)
{
    uint64_t entries = (uint64_t)results[ENTRIES].value, ways = (uint64_t)results[WAYS].value;
    uint64_t page = (uint64_t)results[PAGE].value;

    for (int q = 0; q < QUESTIONS; q++)
        if (!results[q].decided)
            return;
    hwc_know_tlb(lab, structure_of(side, level), side->large,
                 &(struct hwc_tlb){.entries = entries,
                                   .ways = ways,
                                   .page_bytes = page,
                                   .period_bytes = entries / ways * page,
                                   .apart_bytes = (uint64_t)results[APART].value});
    if (!side->large) /* beyond a hit */
        lab->structure_witness[structure_of(side, level)].miss_cycles = penalty->known ? penalty->value : 0;
}

static int run_level(struct hwc_lab *lab, const struct side *side, unsigned level, struct hwc_record *tlb,
                     struct hwc_error *error)
{
    struct hwc_finding apart = {0}; /* for later probes */
    struct hwc_finding *findings[QUESTIONS] = {&tlb->finding[HWC_TLB_PAGE_SIZE], &tlb->finding[HWC_TLB_ENTRIES],
                                               &tlb->finding[HWC_TLB_ASSOCIATIVITY], &apart};
    struct hwc_result results[QUESTIONS] = {0};
    struct context context = {side, level};
    struct hwc_reason reason = why_not(lab, side, level);
    int status = HWC_OK;

    tlb->level = level;
    tlb->code = side->code;
    if (reason.text != NULL)
        hwc_findings_because(findings, QUESTIONS, reason);
    else
        status = hwc_findings_by_vote(lab, measure, &context, &lab->structure_witness[structure_of(side, level)], QUESTIONS,
                                      findings, results, error);
    if (status != HWC_OK)
        return status;
    report_penalty(lab, side, level, &results[ENTRIES], &tlb->finding[HWC_TLB_MISS_PENALTY]);
    know(lab, side, level, results, &tlb->finding[HWC_TLB_MISS_PENALTY]);
    return HWC_OK;
}

/* AMP 3.10: thrashing that subsides. In time, most of it: a part of what
 * translation takes subsides, too, when caches come to keep the page tables (on
 * a Zen 5 two thirds). */
#define SUBSIDES 0.5
#define SUBSIDES_IN_TIME 0.1
#define THRASHES 0.5

static int watch_once(struct hwc_lab *lab, const struct side *side, size_t pages, double *at_first, double *at_last,
                      struct hwc_error *error)
{
    struct hwc_translation translation = {0};
    int status = hwc_translation_open(&translation, lab, structure_of(side, 1), side->large, error);

    if (status == HWC_OK)
        status = hwc_translation_watch(&translation, pages, at_first, at_last, error);
    hwc_translation_close(&translation);
    return status;
}

/* What subsides may have been what others did: where they can, it must do so again. */
#define TIMES_WATCHED 3

static int watch_pages(struct hwc_lab *lab, struct side *side, struct hwc_error *error)
{
    const struct hwc_witness *witness = &lab->structure_witness[structure_of(side, 1)];
    size_t pages = most_pages(lab, side);
    double at_first = 0, at_last = 0, subsides = hwc_goes_by_time(witness) ? SUBSIDES_IN_TIME : SUBSIDES;
    int status = HWC_OK;

    side->pages_grow = hwc_can_answer(witness);
    for (int i = 0; i < TIMES_WATCHED && side->pages_grow; i++) {
        status = watch_once(lab, side, pages, &at_first, &at_last, error);
        side->pages_grow = status == HWC_OK && at_first > THRASHES && at_last < subsides * at_first;
    }
    if (side->pages_grow)
        hwc_note(&lab->notes,
                 "the operating system grows pages that thrash the TLB: %s of %zu pages side by side took misses at first, "
                 "and %.0f %% of these later; pages apart were looked at instead",
                 side->code ? "fetches" : "loads", pages, 100 * fmax(at_last, 0) / at_first);
    return status;
}

/* The first level is always asked for; a second where an event or the clock speaks of it. */
static int run_side(struct hwc_lab *lab, bool code, struct hwc_profile *profile, struct hwc_error *error)
{
    struct side side = {.code = code};
    int status = lab->machine->has_clock ? read_curve(lab, &side, error) : HWC_OK;

    if (status == HWC_OK)
        status = watch_pages(lab, &side, error);
    if (hwc_came_to_nothing(status))
        status = HWC_OK; /* no curve: events may still answer */
    for (unsigned level = 1; status == HWC_OK && level <= LEVELS; level++)
        if (level == 1 || side.levels >= level || hwc_counts(&lab->structure_witness[structure_of(&side, level)]))
            status = run_level(lab, &side, level, &profile->tlb[profile->tlbs++], error);
    return status;
}

/* How large are they, and how many may be used? */
static int look_at_large(struct hwc_lab *lab, struct side *side, struct hwc_error *error)
{
    struct hwc_translation translation = {0};
    int status = hwc_translation_open(&translation, lab, structure_of(side, 1), side->large, error);
    uint64_t room = translation.arena.bytes - translation.base, memory = lab->machine->max_arena_bytes / 2;

    if (status == HWC_OK) {
        uint64_t pages = (room / HWC_PAGES_APART < memory ? room / HWC_PAGES_APART : memory) / translation.arena.page_bytes;
        side->large_bytes = translation.arena.page_bytes;
        side->most_large = pages < MOST_LARGE_PAGES ? (size_t)pages : MOST_LARGE_PAGES;
    }
    hwc_translation_close(&translation);
    if (status != HWC_OK)
        return status;
    if (side->large_bytes <= lab->machine->page_bytes)
        return hwc_fail(error, HWC_UNAVAILABLE, "no larger page was to be had");
    if (side->most_large < LEAST_LARGE_PAGES)
        return hwc_fail(error, HWC_NO_MEMORY, "too little memory to use many large pages");
    return HWC_OK;
}

static bool covers_more(struct hwc_lab *lab, const struct side *side, const struct hwc_finding *page)
{
    return page->known && page->value > (double)lab->known->tlb[structure_of(side, 1)].page_bytes;
}

/* A level that translates pages that were asked for as large ones by entries that cover more than an ordinary page. */
static int add_large_level(struct hwc_lab *lab, const struct side *side, unsigned level, struct hwc_profile *profile,
                           struct hwc_finding *page, struct hwc_error *error)
{
    struct hwc_record found = {.large = true};
    int status = run_level(lab, side, level, &found, error);

    *page = found.finding[HWC_TLB_PAGE_SIZE];
    if (status == HWC_OK && covers_more(lab, side, page))
        profile->tlb[profile->tlbs++] = found;
    return status;
}

static int run_large_levels(struct hwc_lab *lab, struct side *side, struct hwc_profile *profile,
                            struct hwc_finding *page, struct hwc_error *error)
{
    struct hwc_finding of_second;
    int status = look_at_large(lab, side, error);

    if (status == HWC_OK && lab->machine->has_clock)
        status = read_curve(lab, side, error);
    if (status == HWC_OK)
        status = add_large_level(lab, side, 1, profile, page, error);
    if (status == HWC_OK && covers_more(lab, side, page))
        status = add_large_level(lab, side, 2, profile, &of_second, error);
    if (!hwc_came_to_nothing(status))
        return status;
    hwc_finding_failed(page, error);
    return HWC_OK;
}

/* What an entry covers is what really backs them: behind a hypervisor that may be small pages. */
static int run_large_data(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    struct side side = {.large = true};
    struct hwc_finding *page = &profile->memory.finding[HWC_MEMORY_EFFECTIVE_PAGE_SIZE];
    int status;

    if (lab->known->tlb[HWC_DTLB1].page_bytes == 0) {
        hwc_finding_because(page, hwc_depends("the TLB of ordinary pages is not known"));
        return HWC_OK;
    }
    status = run_large_levels(lab, &side, profile, page, error);
    if (status == HWC_OK && page->known && !covers_more(lab, &side, page))
        hwc_note(&lab->notes,
                 "the effective page is small: what the kernel maps by %llu KiB takes an entry of the TLB for every "
                 "%.0f KiB; a hypervisor may back it with smaller pages",
                 (unsigned long long)(side.large_bytes >> 10), page->value / 1024);
    return status;
}

static int run_large_code(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    struct side of_data = {.large = true}, side = {.code = true, .large = true};
    const struct hwc_finding *of_memory = &profile->memory.finding[HWC_MEMORY_EFFECTIVE_PAGE_SIZE];
    struct hwc_finding page = {0};

    if (lab->known->tlb[HWC_ITLB1].page_bytes == 0 || !covers_more(lab, &of_data, of_memory))
        return HWC_OK;
    return run_large_levels(lab, &side, profile, &page, error);
}

static int run(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    int status = run_side(lab, false, profile, error);

    if (status == HWC_OK)
        status = run_large_data(lab, profile, error);
    if (status == HWC_OK)
        status = run_side(lab, true, profile, error);
    return status == HWC_OK ? run_large_code(lab, profile, error) : status;
}

const struct hwc_probe hwc_probe_tlb = {
    .name = "tlb",
    .summary = "entries, associativity, page size and miss penalty of data and instruction TLBs",
    .source = "Coleman and Davidson, ISPASS 2001, 3.10; Yotov et al., SIGMETRICS 2005, 6",
    .needs = {HWC_CODE_CACHE_SIZE}, /* how many lines of code may be timed */
    .provides = {HWC_TLB_ENTRIES, HWC_TLB_ASSOCIATIVITY, HWC_TLB_PAGE_SIZE, HWC_TLB_MISS_PENALTY,
                 HWC_MEMORY_EFFECTIVE_PAGE_SIZE},
    .run = run,
};
