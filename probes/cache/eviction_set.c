#include "eviction_set.h"

#include <math.h>
#include <string.h>

#include "quiet_core.h"

static const struct {
    double slower, put_out;
    size_t groups, most_groups;
    int backtracks;
    size_t most_stuck;
    size_t most_ways;
    int targets;
    double just_full;
    uint32_t few_passes;
    double as_often;
} policy = {
    /* A farther level takes at least 1.5 times as long (X-Ray 4.1.1). Twice as long is where readings count as one
     * miss, and half a miss is the threshold: from how far the line comes does not matter. */
    .slower = 2,
    .put_out = 0.5,
    /* With more groups than the set has ways, one of them is not needed. Twice as many are tried where none can be left
     * out. Where that goes on, the target's set is no more than full, and lines that were left out are taken in again. */
    .groups = 12,
    .most_groups = 48,
    /* Other targets are many: one that takes more is given up. */
    .backtracks = 1,
    .most_stuck = 1024,
    .most_ways = 96,
    /* A target whose set holds lines of others, or of our own code, tells nothing: another one may. */
    .targets = 6,
    /* A set that is just full spares the target in some of the readings, as policies are not LRU: it is put out in this
     * share of an overfull one's, at least. From 0.3 to 1 was seen on second levels. */
    .just_full = 0.35,
    .few_passes = 2,
    .as_often = 0.9,
};

struct search {
    struct hwc_conflict_test *test;
    uint64_t line;    /* the target */
    size_t fillers;   /* at the front of the kept lines */
    size_t count;     /* kept lines, fillers included, that evict the target */
    size_t available;
};

/* Put the target behind the first `count` kept lines; return the line that was there. */
static uint64_t put_behind(const struct search *search, size_t count)
{
    uint64_t behind = search->test->kept[count];

    search->test->kept[count] = search->line;
    return behind;
}

struct eviction {
    const struct search *search;
    size_t count;
    enum hwc_side *side;
    double *share;
};

static int ask_beside_control(struct hwc_lab *lab, void *context, struct hwc_error *error)
{
    const struct eviction *eviction = context;
    struct hwc_conflict_test *test = eviction->search->test;

    (void)lab;
    return hwc_ask_beside_control(test, test->kept, eviction->count + 1, eviction->search->fillers, eviction->side,
                                  eviction->share, error);
}

/* Do the first `count` kept lines evict the target, and in what share of readings? Others make lines go, never stay, so
 * that a target which stays is believed at once. A thread that shares the core takes ways of the set while it works, and
 * a set that it makes overfull would be taken for one that is. */
static int evict(const struct search *search, size_t count, enum hwc_side *side, double *share, struct hwc_error *error)
{
    static const struct hwc_quiet_core quiet = {.wait_seconds = 0.002, .tries = 4};
    struct hwc_conflict_test *test = search->test;
    struct eviction eviction = {search, count, side, share};
    uint64_t behind = put_behind(search, count);
    int status = hwc_ask(test, test->kept, count + 1, NULL, 0, HWC_SURELY, side, share, error);

    if (status == HWC_OK && *side != HWC_BELOW)
        status = hwc_on_quiet_core(test->lab, &quiet, ask_beside_control, &eviction, error);

    test->kept[count] = behind;
    return status;
}

/* How often is the target late after the first `count` kept lines? */
static int read_late(const struct search *search, size_t count, bool of_hits, double *chance, struct hwc_error *error)
{
    uint64_t behind = put_behind(search, count);
    int status = hwc_read_late(search->test, count + 1, of_hits, chance, error);

    search->test->kept[count] = behind;
    return status;
}

/* What does the target take after lines that are too few to evict it? */
static int calibrate(const struct search *search, struct hwc_error *error)
{
    struct hwc_meter *meter = &search->test->meter;
    uint64_t behind = put_behind(search, search->fillers);
    int status = hwc_read_last(search->test, search->fillers + 1, &meter->hit_cycles, error);

    search->test->kept[search->fillers] = behind;
    meter->miss_cycles = policy.slower * meter->hit_cycles;
    meter->any_farther = true;
    meter->passes = HWC_PASSES;
    meter->put_out = policy.put_out;
    meter->late = (struct hwc_chances){0};
    return status == HWC_OK ? read_late(search, search->fillers, true, &meter->late.below, error) : status;
}

