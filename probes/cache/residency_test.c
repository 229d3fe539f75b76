#include "residency_test.h"

#include "contrast.h"

/* Enough to tell none from most: more lines of a large level would add nothing. */
enum { MOST_LINES = 4096 };

struct context {
    const struct hwc_residency_test *visit;
    size_t lines;
    uint64_t spacing; /* of the lines, at least two cells */
};

struct region {
    struct hwc_arena arena;
    struct hwc_walk loads, others;
};

static void close_region(struct hwc_lab *lab, struct region *region)
{
    hwc_walk_free(&region->loads);
    hwc_walk_free(&region->others);
    lab->machine->ops->arena_close(lab->machine, &region->arena);
}

/* The references under test (others) go to the second cell of each line: the first holds the chain of loads. */
static int open_region(struct hwc_lab *lab, const struct context *context, struct region *region,
                       struct hwc_error *error)
{
    int status = lab->machine->ops->arena_open(lab->machine, context->lines * context->spacing, HWC_LARGE_PAGES,
                                               &region->arena, error);

    if (status != HWC_OK)
        return status;
    hwc_walk_init(&region->loads);
    hwc_walk_init(&region->others);
    region->others.access = context->visit->access;
    region->others.type = context->visit->type;
    status = hwc_walk_sequence(&region->loads, 0, context->spacing, context->lines, error);
    if (status == HWC_OK)
        hwc_walk_shuffle(&region->loads, &lab->random);
    if (status == HWC_OK)
        status = hwc_walk_beside(&region->others, &region->loads, error);
    if (status != HWC_OK)
        close_region(lab, region);
    return status;
}

/* Measure the loads after the references under test, on a region that was flushed before, or loaded. The list that
 * those references are played from takes its share of a small level in both cases. */
static struct hwc_experiment load_behind(const struct region *region, const struct hwc_witness *witness, bool flush)
{
    return (struct hwc_experiment){
        .arena = &region->arena,
        .event = hwc_event_of(witness),
        .steps = 3,
        .step = {{flush ? HWC_FLUSH : HWC_RUN, &region->loads, flush ? 1 : 2},
                 {HWC_RUN, &region->others, 1},
                 {HWC_MEASURE, &region->loads, 1}},
    };
}

/* A ballot, on a fresh region. */
static int measure(struct hwc_lab *lab, void *data, struct hwc_ballot *ballot, struct hwc_error *error)
{
    const struct context *context = data;
    const struct hwc_witness *witness = &lab->witness[context->visit->level];
    struct hwc_contrast contrast = {.witness = witness, .references = context->lines};
    struct hwc_shares shares = {0};
    struct region region;
    int status;

    TRY(open_region(lab, context, &region, error));
    contrast.with = load_behind(&region, witness, true);
    contrast.without = load_behind(&region, witness, false);
    status = hwc_measure_contrast(lab, &contrast, &shares, error);
    close_region(lab, &region);
    if (status != HWC_OK)
        return status;
    if (shares.verdict == HWC_SHARE_BETWEEN)
        return hwc_fail(error, HWC_INCONCLUSIVE, "%.0f %% of the lines miss: neither as hits nor as misses do",
                        100 * shares.added);
    if (shares.verdict == HWC_SHARE_NONE && !hwc_could_add_most(shares.without))
        return hwc_fail(error, HWC_INCONCLUSIVE, "%.0f %% of the lines that were loaded before miss, too",
                        100 * shares.without);
    ballot->cast[0] = true;
    ballot->value[0] = (shares.verdict == HWC_SHARE_NONE) != context->visit->yes_if_not_left;
    return HWC_OK;
}

static struct hwc_reason why_not(const struct hwc_level *level)
{
    if (level->size_bytes == 0 || level->line_bytes == 0)
        return hwc_depends("the level's geometry is not known");
    if (level->fill_bytes < UINT64_C(2) * HWC_CELL_BYTES)
        return hwc_unavailable("its lines are too short");
    return HWC_NO_REASON;
}

int hwc_find_whether_left(struct hwc_lab *lab, const struct hwc_residency_test *visit, struct hwc_finding *finding,
                          struct hwc_error *error)
{
    const struct hwc_level *level = &lab->known->level[visit->level];
    /* Every other line, so that a next-line prefetcher brings nothing that is read. */
    struct context context = {.visit = visit, .spacing = 2 * level->fill_bytes};
    struct hwc_reason reason = why_not(level);

    if (reason.text != NULL) {
        hwc_finding_because(finding, reason);
        return HWC_OK;
    }
    while (visit->bytes / context.spacing > MOST_LINES)
        context.spacing *= 2;
    context.lines = (size_t)(visit->bytes / context.spacing);
    return hwc_decide_by_vote(lab, measure, &context, &lab->witness[visit->level], finding, error);
}
