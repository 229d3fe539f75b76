#include "eviction_set.h"

#include <math.h>
#include <string.h>

#include "minimal_set.h"
#include "quiet_core.h"

static const struct {
    double slower, put_out;
    int targets;
    size_t fillers;
    double just_full, certain, by_others;
    unsigned unsharp;
    uint32_t few_passes;
    double less_often;
    int rounds, later;
    double later_seconds;
} policy = {
    /* A farther level takes at least 1.5 times as long (X-Ray 4.1.1). Twice as long is where readings count as one
     * miss, and half a miss is the threshold: from how far the line comes does not matter. */
    .slower = 2,
    .put_out = 0.5,
    /* A target whose set holds lines of others, or of our own code, tells nothing: another one may. */
    .targets = 6,
    /* For each line that the levels above hold. In two passes a random policy of eight ways keeps a line through that many
     * one time in some hundred. Each lies on a page of its own, whose tables take room in this level. */
    .fillers = 3,
    /* A set that is just full spares the target in some of the readings, as policies are not LRU: it is put out in this
     * share of an overfull one's, at least. From 0.3 to 1 was seen on second levels. */
    .just_full = 0.35,
    /* Of a policy that is nearly LRU, a set that is just full spares it as seldom. Then a target that stays may be late
     * half as often as one that is put out, by others' doing, and ten readings tell them. */
    .certain = 0.5,
    .by_others = 0.5,
    .unsharp = 6, /* so many sets, and no other, show that the policy is not */
    .few_passes = 2,
    .less_often = 0.25, /* which chance alone hardly makes of some dozens of readings */
    .rounds = 16, /* each takes in a line or a few */
    /* Others often come and go within some tens of milliseconds. */
    .later = 12,
    .later_seconds = 0.004,
};

static const struct hwc_level *level_of(const struct hwc_eviction_search *search)
{
    return &search->test->lab->known->level[search->test->plan->level];
}

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
static int know_share(struct hwc_eviction_search *search, enum hwc_side *side, struct hwc_error *error)
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
    search->sharp = (struct hwc_chances){.below = fmax(meter->late.below, policy.by_others * meter->late.above),
                                         .above = meter->late.above};
    meter->late.above *= policy.just_full;
    search->any = meter->late;
    return HWC_OK;
}

/* Fewer passes take less time, in which others put the target out, too; they serve where they evict it about as often, as
 * they do if the policy is nearly LRU. */
static int choose_passes(const struct hwc_eviction_search *search, struct hwc_error *error)
{
    struct hwc_meter *meter = &search->test->meter;
    double usual = 0, few = 0;

    if (level_of(search)->sharp_sets > 0) {
        meter->passes = policy.few_passes;
        return HWC_OK;
    }
    TRY(hwc_read_late_target(search, search->count, false, &usual, error));
    meter->passes = policy.few_passes;
    TRY(hwc_read_late_target(search, search->count, false, &few, error));
    if (few < usual - policy.less_often)
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

    for (int i = 0; machine->interference && i < policy.later && !*again; i++) {
        enum hwc_side side;
        hwc_let_others_pass(search->test->lab, policy.later_seconds);
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
    if (!search->is_sharp) {
        TRY(know_share(search, &side, error));
        if (side != HWC_ABOVE)
            return HWC_OK;
    }
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

/* As if the policy was nearly LRU; HWC_INCONCLUSIVE if it is not, too. */
static int find_sharply(struct hwc_eviction_search *search, size_t *competitors, struct hwc_error *error)
{
    struct hwc_eviction_search sharply = *search;
    struct hwc_meter *meter = &search->test->meter;
    int status;

    sharply.is_sharp = true;
    meter->late = search->sharp;
    status = find_set(&sharply, competitors, error);
    if (status == HWC_OK)
        *search = sharply;
    else
        meter->late = search->any;
    return status;
}

static void know_sharpness(const struct hwc_eviction_search *search, bool sharp)
{
    struct hwc_level level = *level_of(search);

    level.sharp_sets += sharp;
    level.other_sets += !sharp;
    hwc_know_level(search->test->lab, search->test->plan->level, &level);
}

/* A set is sharp or not by the policy. */
static bool may_be_sharp(const struct hwc_eviction_search *search)
{
    const struct hwc_level *level = level_of(search);

    return search->test->meter.passes == policy.few_passes &&
           (level->sharp_sets > 0 || level->other_sets < policy.unsharp);
}

/* That a set is not sharp while others work on the core tells nothing: it is their doing. */
static int try_sharply(struct hwc_eviction_search *search, size_t *competitors, struct hwc_error *error)
{
    struct hwc_lab *lab = search->test->lab;
    bool alone;
    int status;

    if (search->sharp.above < policy.certain)
        return hwc_fail(error, HWC_INCONCLUSIVE, "that a line is put out hardly shows");
    alone = hwc_is_alone(lab, 0);
    status = find_sharply(search, competitors, error);
    alone = hwc_is_alone(lab, 0) && alone;
    if (status == HWC_OK || alone)
        know_sharpness(search, status == HWC_OK);
    return status;
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
    return (may_be_sharp(search) ? try_sharply : find_set)(search, competitors, error);
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
                            .fillers = policy.fillers * hwc_ways_above(test->lab, test->plan->level),
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
