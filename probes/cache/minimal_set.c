#include "minimal_set.h"

#include <string.h>

#include "quiet_core.h"

static const struct {
    size_t groups, few_lines;
    size_t most_ways;
    int mistakes;
    double twice_apart; /* seconds */
} policy = {
    .groups = 12, /* of many lines, half of such groups have none that shares the target's set */
    .few_lines = 256,
    .most_ways = 96,
    .mistakes = 24, /* a quiet search makes a few */
    .twice_apart = 0.001, /* what others do was over by then, the last time */
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
    enum hwc_side side;

    exchange(lines, length, behind);
    TRY(hwc_evict(search, search->count - length, HWC_QUICKLY, &side, NULL, error));
    *left = side == HWC_ABOVE;
    if (*left)
        search->count -= length;
    else
        exchange(lines, behind, length);
    return HWC_OK;
}

/* Try to leave out each of `groups` groups. */
static int try_groups(struct hwc_eviction_search *search, size_t groups, size_t *dropped, struct hwc_error *error)
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

/* While there are many lines, leave out whole groups (Vila et al., S&P 2019, algorithm 1). */
static int prune(struct hwc_eviction_search *search, struct hwc_error *error)
{
    size_t dropped = 1;

    while (dropped > 0 && search->count - search->fillers > policy.few_lines)
        TRY(try_groups(search, policy.groups, &dropped, error));
    return HWC_OK;
}

/* What lists the lines of a pass takes room in the level itself: if the list grew with them, its lines would seem to be
 * one that shares the target's set. */
static void pad(struct hwc_eviction_search *search)
{
    if (search->test->padded < search->count)
        search->test->padded = search->count;
}

/* The fewest of the kept lines that evict the target, more than `stays`, which do not: the last of them shares its set.
 * That so many let it stay is certain; that so many evict it may have been others' doing, and is asked twice. */
static int find_fewest(struct hwc_eviction_search *search, size_t stays, struct hwc_error *error)
{
    size_t evicts;

    for (;;) {
        enum hwc_side side;
        if (stays >= search->count)
            TRY(hwc_grow(search, error));
        pad(search);
        evicts = search->count;
        while (evicts - stays > 1) {
            size_t middle = stays + (evicts - stays) / 2;
            TRY(hwc_evict(search, middle, HWC_QUICKLY, &side, NULL, error));
            *(side == HWC_ABOVE ? &evicts : &stays) = middle;
        }
        if (search->mistakes > 0)
            hwc_let_others_pass(search->test->lab, policy.twice_apart);
        TRY(hwc_evict(search, evicts, HWC_QUICKLY, &side, NULL, error));
        if (side == HWC_ABOVE)
            break;
        if (++search->mistakes > policy.mistakes)
            return hwc_fail(error, HWC_INCONCLUSIVE, "others put lines out meanwhile");
        stays = evicts;
    }
    search->count = evicts;
    return HWC_OK;
}

/* Move the last of the kept lines to the place `to`, and those from there on back by one. */
static void bring_forward(struct hwc_eviction_search *search, size_t to)
{
    uint64_t *lines = search->test->kept, last = lines[search->count - 1];

    memmove(lines + to + 1, lines + to, (search->count - 1 - to) * sizeof *lines);
    lines[to] = last;
}

int hwc_find_members(struct hwc_eviction_search *search, struct hwc_error *error)
{
    TRY(prune(search, error));
    for (; search->members <= policy.most_ways; search->members++) {
        size_t known = search->fillers + search->members;
        enum hwc_side side = HWC_BELOW;
        if (search->members > 0)
            TRY(hwc_evict(search, known, HWC_QUICKLY, &side, NULL, error));
        if (side == HWC_ABOVE) {
            search->count = known;
            return HWC_OK;
        }
        TRY(find_fewest(search, known, error));
        bring_forward(search, known);
    }
    return hwc_fail(error, HWC_INCONCLUSIVE, "no %zu lines put one more out, but many others do", policy.most_ways);
}

/* HWC_INCONCLUSIVE if the target neither goes as surely as beside many lines, nor stays. */
static int ask_without_last(struct hwc_eviction_search *search, enum hwc_side *side, struct hwc_error *error)
{
    bool stays;

    TRY(hwc_evict(search, search->count - 1, HWC_SURELY, side, NULL, error));
    if (!search->is_sharp || *side == HWC_ABOVE)
        return HWC_OK;
    *side = HWC_BELOW;
    TRY(hwc_leaves_in(search, search->count - 1, &stays, error));
    if (!stays)
        return hwc_fail(error, HWC_INCONCLUSIVE, "%zu lines put one more out now and then", search->count - 1);
    return HWC_OK;
}

/* Do the first `count` kept lines without the one at `at` still evict the target? HWC_INCONCLUSIVE if noise hides it. */
static int without(struct hwc_eviction_search *search, size_t at, enum hwc_side *side, struct hwc_error *error)
{
    uint64_t *kept = search->test->kept, *last = &kept[search->count - 1], line = kept[at];
    int status;

    kept[at] = *last;
    *last = line;
    status = ask_without_last(search, side, error);
    *last = kept[at];
    kept[at] = line;
    if (status == HWC_OK && *side == HWC_STRADDLES)
        return hwc_fail(error, HWC_INCONCLUSIVE, "whether one of %zu lines shares a set cannot be told from the noise",
                        search->count);
    return status;
}

/* Leave out the lines without which the others still evict the target. A line is needed if the target goes with it and
 * stays without it, at the same time; *again: with it, too, the target stays. */
static int drop_needless(struct hwc_eviction_search *search, bool *again, struct hwc_error *error)
{
    *again = false;
    for (size_t i = search->fillers; i < search->count && !*again;) {
        enum hwc_side side;
        TRY(without(search, i, &side, error));
        if (side == HWC_ABOVE) {
            search->test->kept[i] = search->test->kept[--search->count];
            continue;
        }
        TRY(hwc_evict(search, search->count, HWC_SURELY, &side, NULL, error));
        *again = side != HWC_ABOVE;
        i++;
    }
    search->members = search->count - search->fillers;
    return HWC_OK;
}

int hwc_mark_members(struct hwc_eviction_search *search, size_t *competitors, bool *again, struct hwc_error *error)
{
    bool *competes = search->test->competes;

    TRY(drop_needless(search, again, error));
    *competitors = search->members;
    for (size_t i = 0; i < search->count && !*again; i++) {
        enum hwc_side side = HWC_BELOW;
        if (i < search->fillers)
            TRY(without(search, i, &side, error));
        competes[i] = side == HWC_BELOW;
        *competitors += i < search->fillers && competes[i];
    }
    return HWC_OK;
}