static void take_in(struct search *search, size_t lines)
{
    search->count += lines;
    if (search->count > search->available)
        search->count = search->available;
}

/* Add a quarter more lines at a time, from those behind, until all of them evict the target, and a quarter more: lines
 * that are at the edge of evicting it would leave every test undecided. */
static int grow(struct search *search, struct hwc_error *error)
{
    enum hwc_side side = HWC_BELOW;

    while (side != HWC_ABOVE) {
        if (search->count == search->available)
            return hwc_fail(error, HWC_INCONCLUSIVE, "%zu lines at one place of their pages do not put one more out",
                            search->count);
        take_in(search, search->count / 4 + 1);
        TRY(evict(search, search->count, &side, NULL, error));
    }
    take_in(search, search->count / 4);
    return HWC_OK;
}

/* The threshold becomes a part of the share of readings in which these lines evict the target: some policies spare it
 * most of the time where its set is just full. */
static int know_share(const struct search *search, struct hwc_error *error)
{
    struct hwc_meter *meter = &search->test->meter;
    double share = 0;
    enum hwc_side side;

    meter->late.above = 0;
    TRY(evict(search, search->count, &side, &share, error));
    if (side != HWC_ABOVE)
        return hwc_fail(error, HWC_INCONCLUSIVE, "others put lines out meanwhile");
    meter->put_out = fmin(policy.put_out, policy.just_full * share);
    TRY(read_late(search, search->count, false, &meter->late.above, error));
    meter->late.above *= policy.just_full;
    return HWC_OK;
}

/* Fewer passes take less time, in which others put the target out, too; they serve where they evict it as often, as they
 * do if the policy is nearly LRU. */
static int choose_passes(const struct search *search, struct hwc_error *error)
{
    struct hwc_meter *meter = &search->test->meter;
    double usual = 0, few = 0;

    TRY(read_late(search, search->count, false, &usual, error));
    meter->passes = policy.few_passes;
    TRY(read_late(search, search->count, false, &few, error));
    if (few < policy.as_often * usual)
        meter->passes = HWC_PASSES;
    return HWC_OK;
}

static void reverse(uint64_t *lines, size_t count)
{
    for (size_t i = 0; i < count / 2; i++) {
        uint64_t line = lines[i];
        lines[i] = lines[count - 1 - i];
        lines[count - 1 - i] = line;
    }
}

/* Exchange two neighbouring runs of lines. */
static void exchange(uint64_t *lines, size_t first, size_t second)
{
    reverse(lines, first);
    reverse(lines + first, second);
    reverse(lines, first + second);
}

/* Leave out the `length` lines at `at` if the others evict the target without them: they are then behind the others. */
static int leave_out(struct search *search, size_t at, size_t length, bool *left, struct hwc_error *error)
{
    uint64_t *lines = search->test->kept + at;
    size_t behind = search->count - at - length;
    enum hwc_side side;

    exchange(lines, length, behind);
    TRY(evict(search, search->count - length, &side, NULL, error));
    *left = side == HWC_ABOVE;
    if (*left)
        search->count -= length;
    else
        exchange(lines, behind, length);
    return HWC_OK;
}

/* Try to leave out each of `groups` groups. */
static int try_groups(struct search *search, size_t groups, size_t *dropped, struct hwc_error *error)
{
    size_t length = (search->count - search->fillers + groups - 1) / groups;

    *dropped = 0;
    for (size_t at = search->fillers; at < search->count;) {
        size_t rest = search->count - at, tried = length < rest ? length : rest;
        bool left;
        TRY(leave_out(search, at, tried, &left, error));
        *dropped += left;
        at += left ? 0 : tried;
    }
    return HWC_OK;
}

/* A burst of others' work makes wrong answers, and lines are left out that are needed: the last ones lie right behind
 * those that are kept, and come in again. */
static int backtrack(struct search *search, int *times, struct hwc_error *error)
{
    if (++*times > policy.backtracks)
        return hwc_fail(error, HWC_INCONCLUSIVE, "%zu lines put one more out, and no part of them can be left out",
                        search->count - search->fillers);
    return grow(search, error);
}

