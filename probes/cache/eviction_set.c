#include "eviction_set.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "minimal_set.h"

static const struct {
    double slower, put_out;
    int targets;
    double just_full;
    uint32_t few_passes;
    double as_often;
    int rounds, later;
    long later_ns;
} policy = {
    /* A farther level takes at least 1.5 times as long (X-Ray 4.1.1). Twice as long is where readings count as one
     * miss, and half a miss is the threshold: from how far the line comes does not matter. */
    .slower = 2,
    .put_out = 0.5,
    /* A target whose set holds lines of others, or of our own code, tells nothing: another one may. */
    .targets = 6,
    /* A set that is just full spares the target in some of the readings, as policies are not LRU: it is put out in this
     * share of an overfull one's, at least. From 0.3 to 1 was seen on second levels. */
    .just_full = 0.35,
    .few_passes = 2,
    .as_often = 0.9,
    .rounds = 16, /* each takes in a line or a few */
    /* Others often come and go within some tens of milliseconds. */
    .later = 12,
    .later_ns = 4000000,
};

/* What does the target take after lines that are too few to evict it? */
static int calibrate(const struct hwc_eviction_search *search, struct hwc_error *error)
{
    struct hwc_meter *meter = &search->test->meter;

    TRY(hwc_read_target(search, search->fillers, &meter->hit_cycles, error));
    meter->miss_cycles = policy.slower * meter->hit_cycles;
    meter->any_farther = true;
    meter->passes = HWC_PASSES;
    meter->put_out = policy.put_out;
    meter->late = (struct hwc_chances){0};
    return hwc_read_late_target(search, search->fillers, true, &meter->late.below, error);
}

/* The threshold becomes a part of the share of readings in which these lines evict the target: some policies spare it
 * most of the time where its set is just full. */
static int know_share(const struct hwc_eviction_search *search, enum hwc_side *side, struct hwc_error *error)
{
    struct hwc_meter *meter = &search->test->meter;
    double share = 0, before = meter->late.above;

    meter->late.above = 0;
    TRY(hwc_evict(search, search->count, HWC_SURELY, side, &share, error));
    if (*side != HWC_ABOVE) {
        meter->late.above = before;
        return HWC_OK;
    }
    meter->put_out = fmin(policy.put_out, policy.just_full * share);
    TRY(hwc_read_late_target(search, search->count, false, &meter->late.above, error));
    meter->late.above *= policy.just_full;
    return HWC_OK;
}

/* Fewer passes take less time, in which others put the target out, too; they serve where they evict it as often, as they
 * do if the policy is nearly LRU. */
static int choose_passes(const struct hwc_eviction_search *search, struct hwc_error *error)
{
    struct hwc_meter *meter = &search->test->meter;
    double usual = 0, few = 0;

    TRY(hwc_read_late_target(search, search->count, false, &usual, error));
    meter->passes = policy.few_passes;
    TRY(hwc_read_late_target(search, search->count, false, &few, error));
    if (few < policy.as_often * usual)
        meter->passes = HWC_PASSES;
    return HWC_OK;
}

/* Halve the fillers until they alone leave the target in this level. What it takes is measured behind those that are
 * left: too few no longer empty the levels above. */
static int spare_fillers(struct hwc_eviction_search *search, struct hwc_error *error)
{
    size_t ways = hwc_ways_above(search->test->lab, search->test->plan->level);

    for (; search->fillers > ways; search->fillers /= 2) {
        enum hwc_side side;
        TRY(calibrate(search, error));
        TRY(hwc_evict(search, search->fillers, HWC_SURELY, &side, NULL, error));
        if (side == HWC_BELOW)
            return HWC_OK;
    }
    return hwc_fail(error, HWC_INCONCLUSIVE, "what empties the levels above puts lines out of this one, too");
}

/* Do those that were found evict the target later, too? Others who held a way meanwhile may have gone. */
static int ask_later(struct hwc_eviction_search *search, bool *again, struct hwc_error *error)
{
    const struct hwc_machine *machine = search->test->lab->machine;
    const struct timespec nap = {.tv_nsec = policy.later_ns};

    for (int i = 0; machine->interference && i < policy.later && !*again; i++) {
        enum hwc_side side;
        if (machine->live)
            nanosleep(&nap, NULL);
        TRY(hwc_evict(search, search->count, HWC_QUICKLY, &side, NULL, error));
        *again = side == HWC_BELOW;
    }
    return HWC_OK;
}

/* The fewest lines that evict the target, marked; *again: they do not when they are asked once more. */
static int try_to_find(struct hwc_eviction_search *search, size_t *competitors, bool *again, struct hwc_error *error)
{
    enum hwc_side side;

    *again = true;
    TRY(hwc_find_members(search, error));
    TRY(know_share(search, &side, error));
    if (side != HWC_ABOVE)
        return HWC_OK;
    TRY(hwc_mark_members(search, competitors, again, error));
    return ask_later(search, again, error);
}

/* What others do may end the search too soon: then it goes on. */
static int find_set(struct hwc_eviction_search *search, size_t *competitors, struct hwc_error *error)
{
    bool again = true;

    for (int i = 0; i < policy.rounds && again; i++)
        TRY(try_to_find(search, competitors, &again, error));
    if (again)
        return hwc_fail(error, HWC_INCONCLUSIVE, "others put lines out meanwhile");
    return HWC_OK;
}

static int find(struct hwc_eviction_search *search, size_t *competitors, struct hwc_error *error)
{
    enum hwc_side side;

    TRY(spare_fillers(search, error));
    search->count = search->fillers;
    TRY(hwc_grow(search, error));
    TRY(choose_passes(search, error));
    TRY(know_share(search, &side, error));
    if (side != HWC_ABOVE)
        return hwc_fail(error, HWC_INCONCLUSIVE, "others put lines out meanwhile");
    return find_set(search, competitors, error);
}

/* Make a random candidate the target, and the others the kept lines. */
static void draw_target(struct hwc_conflict_test *test)
{
    size_t last = test->plan->candidates - 1, drawn = (size_t)hwc_random_below(&test->lab->random, last + 1);
    uint64_t target = test->candidates[drawn];

    test->candidates[drawn] = test->candidates[0];
    test->candidates[0] = target;
    memcpy(test->kept, test->candidates + 1, last * sizeof *test->kept);
    hwc_random_shuffle(&test->lab->random, test->kept, last);
}

static int try_target(struct hwc_conflict_test *test, size_t *competitors, struct hwc_error *error)
{
    struct hwc_eviction_search search = {.test = test,
                            .line = test->candidates[0],
                            .fillers = 6 * hwc_ways_above(test->lab, test->plan->level),
                            .available = test->plan->candidates - 1};

    int status;

    if (search.fillers > search.available)
        return hwc_fail(error, HWC_UNAVAILABLE, "too few lines to choose from");
    status = find(&search, competitors, error);
    test->count = search.count;
    test->padded = 0;
    return status;
}

int hwc_find_eviction_set(struct hwc_conflict_test *test, size_t *competitors, struct hwc_error *error)
{
    int status = HWC_INCONCLUSIVE;

    for (int i = 0; i < policy.targets && status == HWC_INCONCLUSIVE; i++) {
        draw_target(test);
        status = try_target(test, competitors, error);
    }
    return status;
}
