#include "visit.h"

#include <math.h>

#include "steady_state.h"

/* More of the reads miss where nothing was allocated; fewer where lines are lost
 * by chance. Between the two, by the clock, a level that was not seen may serve
 * them; what is counted is missed or not. */
#define MISSED 0.25
#define BY_CHANCE 0.12
#define MISSED_IF_COUNTED 0.5
#define BY_CHANCE_IF_COUNTED 0.25

#define MOST_LINES 4096

struct context {
    const struct hwc_visit *visit;
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

/* The others go to the second cell of each line: the first holds the chain. */
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

/* The least of a few readings of the loads, behind the others in a flushed
 * region or in one that was loaded: what the others are played from takes its
 * share of a small level in both. */
static int read_loads(struct hwc_lab *lab, const struct hwc_visit *visit, const struct region *region, bool visited,
                      double *least, struct hwc_error *error)
{
    const struct hwc_witness *witness = &lab->witness[visit->level];
    const struct hwc_experiment experiment = {
        .arena = &region->arena,
        .event = hwc_event_of(witness),
        .steps = 3,
        .step = {{visited ? HWC_FLUSH : HWC_RUN, &region->loads, visited ? 1 : 2},
                 {HWC_RUN, &region->others, 1},
                 {HWC_MEASURE, &region->loads, 1}},
    };
    unsigned samples = lab->machine->flushes || !visited ? lab->settings.samples : 1; /* evicting by reading takes long */

    return hwc_weigh_least(lab, witness, &experiment, samples, least, error);
}

/* What the level's own hits would take, in units of its miss. The levels above
 * may hold the whole region and serve it sooner: that is no reference then. */
/* On a fresh region. */
static int measure(struct hwc_lab *lab, void *data, struct hwc_ballot *ballot, struct hwc_error *error)
{
    const struct context *context = data;
    bool counted = hwc_counts_events(&lab->witness[context->visit->level]);
    double by_chance = counted ? BY_CHANCE_IF_COUNTED : BY_CHANCE;
    struct region region;
    double resident, behind = 0, share;
    int status = open_region(lab, context, &region, error);

    if (status != HWC_OK)
        return status;
    status = read_loads(lab, context->visit, &region, false, &resident, error);
    if (status == HWC_OK)
        status = read_loads(lab, context->visit, &region, true, &behind, error);
    close_region(lab, &region);
    if (status != HWC_OK)
        return status;
    resident = fmax(resident, hwc_weight_of_hits(&lab->witness[context->visit->level], (double)context->lines));
    share = (behind - resident) / (double)context->lines;
    if (share > by_chance && share < (counted ? MISSED_IF_COUNTED : MISSED))
        return hwc_fail(error, HWC_UNAVAILABLE, "%.0f %% of the lines miss: neither as hits nor as misses do",
                        100 * share);
    ballot->cast[0] = true;
    ballot->value[0] = share <= by_chance;
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

int hwc_find_whether_left(struct hwc_lab *lab, const struct hwc_visit *visit, struct hwc_finding *finding,
                          struct hwc_error *error)
{
    const struct hwc_level *level = &lab->known->level[visit->level];
    /* Of every two lines one: a prefetcher of the next brings nothing that is read. */
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
