#include "minimal_set.h"

#include "statistics.h"

#include <string.h>

static const struct {
    size_t groups, few_lines;
    size_t most_ways, times_largest;
    unsigned most_undecided;
} policy = {
    .groups = 12, /* of many lines, half of such groups have none that shares the target's set */
    .few_lines = 256,
    .most_ways = 96,
    .times_largest = 2, /* others hold ways of some sets, but hardly half of those of all that were found */
    .most_undecided = 8, /* of some sixty: where sets are just full or lack a line, hardly any is */
};

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
static int leave_out(struct hwc_eviction_search *search, size_t at, size_t length, bool *left, struct hwc_error *error)
{
    uint64_t *lines = search->test->kept + at;
    size_t behind = search->count - at - length;

    exchange(lines, length, behind);
    TRY(hwc_evict_likely(search, search->count - length, left, error));
    if (*left)
        search->count -= length;
    else
        exchange(lines, behind, length);
    return HWC_OK;
}

/* Try to leave out each group of `length` lines. */
static int try_groups(struct hwc_eviction_search *search, size_t length, struct hwc_error *error)
{
    for (size_t at = search->fillers; at < search->count;) {
        size_t rest = search->count - at, tried = length < rest ? length : rest;
        bool left;
        TRY(leave_out(search, at, tried, &left, error));
        at += left ? 0 : tried;
    }
    return HWC_OK;
}

/* Do the lines evict the target? */
static int do_evict(const struct hwc_eviction_search *search, bool *evict, struct hwc_error *error)
{
    enum hwc_side side;

    TRY(hwc_evict(search, search->count, &side, error));
    *evict = side == HWC_ABOVE;
    return HWC_OK;
}

/* A burst of others' may have made a group seem needless, which nothing in the sequential test's odds allows for. The
 * groups left out are behind the others, the last first: those that evicted the target before are taken back in,
 * twice as many each time (Vila et al., 5: backtracking). */
static int take_back(struct hwc_eviction_search *search, size_t before, size_t length, struct hwc_error *error)
{
    bool evict;

    TRY(hwc_evict_likely(search, search->count, &evict, error));
    if (evict)
        return HWC_OK;
    for (size_t more = length; !evict && search->count < before; more *= 2) {
        search->count = hwc_lesser(search->count + more, before);
        TRY(hwc_evict_likely(search, search->count, &evict, error));
    }
    if (!evict) /* then another target is sooner found than what has changed */
        return hwc_fail(error, HWC_INCONCLUSIVE, "others put lines out meanwhile");
    return HWC_OK;
}

/* While there are many lines, leave out whole groups (Vila et al., S&P 2019, algorithm 1). */
static int prune(struct hwc_eviction_search *search, struct hwc_error *error)
{
    size_t before = search->count + 1;

    while (search->count < before && search->count - search->fillers > policy.few_lines) {
        size_t length = (search->count - search->fillers + policy.groups - 1) / policy.groups;
        before = search->count;
        TRY(try_groups(search, length, error));
        TRY(take_back(search, before, length, error));
    }
    if (search->count - search->fillers > 2 * policy.few_lines)
        return hwc_fail(error, HWC_INCONCLUSIVE, "%zu lines put one more out, and no part of them does", search->count);
    return HWC_OK;
}

/* What lists the lines of a pass takes room in the level itself: if the list grew with them, its lines would seem to be
 * one that shares the target's set. */
static void pad(struct hwc_eviction_search *search)
{
    if (search->test->padded < search->count)
        search->test->padded = search->count;
}

/* The fewest of the kept lines that evict the target, more than `stays`, which do not, and no more than all of them,
 * which do. */
static int bisect(struct hwc_eviction_search *search, size_t stays, struct hwc_error *error)
{
    while (search->count - stays > 1) {
        size_t middle = stays + (search->count - stays) / 2;
        enum hwc_side side;
        TRY(hwc_evict(search, middle, &side, error));
        *(side == HWC_ABOVE ? &search->count : &stays) = middle;
        search->undecided += side == HWC_STRADDLES;
    }
    return HWC_OK;
}

/* A set that others fill now and then, or whose policy spares the target as often as not, leaves most questions undecided,
 * each after as many readings as one may take. Another target is sooner found. */
static int check_decided(const struct hwc_eviction_search *search, struct hwc_error *error)
{
    if (search->undecided <= policy.most_undecided)
        return HWC_OK;
    return hwc_fail(error, HWC_INCONCLUSIVE, "whether lines put one more out cannot be told from the noise");
}

/* The last of them shares the target's set. If none was spared, that all of them evict it may have been a burst of
 * others'. */
static int find_fewest(struct hwc_eviction_search *search, size_t stays, struct hwc_error *error)
{
    size_t before;
    bool evict = true;

    if (stays >= search->count)
        TRY(hwc_grow(search, error));
    do {
        if (!evict)
            TRY(hwc_grow(search, error));
        pad(search);
        before = search->count;
        TRY(bisect(search, stays, error));
        evict = true;
        if (search->count == before)
            TRY(do_evict(search, &evict, error));
    } while (!evict);
    return HWC_OK;
}

