/* Write-back or write-through, of every data-cache level.
 *
 * Claim: does the level keep what is stored until it evicts the line?
 *
 * Method, by a counter of the lines that the level writes back: load a region
 * of half its size, store to it, evict it by loads of other lines, and count;
 * compare with the same without the stores. By the clock, for the first level:
 * a write-through level passes every store on, so stores to lines that it holds
 * take as long as stores to lines that only the next level holds; in a
 * write-back level they take a fraction. Stores are independent of each other
 * and in random order, which leaves little for a write buffer to coalesce.
 *
 * What can fool it: a counter that counts nothing looks like a write-through
 * level, so a count of none is no evidence. Another thread of the core may delay
 * our stores with its own: loads must tell the two regions apart, and
 * "write-through" must be seen again and again. By the clock, a write-through
 * level that allocates and passes stores on far faster than it is filled, or a
 * coalescing buffer as large as a good part of the level. */
#include <math.h>

#include "contrast.h"
#include "sampler.h"
#include "statistics.h"
#include "steady_state.h"
#include "table.h"

static const struct {
    size_t lines;  /* of the region, at most: enough to tell none from most */
    size_t others; /* times as many lines evict it */
    size_t stores; /* timed at once, at least: long enough for any clock */
    double longer; /* times a hit of the next level: some of what should hit it may miss */
    int looks;     /* until write-through is believed: other threads may briefly make hits take as long as misses */
} policy = {.lines = 1024, .others = 4, .stores = 8192, .longer = 1.5, .looks = 4};

struct context {
    const struct hwc_witness *witness;
    uint64_t spacing;
    size_t lines;
    uint64_t stretch; /* the lines lie on pages of so many times their bytes; a divisor of a page's lines */
};

struct region {
    struct hwc_arena arena;
    struct hwc_walk loads, stores, others;
};

static void close_region(struct hwc_lab *lab, struct region *region)
{
    hwc_walk_free(&region->loads);
    hwc_walk_free(&region->stores);
    hwc_walk_free(&region->others);
    lab->machine->ops->arena_close(lab->machine, &region->arena);
}

static uint64_t bytes_of(const struct context *context)
{
    return context->lines * context->spacing * context->stretch;
}

/* A part of each page, at another place once the first level's sets repeat: they hold equally many of the lines. */
static int lay_out_stretched(struct hwc_lab *lab, const struct context *context, struct hwc_walk *loads,
                             struct hwc_error *error)
{
    uint64_t bytes = bytes_of(context), page = hwc_lesser(lab->machine->page_bytes, bytes);
    uint64_t part = page / context->stretch, period = lab->known->level[1].period_bytes;

    for (uint64_t at = 0; at < bytes; at += page)
        TRY(hwc_walk_sequence(loads, at + at / (period > page ? period : page) % context->stretch * part,
                              context->spacing, (size_t)(part / context->spacing), error));
    return HWC_OK;
}

/* Stores go to the second cell of each line: the first holds the chain. */
static int lay_out(struct hwc_lab *lab, const struct context *context, struct region *region, struct hwc_error *error)
{
    TRY(lay_out_stretched(lab, context, &region->loads, error));
    TRY(hwc_walk_sequence(&region->others, bytes_of(context), context->spacing, policy.others * context->lines, error));
    hwc_walk_shuffle(&region->loads, &lab->random);
    hwc_walk_shuffle(&region->others, &lab->random);
    region->stores.access = HWC_STORE;
    return hwc_walk_beside(&region->stores, &region->loads, error);
}

static int open_region(struct hwc_lab *lab, const struct context *context, struct region *region,
                       struct hwc_error *error)
{
    int status;

    TRY(lab->machine->ops->arena_open(lab->machine, (1 + policy.others) * bytes_of(context), HWC_LARGE_PAGES,
                                      &region->arena, error));
    hwc_walk_init(&region->loads);
    hwc_walk_init(&region->stores);
    hwc_walk_init(&region->others);
    status = lay_out(lab, context, region, error);
    if (status != HWC_OK)
        close_region(lab, region);
    return status;
}

/* Count the lines written back while other lines evict the region, after stores to it or further loads. */
static struct hwc_experiment evict(const struct region *region, const struct hwc_witness *witness, bool stored)
{
    return (struct hwc_experiment){
        .arena = &region->arena,
        .event = hwc_event_of(witness),
        .apart = true,
        .steps = 4,
        .step = {{HWC_RUN, &region->others, 1},
                 {HWC_RUN, &region->loads, 2},
                 {HWC_RUN, stored ? &region->stores : &region->loads, 1},
                 {HWC_MEASURE, &region->others, 1}},
    };
}

