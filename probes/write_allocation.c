/* Write allocation of every data-cache level.
 *
 * Claim: does a store that misses leave its line in the level?
 *
 * Method: AMP (ISPASS 2001, 3.4). Flush, store to a region smaller than the
 * level, read it: the reads hit where the stores allocated, and miss once a
 * line where they did not.
 *
 * What can fool it: a level above that allocated keeps the lines from this one,
 * so the region is larger than the levels above where this level is larger
 * still. A level that takes what the one above throws out, or writes back, has
 * the lines however they came: AMP calls every level below one that allocates
 * allocating, and so it shows here. */
#include <math.h>

#include "table.h"

#define MOST_LINES 4096
/* More of the reads miss where nothing was allocated, fewer where lines are lost by chance. */
#define SHARE 0.25

struct context {
    unsigned level;
    size_t lines;
    uint64_t spacing;
};

struct region {
    struct hwc_arena arena;
    struct hwc_walk loads, stores;
};

/* Twice what the levels above hold, where that is half of this level at most; else a quarter of it. */
static uint64_t region_bytes(const struct hwc_lab *lab, unsigned level)
{
    const struct hwc_level *this = &lab->level[level];
    uint64_t above = level > 1 ? lab->level[level - 1].effective_bytes : 0;

    return above > 0 && 4 * above <= this->size_bytes ? 2 * above : this->size_bytes / 4;
}

static void close_region(struct hwc_lab *lab, struct region *region)
{
    hwc_walk_free(&region->loads);
    hwc_walk_free(&region->stores);
    lab->machine->ops->arena_close(lab->machine, &region->arena);
}

/* Stores go to the second cell of each line: the first holds the chain. */
static int open_region(struct hwc_lab *lab, const struct context *context, struct region *region,
                       struct hwc_error *error)
{
    int status = lab->machine->ops->arena_open(lab->machine, context->lines * context->spacing, HWC_LARGE_PAGES,
                                               &region->arena, error);

    if (status != HWC_OK)
        return status;
    hwc_walk_init(&region->loads);
    hwc_walk_init(&region->stores);
    region->stores.access = HWC_STORE;
    status = hwc_walk_sequence(&region->loads, 0, context->spacing, context->lines, error);
    if (status == HWC_OK)
        hwc_walk_shuffle(&region->loads, &lab->random);
    for (size_t i = 0; i < region->loads.count && status == HWC_OK; i++)
        status = hwc_walk_append(&region->stores, region->loads.offsets[i] + HWC_CELL_BYTES, error);
    if (status != HWC_OK)
        close_region(lab, region);
    return status;
}

/* The least of a few readings of the loads, behind stores to a flushed region or behind loads. */
static int read_loads(struct hwc_lab *lab, const struct context *context, const struct region *region, bool stored,
                      double *least, struct hwc_error *error)
{
    const struct hwc_witness *witness = &lab->witness[context->level];
    const struct hwc_experiment experiment = {
        .arena = &region->arena,
        .event = witness->kind == HWC_COUNTER ? witness->event : HWC_NO_EVENT,
        .steps = 3,
        .step = {{stored ? HWC_FLUSH : HWC_RUN, &region->loads, 1},
                 {HWC_RUN, stored ? &region->stores : &region->loads, stored ? 1 : 2},
                 {HWC_MEASURE, &region->loads, 1}},
    };
    unsigned samples = lab->machine->flushes || !stored ? lab->settings.samples : 1; /* evicting by reading takes long */

    *least = INFINITY;
    for (unsigned i = 0; i < samples; i++) {
        struct hwc_sample sample;
        int status = hwc_lab_sample(lab, &experiment, &sample, error);
        if (status != HWC_OK)
            return status;
        *least = fmin(*least, hwc_weigh_reading(witness, &sample.reading[0]));
    }
    return HWC_OK;
}

static int measure(struct hwc_lab *lab, void *data, struct hwc_ballot *ballot, struct hwc_error *error)
{
    const struct context *context = data;
    struct region region;
    double resident, stored = 0;
    int status = open_region(lab, context, &region, error);

    if (status != HWC_OK)
        return status;
    status = read_loads(lab, context, &region, false, &resident, error);
    if (status == HWC_OK)
        status = read_loads(lab, context, &region, true, &stored, error);
    close_region(lab, &region);
    ballot->cast[0] = true;
    ballot->value[0] = stored - resident < SHARE * (double)context->lines;
    return status;
}

static const char *why_not(const struct hwc_lab *lab, unsigned level)
{
    if (lab->level[level].size_bytes == 0 || lab->level[level].line_bytes == 0)
        return "the level's geometry is not known";
    if (lab->level[level].line_bytes < UINT64_C(2) * HWC_CELL_BYTES)
        return "its lines are too short";
    return NULL;
}

static int run_level(struct hwc_lab *lab, unsigned level, struct hwc_finding *finding, struct hwc_error *error)
{
    const char *reason = why_not(lab, level);
    struct context context = {.level = level};
    struct hwc_result result;
    int status;

    if (reason != NULL) {
        hwc_finding_unknown(finding, "%s", reason);
        return HWC_OK;
    }
    context.spacing = lab->level[level].fill_bytes;
    while (region_bytes(lab, level) / context.spacing > MOST_LINES)
        context.spacing *= 2;
    context.lines = (size_t)(region_bytes(lab, level) / context.spacing);
    status = hwc_finding_by_vote(lab, measure, &context, &lab->witness[level], "", finding, &result, error);
    finding->boolean = true;
    return status;
}

static int run(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    int status = HWC_OK;

    for (unsigned level = 1; status == HWC_OK && level <= profile->caches; level++)
        status = run_level(lab, level, &profile->cache[level - 1].write_allocate, error);
    return status;
}

const struct hwc_probe hwc_probe_write_allocation = {
    .name = "write_allocation",
    .summary = "whether a store that misses leaves its line in a level",
    .source = "Coleman and Davidson, ISPASS 2001, 3.4",
    .needs = &hwc_probe_data_cache,
    .run = run,
};
