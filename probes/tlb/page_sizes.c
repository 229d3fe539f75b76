/* Does a TLB keep pages of different sizes in the same entries?
 *
 * Claim: whether a level of translation, of data or of code, is shared by
 * ordinary and large pages, or split by page size. Where a second level is
 * shared, its number of entries holds for large pages, too.
 *
 * Method: AMP's test for split or unified caches (ISPASS 2001, 3.6), with large
 * pages in place of code. Touch a line in each of nearly as many ordinary pages
 * as the level has entries, then one in each of many large pages, then the
 * ordinary pages again: if these miss more than after as many lines of a single
 * large page, the large pages took entries.
 *
 * What can fool it: large pages that a hypervisor backs with small ones, which
 * is checked first. Too few large pages to evict much from a level whose policy
 * resists scans: if between a tenth and a half is evicted, the answer is left
 * open. */
#include "steady_state.h"
#include "table.h"
#include "translation.h"

/* With code, jumps reach across no more of them (translation.h). */
#define LARGE_PAGES (HWC_MOST_LARGE_PAGES / 2)
/* Entries left free, at most, for the control's page and for pages outside the walk. */
#define MOST_LEFT ((size_t)8)
#define SPLIT 0.1
#define SHARED 0.5
#define PASSES 2

struct context {
    enum hwc_structure structure;
    const struct hwc_witness *witness;
    size_t small_pages;
    uint64_t large_bytes;
};

struct parts {
    struct hwc_arena small_arena, large_arena;
    struct hwc_walk small, spread, control;
};

static void close_parts(struct hwc_lab *lab, struct parts *parts)
{
    hwc_walk_free(&parts->small);
    hwc_walk_free(&parts->spread);
    hwc_walk_free(&parts->control);
    hwc_close_arena(lab, &parts->small_arena);
    hwc_close_arena(lab, &parts->large_arena);
}

/* Lines that are `each` bytes further apart than those of the control (0), which all lie in one large page: in large pages
 * of their own, they are in the same sets of all caches. At the beginning of each page they would share few sets of lower
 * levels, and put out lines of small pages there. */
static int lay_out_lines(struct hwc_lab *lab, const struct context *context, struct hwc_walk *walk, uint64_t from,
                         uint64_t each, struct hwc_error *error)
{
    uint64_t page = lab->machine->page_bytes, period = lab->known->level[1].period_bytes;
    uint64_t apart = period > page ? period : page;
    size_t most = apart < context->large_bytes ? (size_t)(context->large_bytes / apart) : 1;

    for (size_t lines = 0; lines < LARGE_PAGES; lines += most) {
        size_t left = LARGE_PAGES - lines;
        TRY(hwc_walk_pages(lab, walk, left < most ? left : most, from + lines * each, each + apart, lines, error));
    }
    return HWC_OK;
}

static int lay_out(struct hwc_lab *lab, const struct context *context, struct parts *parts, struct hwc_error *error)
{
    uint64_t large = context->large_bytes;
    enum hwc_access access = hwc_is_of_code(context->structure) ? HWC_FETCH : HWC_LOAD;

    parts->small.access = parts->spread.access = parts->control.access = access;
    parts->spread.arena = parts->control.arena = &parts->large_arena;
    TRY(hwc_walk_pages(lab, &parts->small, context->small_pages, 0, lab->machine->page_bytes, 0, error));
    TRY(lay_out_lines(lab, context, &parts->spread, 0, large, error));
    return lay_out_lines(lab, context, &parts->control, LARGE_PAGES * large, 0, error);
}

static int open_parts(struct hwc_lab *lab, const struct context *context, struct parts *parts, struct hwc_error *error)
{
    const struct hwc_machine_ops *ops = lab->machine->ops;
    uint64_t page = lab->machine->page_bytes;
    bool code = hwc_is_of_code(context->structure);

    *parts = (struct parts){0};
    hwc_walk_init(&parts->small);
    hwc_walk_init(&parts->spread);
    hwc_walk_init(&parts->control);
    TRY(ops->arena_open(lab->machine, (context->small_pages + 1) * page, code ? HWC_CODE_PAGES : HWC_SPARSE_PAGES,
                        &parts->small_arena, error));
    TRY(ops->arena_open(lab->machine, (LARGE_PAGES + 1) * context->large_bytes,
                        code ? HWC_LARGE_CODE_PAGES : HWC_LARGE_PAGES, &parts->large_arena, error));
    return lay_out(lab, context, parts, error);
}

/* Misses of the small pages after the others were touched. */
static int read_behind(struct hwc_lab *lab, const struct context *context, const struct parts *parts,
                       const struct hwc_walk *others, double *misses, struct hwc_error *error)
{
    const struct hwc_witness *witness = context->witness;
    const struct hwc_experiment experiment = {
        .arena = &parts->small_arena,
        .event = hwc_event_of(witness),
        .apart = true,
        .steps = 3,
        .step = {{HWC_RUN, &parts->small, PASSES}, {HWC_RUN, others, PASSES}, {HWC_MEASURE, &parts->small, 1}},
    };
    return hwc_weigh_least(lab, witness, &experiment, lab->settings.samples, misses, error);
}