/* Move the last of the kept lines to the place `to`, and those from there on back by one. */
static void bring_forward(struct hwc_eviction_search *search, size_t to)
{
    uint64_t *lines = search->test->kept, last = lines[search->count - 1];

    memmove(lines + to + 1, lines + to, (search->count - 1 - to) * sizeof *lines);
    lines[to] = last;
}

static size_t most_members(const struct hwc_eviction_search *search)
{
    const struct hwc_conflict_test *test = search->test;
    size_t largest = test->lab->known->level[test->plan->level].largest_set;

    return largest > 0 ? policy.times_largest * largest : policy.most_ways;
}

int hwc_find_members(struct hwc_eviction_search *search, struct hwc_error *error)
{
    size_t most = most_members(search);

    TRY(prune(search, error));
    for (; search->members <= most; search->members++) {
        size_t known = search->fillers + search->members;
        enum hwc_side side = HWC_BELOW;
        if (search->members > 0)
            TRY(hwc_evict(search, known, &side, error));
        if (side == HWC_ABOVE) {
            search->count = known;
            return HWC_OK;
        }
        TRY(find_fewest(search, known, error));
        TRY(check_decided(search, error));
        bring_forward(search, known);
    }
    return hwc_fail(error, HWC_INCONCLUSIVE, "no %zu lines put one more out, but many others do", most);
}

/* Leave out the lines without which the others evict the target as often. */
static int drop_needless(struct hwc_eviction_search *search, struct hwc_error *error)
{
    for (size_t i = search->fillers; i < search->count;) {
        bool needed;
        TRY(hwc_evict_with(search, i, &needed, error));
        if (needed)
            i++;
        else
            search->test->kept[i] = search->test->kept[--search->count];
    }
    return HWC_OK;
}

/* Few fillers share the target's set: of those that seem to, many would be none if one answer were believed. */
static int is_member(const struct hwc_eviction_search *search, size_t at, bool *member, struct hwc_error *error)
{
    enum { ANSWERS = 2 };

    *member = true;
    for (int i = 0; i < ANSWERS && *member; i++)
        TRY(hwc_evict_with(search, at, member, error));
    return HWC_OK;
}

/* Fillers that share the target's set are members, too. */
static int take_fillers(struct hwc_eviction_search *search, struct hwc_error *error)
{
    uint64_t *lines = search->test->kept;

    for (size_t i = 0; i < search->fillers;) {
        bool member;
        TRY(is_member(search, i, &member, error));
        if (member)
            hwc_exchange(&lines[i], &lines[--search->fillers]);
        else
            i++;
    }
    search->test->closing = search->fillers;
    return HWC_OK;
}

/* Do lines at one place of their pages lie in several sets of a level above? */
static bool are_spread_above(const struct hwc_conflict_test *test)
{
    for (unsigned i = 1; i < test->plan->level; i++)
        if (!hwc_is_one_set(&test->lab->known->level[i], test->plan->stride))
            return true;
    return false;
}

/* Do the other members, and the target, evict this one? */
static int is_evicted(struct hwc_eviction_search *search, size_t at, bool *evicted, struct hwc_error *error)
{
    enum hwc_side side;
    int status;

    hwc_exchange(&search->line, &search->test->kept[at]);
    status = hwc_evict(search, search->count, &side, error);
    hwc_exchange(&search->line, &search->test->kept[at]);
    if (status == HWC_OK && side == HWC_STRADDLES)
        return hwc_fail(error, HWC_INCONCLUSIVE, "whether lines share a set cannot be told from the noise");
    *evicted = side == HWC_ABOVE;
    return status;
}

/* A member that is the only line of its set of a level above stays there, and puts out nothing in this one. A line that
 * puts it out there is needed, too, and is no member but a filler. */
static int part_from_fillers(struct hwc_eviction_search *search, struct hwc_error *error)
{
    uint64_t *lines = search->test->kept;

    for (size_t i = search->fillers; i < search->count; i++) {
        bool member;
        TRY(is_evicted(search, i, &member, error));
        if (!member)
            hwc_exchange(&lines[i], &lines[search->fillers++]);
    }
    search->test->closing = search->fillers;
    return HWC_OK;
}

/* What the levels above held of the set at the end of a pass need not be there any more, now that no filler is of it: if
 * lines can be spared, any of them can. */
static int drop_spare(struct hwc_eviction_search *search, struct hwc_error *error)
{
    bool needed = false;

    while (search->count > search->fillers + 1) {
        TRY(hwc_evict_with(search, search->count - 1, &needed, error));
        if (needed)
            return HWC_OK;
        search->count--;
    }
    return HWC_OK;
}

int hwc_mark_members(struct hwc_eviction_search *search, size_t *competitors, struct hwc_error *error)
{
    size_t fillers = search->fillers;

    TRY(drop_needless(search, error));
    TRY(take_fillers(search, error));
    if (search->fillers == 0)
        return hwc_fail(error, HWC_INCONCLUSIVE, "all lines that empty the levels above seem to share the set");
    if (search->fillers < fillers)
        TRY(drop_spare(search, error));
    if (are_spread_above(search->test))
        TRY(part_from_fillers(search, error));
    *competitors = search->count - search->fillers;
    for (size_t i = 0; i < search->count; i++)
        search->test->competes[i] = i >= search->fillers;
    return HWC_OK;
}