/* Of many lines nearly all are not needed: where neither a twelfth nor a twenty-fourth can be left out, no more groups are
 * tried. */
static bool is_stuck(size_t lines, size_t groups)
{
    return groups >= policy.most_groups || (lines > policy.most_stuck && groups > policy.groups);
}

/* Not one line is left: for a while, others put the target out by themselves. */
static bool is_empty(const struct search *search)
{
    return search->count == search->fillers;
}

/* Group testing (Vila et al., S&P 2019, algorithm 1): until no single line can be left out. */
static int reduce(struct search *search, struct hwc_error *error)
{
    int backtracks = 0;

    for (size_t groups = policy.groups;;) {
        size_t lines = search->count - search->fillers, used = groups < lines ? groups : lines, dropped;
        enum hwc_side side;
        TRY(try_groups(search, used, &dropped, error));
        TRY(evict(search, search->count, &side, NULL, error));
        if (side == HWC_ABOVE && dropped == 0 && used == lines)
            return HWC_OK;
        if (side != HWC_ABOVE || is_empty(search) || (dropped == 0 && is_stuck(lines, used))) {
            TRY(backtrack(search, &backtracks, error));
            groups = policy.groups;
        } else if (dropped == 0) {
            groups = 2 * used;
        }
    }
}

/* Halve the fillers until they alone leave the target in this level. What it takes is measured behind those that are
 * left: too few no longer empty the levels above. */
static int spare_fillers(struct search *search, struct hwc_error *error)
{
    size_t ways = hwc_ways_above(search->test->lab, search->test->plan->level);

    for (; search->fillers > ways; search->fillers /= 2) {
        enum hwc_side side;
        TRY(calibrate(search, error));
        TRY(evict(search, search->fillers, &side, NULL, error));
        if (side == HWC_BELOW)
            return HWC_OK;
    }
    return hwc_fail(error, HWC_INCONCLUSIVE, "what empties the levels above puts lines out of this one, too");
}

/* Do the first `count` kept lines without the one at `at` still evict the target? */
static int without(const struct search *search, size_t at, enum hwc_side *side, struct hwc_error *error)
{
    uint64_t *kept = search->test->kept, *last = &kept[search->count - 1], line = kept[at];
    int status;

    kept[at] = *last;
    *last = line;
    status = evict(search, search->count - 1, side, NULL, error);
    *last = kept[at];
    kept[at] = line;
    return status;
}

/* Mark the kept lines, fillers included, whose removal lets the target stay. */
static int mark(const struct search *search, size_t *competitors, struct hwc_error *error)
{
    struct hwc_conflict_test *test = search->test;

    *competitors = 0;
    for (size_t i = 0; i < search->count; i++) {
        enum hwc_side side;
        TRY(without(search, i, &side, error));
        if (side == HWC_STRADDLES || (side == HWC_ABOVE && i >= search->fillers))
            return hwc_fail(error, HWC_INCONCLUSIVE, "whether one of %zu lines shares a set cannot be told from the "
                            "noise", search->count);
        test->competes[i] = side == HWC_BELOW;
        *competitors += test->competes[i];
    }
    return HWC_OK;
}

static int find(struct search *search, size_t *competitors, struct hwc_error *error)
{
    TRY(spare_fillers(search, error));
    search->count = search->fillers;
    TRY(grow(search, error));
    TRY(choose_passes(search, error));
    TRY(know_share(search, error));
    TRY(reduce(search, error));
    if (search->count - search->fillers > policy.most_ways)
        return hwc_fail(error, HWC_INCONCLUSIVE, "no %zu lines put one more out, but many others do", policy.most_ways);
    TRY(know_share(search, error));
    return mark(search, competitors, error);
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
    struct search search = {.test = test,
                            .line = test->candidates[0],
                            .fillers = 6 * hwc_ways_above(test->lab, test->plan->level),
                            .available = test->plan->candidates - 1};

    if (search.fillers > search.available)
        return hwc_fail(error, HWC_UNAVAILABLE, "too few lines to choose from");
    TRY(find(&search, competitors, error));
    test->count = search.count;
    return HWC_OK;
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