/* A ballot, on a fresh region. */
static int measure_by_counter(struct hwc_lab *lab, void *data, struct hwc_ballot *ballot, struct hwc_error *error)
{
    const struct context *context = data;
    struct hwc_contrast contrast = {.witness = context->witness, .references = context->lines};
    struct hwc_shares shares = {0};
    struct region region = {0};
    int status;

    TRY(open_region(lab, context, &region, error));
    contrast.with = evict(&region, context->witness, true);
    contrast.without = evict(&region, context->witness, false);
    status = hwc_measure_contrast(lab, &contrast, &shares, error);
    close_region(lab, &region);
    if (status != HWC_OK)
        return status;
    /* A scan-resistant level keeps many of the lines, so some are enough; a write-through level writes none back. */
    if (shares.verdict == HWC_SHARE_NONE || hwc_judge_share(shares.without) != HWC_SHARE_NONE)
        return hwc_fail(error, HWC_INCONCLUSIVE,
                        "its counter shows %.0f %% of the lines written back that were only loaded, and %.0f %% more of "
                        "those that were stored to", 100 * shares.without, 100 * shares.added);
    ballot->cast[0] = true;
    ballot->value[0] = 1;
    return HWC_OK;
}

/* The time of `passes` passes of stores over loaded lines, and of twice as many: the least of a few samples of each. */
static int time_passes(struct hwc_lab *lab, const struct region *region, uint32_t passes, double *once, double *twice,
                       struct hwc_error *error)
{
    const struct hwc_experiment experiment = {
        .arena = &region->arena,
        .event = HWC_NO_EVENT,
        .apart = true,
        .steps = 3,
        .step = {{HWC_RUN, &region->loads, 2},
                 {HWC_MEASURE, &region->stores, passes},
                 {HWC_MEASURE, &region->stores, 2 * passes}},
    };

    *once = *twice = INFINITY;
    for (unsigned i = 0; i < lab->settings.samples; i++) {
        struct hwc_sample sample;
        TRY(hwc_lab_sample(lab, &experiment, &sample, error));
        *once = fmin(*once, sample.reading[0].cycles);
        *twice = fmin(*twice, sample.reading[1].cycles);
    }
    return HWC_OK;
}

/* Cycles per reference to a region: of stores to lines that were loaded before, and of loads. */
struct times {
    double store, load;
};

static int time_stores_and_loads(struct hwc_lab *lab, const struct region *region, struct times *times,
                                 struct hwc_error *error)
{
    size_t lines = region->loads.count;
    uint32_t passes = 1 + (uint32_t)(policy.stores / lines);
    double once = 0, twice = 0, loads = 0;

    TRY(time_passes(lab, region, passes, &once, &twice, error));
    TRY(hwc_measure_by(lab, &hwc_by_clock, &region->arena, &region->loads, lab->settings.samples, &loads, error));
    times->store = (twice - once) / ((double)passes * (double)lines);
    times->load = loads / (double)lines;
    return HWC_OK;
}

static int time_region(struct hwc_lab *lab, uint64_t bytes, uint64_t stretch, struct times *times,
                       struct hwc_error *error)
{
    struct context context = {.spacing = lab->known->level[1].fill_bytes,
                              .lines = (size_t)(bytes / lab->known->level[1].fill_bytes),
                              .stretch = stretch};
    struct region region = {0};
    int status;

    TRY(open_region(lab, &context, &region, error));
    status = time_stores_and_loads(lab, &region, times, error);
    close_region(lab, &region);
    return status;
}

enum { HITS_PART = 4 }; /* of the first level */

/* A footprint that the first level does not hold and the next does, in units of the first. If the next level's size is
 * not known, its plateau of the latency curve stands in for it. 0 if there is no such footprint. */
static uint64_t beyond_first(const struct hwc_lab *lab)
{
    uint64_t first = lab->known->level[1].size_bytes;
    const struct hwc_level *second = &lab->known->level[2];
    uint64_t next = second->size_bytes > 0 ? second->size_bytes / 2 : second->rough_low;

    if (lab->known->levels == 1 || next >= 4 * first)
        return 4;
    return next >= 2 * first ? 2 : 0;
}

/* The time that a hit saves, as a share of the time that a miss takes. */
static double saved(double hit, double miss)
{
    return 1 - hit / miss;
}

/* Does the next level serve most of what misses? Where pages lie at random, some of its sets are too full, and what these
 * miss takes so long that hits seem to save most of a store that is passed on. Translation is in both times. */
static bool is_served_by_next(const struct hwc_lab *lab, const struct times *hit, const struct times *miss)
{
    const struct hwc_witness *first = &lab->witness[1], *next = &lab->witness[2];
    double translation = fmax(0, hit->load - first->hit_cycles);

    return lab->known->levels == 1 || next->hit_cycles <= first->hit_cycles ||
           miss->load - translation <= policy.longer * next->hit_cycles;
}

