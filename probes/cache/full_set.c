#include "full_set.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "competitors.h"
#include "elsewhere.h"
#include "eviction_set.h"

/* Lines may come in pairs, or a miss of one bring in the next: each place is the first of two. */
static void draw_candidates(struct hwc_conflict_test *test)
{
    const struct hwc_conflict_plan *plan = test->plan;
    uint64_t pair = 2 * test->lab->known->level[plan->level].fill_bytes; /* 0 = not yet known */
    uint64_t grain = pair > 0 && pair < plan->stride ? pair : plan->stride < 1024 ? plan->stride : 1024;
    uint64_t apart = test->lab->machine->own_apart;

    test->base = hwc_random_below(&test->lab->random, plan->stride / grain) * grain;
    if (apart >= grain && apart <= plan->stride)
        test->base += hwc_draw_clear_place(test->lab) - test->base % apart;
    for (size_t i = 0; i < plan->candidates; i++)
        test->candidates[i] = i * (plan->apart > 0 ? plan->apart : 1) * plan->stride + test->base;
    hwc_random_shuffle(&test->lab->random, test->candidates, plan->candidates);
}

/* The threshold is a share of the measured cost of one conflict. A pass over other
 * lines or in another order may miss a little without a conflict: a level that
 * fills more than the line that missed now and then evicts one that is wanted.
 * The share must be small, because the same conflict costs three times as much
 * in one order as in another if the policy is not LRU. */
#define CONFLICT_SHARE 0.15

int hwc_set_threshold(struct hwc_conflict_test *test, uint64_t rejected, struct hwc_error *error)
{
    double misses = 0;
    enum hwc_side side;

    test->kept[test->count] = rejected;
    TRY(hwc_ask_how_many(test, test->count + 1, &side, &misses, error));
    if (side == HWC_BELOW)
        return hwc_fail(error, HWC_INCONCLUSIVE, "conflicts do not stand out from the noise (%.2f misses)", misses);
    test->conflict_misses = test->meter.ops->of_last ? 0 : misses; /* such a meter reads one line only */
    test->threshold = fmax(CONFLICT_MISSES, CONFLICT_SHARE * misses);
    return HWC_OK;
}

static int first_rejected(struct hwc_conflict_test *test, size_t *used, struct hwc_rejected *rejected,
                          struct hwc_error *error)
{
    const struct hwc_conflict_plan *plan = test->plan;

    TRY(hwc_extend_conflict_free_set(test, test->candidates, plan->candidates, SIZE_MAX, 1, used, rejected, error));
    if (rejected->count == 0)
        return hwc_fail(error, HWC_INCONCLUSIVE, "%zu lines %llu bytes apart do not conflict", test->count,
                        (unsigned long long)plan->stride);
    return HWC_OK;
}

/* A quick answer may reject one line of hundreds by chance. If a sure answer says that it fits, it is kept, and the
 * search goes on. */
static int next_conflict(struct hwc_conflict_test *test, size_t *used, struct hwc_rejected *rejected,
                         struct hwc_error *error)
{
    int status;

    for (;;) {
        TRY(first_rejected(test, used, rejected, error));
        status = hwc_set_threshold(test, rejected->line, error);
        if (status != HWC_INCONCLUSIVE || *used == test->plan->candidates)
            return status;
        test->count++;
        *rejected = (struct hwc_rejected){0};
    }
}

static int first_conflict(struct hwc_conflict_test *test, size_t *used, struct hwc_rejected *rejected,
                          struct hwc_error *error)
{
    test->kept[0] = test->candidates[0];
    test->count = *used = 1;
    return next_conflict(test, used, rejected, error);
}

/* Nothing empties the levels above, and these may hold some lines of a set at every point of a pass: of an exclusive
 * level's set, so many more then fit, and which of them compete depends on the order. Where lines are spread over as
 * many sets as those levels hold lines, these hold none of a set at a third of all points, by chance: (1 - 1 / n)^n. */
static bool may_be_held_above(const struct hwc_conflict_test *test, size_t competitors)
{
    const struct hwc_conflict_plan *plan = test->plan;
    uint64_t apart = plan->stride * (plan->apart > 0 ? plan->apart : 1);

    return test->evictor_count == 0 && competitors < test->count &&
           test->count < competitors * hwc_lines_above(test->lab, plan->level, apart);
}

/* Are those that compete the last of the kept lines? */
static bool are_last(const struct hwc_conflict_test *test, size_t competitors)
{
    for (size_t i = 0; i + competitors < test->count; i++)
        if (test->competes[i])
            return false;
    return true;
}

/* Keeps those that do not compete. *again: those that do, and the rejected one. */
static void take_out(struct hwc_conflict_test *test, uint64_t rejected, uint64_t *again)
{
    size_t left = 0;

    for (size_t i = 0; i < test->count; i++)
        if (test->competes[i])
            *again++ = test->kept[i];
        else
            test->kept[left++] = test->kept[i];
    *again = rejected;
    test->count = left;
}