/* How many more small pages miss after the large pages than after the control. */
static int count_evicted(struct hwc_lab *lab, const struct context *context, const struct parts *parts, double *evicted,
                         struct hwc_error *error)
{
    double behind_spread = 0, behind_control = 0;

    TRY(read_behind(lab, context, parts, &parts->control, &behind_control, error));
    TRY(read_behind(lab, context, parts, &parts->spread, &behind_spread, error));
    *evicted = behind_spread - behind_control;
    return HWC_OK;
}

static int measure(struct hwc_lab *lab, void *data, struct hwc_ballot *ballot, struct hwc_error *error)
{
    const struct context *context = data;
    double most = (double)(LARGE_PAGES < context->small_pages ? LARGE_PAGES : context->small_pages);
    double evicted = 0, share;
    struct parts parts;
    int status = open_parts(lab, context, &parts, error);

    if (status == HWC_OK)
        status = count_evicted(lab, context, &parts, &evicted, error);
    close_parts(lab, &parts);
    if (status != HWC_OK)
        return status;
    share = evicted / most;
    if (share > SPLIT && share < SHARED)
        return hwc_fail(error, HWC_UNAVAILABLE, "%.0f large pages put %.0f small ones out", most, share * most);
    ballot->cast[0] = true;
    ballot->value[0] = share >= SHARED;
    return HWC_OK;
}

/* Why there is no answer; HWC_NO_REASON if there is one. */
static struct hwc_reason why_not(const struct hwc_profile *profile, const struct hwc_lab *lab,
                                 const struct context *context)
{
    if (context->small_pages == 0)
        return hwc_depends("the level's geometry is not known");
    if (!profile->memory.finding[HWC_MEMORY_EFFECTIVE_PAGE_SIZE].known)
        return hwc_depends("whether large pages are to be had is not known");
    if (profile->memory.finding[HWC_MEMORY_EFFECTIVE_PAGE_SIZE].value <= (double)lab->known->tlb[HWC_DTLB1].page_bytes)
        return hwc_nothing_there("large pages are backed by small ones here");
    if (context->large_bytes == 0)
        return hwc_depends("large pages of code did not show");
    if (!hwc_tells(context->witness))
        return hwc_inconclusive("the clock does not tell its hits from its misses");
    return HWC_NO_REASON;
}

/* Bytes of a large page of data or of code, as far as they are known. */
static uint64_t large_bytes(const struct hwc_lab *lab, const struct hwc_profile *profile, enum hwc_structure structure)
{
    return hwc_is_of_code(structure) ? lab->known->large_tlb[HWC_ITLB1].page_bytes
                                     : (uint64_t)profile->memory.finding[HWC_MEMORY_EFFECTIVE_PAGE_SIZE].value;
}

static int run_level(struct hwc_lab *lab, const struct hwc_profile *profile, enum hwc_structure structure,
                     struct hwc_finding *finding, struct hwc_error *error)
{
    const struct hwc_tlb *tlb = &lab->known->tlb[structure];
    /* An entry may cover several pages, or part of one. */
    size_t fit = (size_t)(tlb->entries * tlb->page_bytes / lab->machine->page_bytes);
    struct context context = {.structure = structure,
                              .witness = &lab->structure_witness[structure],
                              .small_pages = fit - (fit / 8 < MOST_LEFT ? fit / 8 : MOST_LEFT),
                              .large_bytes = large_bytes(lab, profile, structure)};
    struct hwc_reason reason = why_not(profile, lab, &context);

    if (reason.text == NULL)
        return hwc_decide_by_vote(lab, measure, &context, context.witness, finding, error);
    hwc_finding_because(finding, reason);
    return HWC_OK;
}

static int run(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    for (unsigned i = 0; i < profile->tlbs; i++)
        if (!profile->tlb[i].large)
            TRY(run_level(lab, profile, hwc_structure_of(&profile->tlb[i]),
                          &profile->tlb[i].finding[HWC_TLB_SHARED_BY_PAGE_SIZES], error));
    return HWC_OK;
}

const struct hwc_probe hwc_probe_page_sizes = {
    .name = "tlb_page_sizes",
    .summary = "whether a TLB is shared by ordinary and large pages",
    .source = "Coleman and Davidson, ISPASS 2001, 3.6 and 3.10",
    .needs = {HWC_TLB_ENTRIES, HWC_MEMORY_EFFECTIVE_PAGE_SIZE},
    .provides = {HWC_TLB_SHARED_BY_PAGE_SIZES},
    .run = run,
};
