#include "set_of_lines.h"

#include <string.h>

#include "full_set.h"
#include "kept_sets.h"
#include "statistics.h"

/* Spacers: one line of another set, near this one, visited again and again so that it always hits. */
static void choose_spacers(const struct hwc_conflict_test *test, size_t wanted, struct hwc_set *set)
{
    const struct hwc_level *first = &test->lab->known->level[1];
    uint64_t apart = first->period_bytes;

    while ((apart & (apart - 1)) != 0)
        apart &= apart - 1;
    apart /= 4;
    if (apart < first->fill_bytes)
        apart *= 2;
    if (apart < first->fill_bytes || apart == 0)
        return; /* there is only one set */
    while (set->evictors < wanted)
        set->evictor[set->evictors++] = set->line[0] ^ apart;
}

static int choose_evictors(const struct hwc_conflict_test *test, size_t wanted, struct hwc_set *set,
                          struct hwc_error *error)
{
    size_t ways = hwc_ways_above(test->lab, test->plan->level);

    set->evictors = 0;
    if (test->plan->level == 1) {
        choose_spacers(test, wanted, set);
        return HWC_OK;
    }
    if (test->evictor_count > 0) {
        for (size_t i = 0; i < wanted && hwc_evictor_at(test, i) < test->plan->arena->bytes; i++)
            set->evictor[set->evictors++] = hwc_evictor_at(test, i);
        return HWC_OK;
    }
    /* Lines a page apart share the sets above, and the kept lines that do not compete fit beside this set. */
    for (size_t i = 0; i < test->count && set->evictors < wanted; i++)
        if (!test->competes[i])
            set->evictor[set->evictors++] = test->kept[i];
    if (set->evictors <= ways)
        return hwc_fail(error, HWC_INCONCLUSIVE, "no lines put this set out of the levels above");
    return HWC_OK;
}

/* Keep so many of the set's own lines. A meter of the last line alone also needs the set's evictors, unless the test has
 * some. */
static void keep_own(struct hwc_conflict_test *test, const struct hwc_set *set, size_t ways)
{
    test->closing = test->meter.ops->of_last && test->evictor_count == 0 ? set->evictors : 0;
    test->count = test->closing + ways;
    memcpy(test->kept, set->evictor, test->closing * sizeof *set->evictor);
    memcpy(test->kept + test->closing, set->line, ways * sizeof *set->line);
}

/* Beside the kept lines, which are one too few, do these evict the target? */
static int fill_gap(struct hwc_conflict_test *test, const uint64_t *lines, size_t count, uint64_t target, bool *filled,
                    struct hwc_error *error)
{
    const struct hwc_beside beside = {test->kept, test->count + count + 1, test->kept, test->count, test->closing,
                                      .odds = 0};
    struct hwc_late_pair pair;
    enum hwc_side side;

    memcpy(test->kept + test->count, lines, count * sizeof *lines);
    test->kept[test->count + count] = target;
    TRY(hwc_ask_beside(test, &beside, 0, &pair, &side, error));
    *filled = side == HWC_ABOVE;
    return HWC_OK;
}

/* The first of these that shares the target's set, or `count`: the group is halved until a single line fills the gap. */
static int find_sharer(struct hwc_conflict_test *test, const uint64_t *lines, size_t count, uint64_t target,
                       size_t *found, struct hwc_error *error)
{
    size_t from = 0, length = count;
    bool filled;

    *found = count;
    TRY(fill_gap(test, lines, count, target, &filled, error));
    if (!filled)
        return HWC_OK;
    while (length > 1) {
        TRY(fill_gap(test, lines + from, length / 2, target, &filled, error));
        from += filled ? 0 : length / 2;
        length = filled ? length / 2 : length - length / 2;
    }
    TRY(fill_gap(test, lines + from, 1, target, &filled, error));
    *found = filled ? from : count;
    return HWC_OK;
}

/* Where lines are asked about one at a time, few of many share the set. */
enum { GROUP = 48 };