/* Lines that compete, one after another behind all that do not: those are then in the levels above, and the set is all
 * in this one. As many are kept as still fit; if all do, more candidates follow. */
static int fill_last(struct hwc_conflict_test *test, size_t competitors, size_t *used, struct hwc_rejected *rejected,
                     struct hwc_error *error)
{
    size_t count = competitors + 1, tried = 0;
    uint64_t *again = malloc(count * sizeof *again);
    int status;

    if (again == NULL)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory for a conflict test");
    take_out(test, rejected->line, again);
    *rejected = (struct hwc_rejected){0};
    test->threshold = CONFLICT_MISSES;
    status = hwc_extend_conflict_free_set(test, again, count, SIZE_MAX, 1, &tried, rejected, error);
    free(again);
    if (status != HWC_OK || rejected->count == 0)
        return status == HWC_OK ? next_conflict(test, used, rejected, error) : status;
    return hwc_set_threshold(test, rejected->line, error);
}

enum { MOST_FILLS = 4 };

static int settle_competitors(struct hwc_conflict_test *test, size_t *used, struct hwc_rejected *rejected,
                              size_t *competitors, struct hwc_error *error)
{
    if (!may_be_held_above(test, *competitors))
        return HWC_OK;
    for (int i = 0; i < MOST_FILLS && *competitors > 0; i++) {
        TRY(fill_last(test, *competitors, used, rejected, error));
        TRY(hwc_find_competitors(test, rejected->line, competitors, error));
        if (are_last(test, *competitors))
            return HWC_OK;
    }
    return hwc_fail(error, HWC_INCONCLUSIVE, "which lines compete depends on their order: the levels above hold some");
}

/* Lines of others, or of our own code, may hold ways of a line's set: it then takes fewer to evict it. Where the number of
 * ways is known, another set is looked at then; where it is not, one that is alike at other places, or as many as two sets
 * have, and none of some has more. */
enum { LEAST_SETS = 3, MOST_SETS = 6 };

/* What has been seen of a level's sets. */
struct largest {
    int sets;
    size_t lines, alike; /* of the largest, and how many have as many */
};

static int take_set(struct hwc_conflict_test *test, struct largest *largest, size_t *competitors, bool *found,
                    struct hwc_error *error)
{
    enum hwc_elsewhere elsewhere = HWC_ELSEWHERE_UNKNOWN;

    *found = false;
    TRY(hwc_find_eviction_set(test, competitors, error));
    *found = !test->lab->machine->interference;
    if (*found || *competitors < largest->lines)
        return HWC_OK;
    largest->alike = *competitors > largest->lines ? 1 : largest->alike + 1;
    largest->lines = *competitors;
    TRY(hwc_ask_elsewhere(test, &elsewhere, error));
    if (elsewhere == HWC_ELSEWHERE_MORE)
        *largest = (struct largest){.lines = *competitors + 1};
    *found = elsewhere == HWC_ELSEWHERE_ALIKE || (largest->sets >= LEAST_SETS && largest->alike >= 2);
    return HWC_OK;
}

static int find_largest_set(struct hwc_conflict_test *test, size_t *competitors, struct hwc_error *error)
{
    struct largest largest = {0};
    bool found = false;

    for (int i = 0; i < MOST_SETS && !found; i++) {
        largest.sets++;
        TRY(take_set(test, &largest, competitors, &found, error));
    }
    if (!found)
        return hwc_fail(error, HWC_INCONCLUSIVE, "%zu lines evict one line, and fewer others", largest.lines);
    return HWC_OK;
}

static int find_like_set(struct hwc_conflict_test *test, size_t *competitors, struct hwc_error *error)
{
    uint64_t ways = test->lab->known->level[test->plan->level].ways;

    if (ways == 0)
        return find_largest_set(test, competitors, error);
    for (int sets = 0; sets < MOST_SETS; sets++) {
        TRY(hwc_find_eviction_set(test, competitors, error));
        if (*competitors == ways)
            return HWC_OK;
    }
    return hwc_fail(error, HWC_INCONCLUSIVE, "%zu lines evict one more, where sets have %llu ways", *competitors,
                    (unsigned long long)ways);
}

int hwc_find_full_set(struct hwc_conflict_test *test, size_t *used, struct hwc_rejected *rejected, size_t *competitors,
                      struct hwc_error *error)
{
    if (test->plan->candidates < 2)
        return hwc_fail(error, HWC_UNAVAILABLE, "too few lines to choose from");
    draw_candidates(test);
    if (test->one_at_a_time) {
        *used = test->plan->candidates;
        TRY(find_like_set(test, competitors, error));
        *rejected = (struct hwc_rejected){.count = 1, .line = test->candidates[0], .last = test->candidates[0]};
        return HWC_OK;
    }
    TRY(first_conflict(test, used, rejected, error));
    TRY(hwc_find_competitors(test, rejected->line, competitors, error));
    return settle_competitors(test, used, rejected, competitors, error);
}
