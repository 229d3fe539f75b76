/* Sub-pages of TLB entries that cover several pages.
 *
 * Claim: how much of what an entry covers one miss fills: all of it, or one
 * sub-page, so that the others miss and are filled one by one.
 *
 * Method: that for sub-blocks of lines, with pages for lines (AMP, ISPASS 2001,
 * 7, has both as ongoing work). Empty the TLB, touch one half of what some
 * entries cover, then measure the other half: if it misses even so, but hits
 * after a touch of its own page, it is filled separately. The test is then
 * repeated with the halves of that half.
 *
 * What can fool it: a TLB that coalesces neighbouring pages into one entry only
 * once both were used: it is reported to fill them one by one, as it does. A
 * first level whose entries cover as much hides the second. */
#include "steady_state.h"
#include "table.h"
#include "translation.h"

#define EVICTORS 2 /* pages per entry, and both halves of each */
#define SHARE 0.5

struct context {
    const struct hwc_witness *witness;
    size_t entries;
    uint64_t page; /* what an entry covers */
};

struct parts {
    struct hwc_arena arena;
    struct hwc_walk evictors;
    struct hwc_walk asked;     /* a part of each thing, whose misses are measured */
    struct hwc_walk neighbour; /* the part before it */
    struct hwc_walk itself;    /* another line of the part itself */
};

static void close_parts(struct hwc_lab *lab, struct parts *parts)
{
    hwc_walk_free(&parts->evictors);
    hwc_walk_free(&parts->asked);
    hwc_walk_free(&parts->neighbour);
    hwc_walk_free(&parts->itself);
    hwc_close_arena(lab, &parts->arena);
}

/* What is touched and what is measured lie in different lines, so that neither evicts the other from a small cache. */
static size_t things_of(const struct hwc_lab *lab, const struct context *context)
{
    size_t most = hwc_lines_before_repeat(lab) / 2;

    return context->entries / 2 < most ? context->entries / 2 : most;
}

/* The evictors lie at addresses above the things. */
static int open_parts(struct hwc_lab *lab, const struct context *context, uint64_t part, struct parts *parts,
                      struct hwc_error *error)
{
    size_t things = things_of(lab, context), evictors = EVICTORS * context->entries;
    uint64_t apart = HWC_PAGES_APART * context->page, behind = things * apart;

    *parts = (struct parts){0};
    hwc_walk_init(&parts->evictors);
    hwc_walk_init(&parts->asked);
    hwc_walk_init(&parts->neighbour);
    hwc_walk_init(&parts->itself);
    TRY(lab->machine->ops->arena_open(lab->machine, behind + (evictors + 1) * context->page, HWC_SPARSE_PAGES,
                                      &parts->arena, error));
    TRY(hwc_walk_pages(lab, &parts->evictors, evictors, behind, context->page, 0, error));
    /* also evict the measured parts from a first level whose entries cover less */
    TRY(hwc_walk_pages(lab, &parts->evictors, evictors, behind + part, context->page, 0, error));
    TRY(hwc_walk_pages(lab, &parts->asked, things, part, apart, 0, error));
    TRY(hwc_walk_pages(lab, &parts->neighbour, things, 0, apart, things, error));
    return hwc_walk_pages(lab, &parts->itself, things, part, apart, things, error);
}

/* Misses of the measured parts after a touch of something that the same entries cover. */
static int read_behind(struct hwc_lab *lab, const struct context *context, const struct parts *parts,
                       const struct hwc_walk *touched, double *misses, struct hwc_error *error)
{
    const struct hwc_witness *witness = context->witness;
    const struct hwc_experiment experiment = {
        .arena = &parts->arena,
        .event = hwc_event_of(witness),
        .apart = true,
        .steps = 3,
        .step = {{HWC_RUN, &parts->evictors, 2}, {HWC_RUN, touched, 1}, {HWC_MEASURE, &parts->asked, 1}},
    };

    return hwc_weigh_least(lab, witness, &experiment, lab->settings.samples, misses, error);
}

static int compare_parts(struct hwc_lab *lab, const struct context *context, const struct parts *parts, bool *together,
                         struct hwc_error *error)
{
    double behind_neighbour = 0, behind_itself = 0;

    TRY(read_behind(lab, context, parts, &parts->neighbour, &behind_neighbour, error));
    TRY(read_behind(lab, context, parts, &parts->itself, &behind_itself, error));
    *together = behind_neighbour - behind_itself < SHARE * (double)things_of(lab, context);
    return HWC_OK;
}

/* Does one miss fill both halves of this many bytes? */
static int come_together(struct hwc_lab *lab, const struct context *context, uint64_t bytes, bool *together,
                         struct hwc_error *error)
{
    struct parts parts;
    int status = open_parts(lab, context, bytes / 2, &parts, error);

    if (status == HWC_OK)
        status = compare_parts(lab, context, &parts, together, error);
    close_parts(lab, &parts);
    return status;
}

static int measure(struct hwc_lab *lab, void *data, struct hwc_ballot *ballot, struct hwc_error *error)
{
    const struct context *context = data;
    uint64_t sub_page = context->page;
    bool together = false;

    while (sub_page > lab->machine->page_bytes) {
        TRY(come_together(lab, context, sub_page, &together, error));
        if (together)
            break;
        sub_page /= 2;
    }
    ballot->cast[0] = true;
    ballot->value[0] = (int64_t)sub_page;
    return HWC_OK;
}

static int run_level(struct hwc_lab *lab, unsigned level, struct hwc_finding *finding, struct hwc_error *error)
{
    const struct hwc_tlb *tlb = &lab->known->tlb[hwc_data_tlb(level)];
    struct context context = {&lab->structure_witness[hwc_data_tlb(level)], (size_t)tlb->entries, tlb->page_bytes};
    struct hwc_result result;
    struct hwc_reason reason = HWC_NO_REASON;

    if (level > 1 && lab->known->tlb[HWC_DTLB1].page_bytes >= tlb->page_bytes)
        reason = hwc_unavailable("the first level covers as much and hides it");
    else if (!hwc_tells(context.witness))
        reason = hwc_inconclusive("the clock does not tell its hits from its misses");
    if (reason.text == NULL)
        return hwc_finding_by_vote(lab, measure, &context, context.witness, finding, &result, error);
    hwc_finding_because(finding, reason);
    return HWC_OK;
}

/* Only an entry that covers more than a page can have sub-pages. */
static int run(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    for (unsigned i = 0; i < profile->tlbs; i++) {
        struct hwc_record *tlb = &profile->tlb[i];
        uint64_t covered = tlb->code || tlb->large ? 0 : lab->known->tlb[hwc_data_tlb(tlb->level)].page_bytes;
        if (covered > lab->machine->page_bytes)
            TRY(run_level(lab, tlb->level, &tlb->finding[HWC_TLB_SUB_PAGE_SIZE], error));
    }
    return HWC_OK;
}

const struct hwc_probe hwc_probe_sub_pages = {
    .name = "sub_pages",
    .summary = "how much of what a TLB entry covers one miss brings",
    .source = "Coleman and Davidson, ISPASS 2001, 3.10 and 7",
    .needs = {HWC_TLB_ENTRIES, HWC_TLB_PAGE_SIZE},
    .provides = {HWC_TLB_SUB_PAGE_SIZE},
    .run = run,
};