static int extend_by_groups(struct hwc_conflict_test *test, size_t wanted, struct hwc_set *set,
                            struct hwc_error *error)
{
    size_t available = test->plan->candidates, room;
    uint64_t target = set->line[set->lines - 1];

    keep_own(test, set, set->lines - 2);
    if (test->count >= available)
        return HWC_OK;
    room = available - test->count;
    for (size_t i = 0; i < available && set->lines < wanted;) {
        size_t rest = available - i, count = hwc_lesser(GROUP, hwc_lesser(rest, room)), found;
        TRY(find_sharer(test, test->candidates + i, count, target, &found, error));
        i += found < count ? found + 1 : count;
        if (found < count && !hwc_is_among(test->candidates[i - 1], set->line, set->lines))
            set->line[set->lines++] = test->candidates[i - 1];
    }
    return HWC_OK;
}

/* Add lines to the set: the candidates that do not fit beside its own. */
static int extend_one_by_one(struct hwc_conflict_test *test, size_t wanted, struct hwc_set *set,
                             struct hwc_error *error)
{
    const uint64_t *candidates = test->candidates;

    keep_own(test, set, set->lines - 1);
    for (size_t i = 0; i < test->plan->candidates && set->lines < wanted; i++) {
        enum hwc_side side;
        if (hwc_is_among(candidates[i], set->line, set->lines))
            continue;
        test->kept[test->count] = candidates[i];
        TRY(hwc_ask(test, test->kept, test->count + 1, NULL, 0, HWC_SURELY, &side, NULL, error));
        if (side == HWC_ABOVE)
            set->line[set->lines++] = candidates[i];
    }
    return HWC_OK;
}

static int extend_set(struct hwc_conflict_test *test, size_t wanted, struct hwc_set *set, struct hwc_error *error)
{
    TRY((test->one_at_a_time ? extend_by_groups : extend_one_by_one)(test, wanted, set, error));
    if (set->lines < wanted)
        return hwc_fail(error, HWC_INCONCLUSIVE, "only %zu lines share a set, %zu are needed", set->lines, wanted);
    return HWC_OK;
}

static int search_set(struct hwc_conflict_test *test, size_t wanted, size_t evictors, struct hwc_set *set,
                      struct hwc_error *error)
{
    uint64_t expected = test->lab->known->level[test->plan->level].ways;
    struct hwc_rejected rejected = {0};
    size_t used, ways = 0, all;

    TRY(hwc_find_full_set(test, &used, &rejected, &ways, error));
    if (ways != expected)
        return hwc_fail(error, HWC_INCONCLUSIVE, "%zu lines compete where sets have %llu ways", ways,
                        (unsigned long long)expected);
    set->lines = 0;
    for (size_t i = 0; i < test->count; i++)
        if (test->competes[i])
            set->line[set->lines++] = test->kept[i];
    set->line[set->lines++] = rejected.line;
    TRY(choose_evictors(test, HWC_SET_EVICTORS, set, error));
    all = set->evictors;
    TRY(extend_set(test, wanted, set, error));
    set->evictors = hwc_lesser(evictors, all);
    hwc_keep_set(test->lab, test->plan, set, all);
    return HWC_OK;
}

bool hwc_is_set_known(const struct hwc_level *level, size_t lines)
{
    return level->ways > 0 && !level->at_least && level->look.stride > 0 && lines <= HWC_SET_LINES;
}

int hwc_find_set(struct hwc_lab *lab, const struct hwc_conflict_plan *plan, size_t wanted, size_t evictors,
                 struct hwc_set *set, struct hwc_error *error)
{
    struct hwc_conflict_test test;
    int status;

    if (wanted > HWC_SET_LINES || evictors > HWC_SET_EVICTORS)
        return hwc_fail(error, HWC_UNAVAILABLE, "sets of more than %d lines are not looked at", HWC_SET_LINES);
    if (hwc_take_kept_set(lab, plan, wanted, evictors, set))
        return HWC_OK;
    status = hwc_open_conflict_test(&test, lab, plan, error);
    if (status == HWC_OK)
        status = search_set(&test, wanted, evictors, set, error);
    hwc_close_conflict_test(&test);
    return status;
}