/* Both regions lie on as many pages: what a translation takes is saved by no hit. */
static int time_both(struct hwc_lab *lab, struct times *hit, struct times *miss, struct hwc_error *error)
{
    uint64_t first = lab->known->level[1].size_bytes, beyond = beyond_first(lab);

    if (beyond == 0)
        return hwc_fail(error, HWC_UNAVAILABLE, "the next level is not known to hold twice as much");
    TRY(time_region(lab, first / HITS_PART, HITS_PART * beyond, hit, error));
    TRY(time_region(lab, beyond * first, 1, miss, error));
    if (hwc_judge_share(saved(hit->load, miss->load)) == HWC_SHARE_NONE)
        return hwc_fail(error, HWC_INCONCLUSIVE, "loads take %.1f cycles where the level has the lines, %.1f where not",
                        hit->load, miss->load);
    if (!is_served_by_next(lab, hit, miss))
        return hwc_fail(error, HWC_INCONCLUSIVE, "loads of lines that the next level should hold take %.1f cycles",
                        miss->load);
    return HWC_OK;
}

/* If hits save of a store most of what they save of a load, the level keeps stores; if they save next to nothing of that,
 * it passes them on. (Where the next level takes twice as long as this one, no hit saves more than half.) But stores that
 * take much less than a load from the next level do not wait for it: lines may then be fetched as fast as they are stored
 * to, and nothing can be said. */
static int look_once(struct hwc_lab *lab, bool *write_back, struct hwc_error *error)
{
    struct times hit = {0}, miss = {0};
    enum hwc_share share;

    TRY(time_both(lab, &hit, &miss, error));
    share = hwc_judge_share(saved(hit.store, miss.store) / saved(hit.load, miss.load));
    if (share == HWC_SHARE_BETWEEN || (share == HWC_SHARE_NONE && hit.store < hwc_share_bounds.most * miss.load))
        return hwc_fail(error, HWC_INCONCLUSIVE, "stores take %.1f cycles where the level has the lines, %.1f where not",
                        hit.store, miss.store);
    *write_back = share == HWC_SHARE_MOST;
    return HWC_OK;
}

static int measure_by_clock(struct hwc_lab *lab, void *data, struct hwc_ballot *ballot, struct hwc_error *error)
{
    bool write_back = false;

    (void)data;
    for (int i = 0; i < policy.looks && !write_back; i++) {
        TRY(look_once(lab, &write_back, error));
        if (write_back && i > 0)
            return hwc_fail(error, HWC_INCONCLUSIVE,
                            "stores that hit took as long as those that miss, and then did not");
    }
    ballot->cast[0] = true;
    ballot->value[0] = write_back;
    return HWC_OK;
}

/* Every line or, if those are many, some of each page. */
static void size_up(const struct hwc_lab *lab, const struct hwc_level *level, struct context *context)
{
    context->spacing = level->fill_bytes;
    while (level->size_bytes / 2 / context->spacing > policy.lines && context->spacing < lab->machine->page_bytes)
        context->spacing *= 2;
    context->lines = (size_t)(level->size_bytes / 2 / context->spacing);
}

static int run_level(struct hwc_lab *lab, unsigned level, struct hwc_finding *finding, struct hwc_error *error)
{
    struct context context = {.witness = &lab->writeback[level], .stretch = 1};
    const struct hwc_level *this = &lab->known->level[level];

    if (this->size_bytes == 0 || this->fill_bytes < UINT64_C(2) * HWC_CELL_BYTES) {
        hwc_finding_because(finding, hwc_depends("the level's geometry is not known"));
        return HWC_OK;
    }
    size_up(lab, this, &context);
    if (hwc_can_answer(context.witness))
        return hwc_decide_by_vote(lab, measure_by_counter, &context, context.witness, finding, error);
    if (level == 1 && lab->machine->has_clock)
        return hwc_decide_by_vote(lab, measure_by_clock, &context, &hwc_by_clock, finding, error);
    hwc_finding_unknown(finding, HWC_WHY_UNAVAILABLE,
                        "no counter of the lines that it writes back can be believed here, and %s",
                        level == 1 ? "there is no clock" : "by the clock only the first level can be told");
    return HWC_OK;
}

static int run(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    for (unsigned level = 1; level <= profile->caches; level++)
        TRY(run_level(lab, level, &profile->cache[level - 1].finding[HWC_CACHE_WRITE_BACK], error));
    return HWC_OK;
}

const struct hwc_probe hwc_probe_write_back = {
    .name = "write_back",
    .summary = "whether a cache level keeps what is stored until it puts the line out",
    .source = "beside Coleman and Davidson, ISPASS 2001, 3.4",
    .needs = {HWC_CACHE_SIZE},
    .provides = {HWC_CACHE_WRITE_BACK},
    .run = run,
};
