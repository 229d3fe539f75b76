#include "line_and_period.h"

#include <stdlib.h>
#include <string.h>

#include "places.h"

/* Where the index is hashed, the moved half may map to sets that are full of
 * lines that do not compete. So few of those take part: none with evictors, and
 * on randomly placed pages one in so many, or enough to evict lines from the
 * levels above. */
#define OF_OTHERS 8

static size_t share_of_others(const struct hwc_conflict_test *test, size_t competitors)
{
    size_t share = test->plan->level > 1 && hwc_lies_at_random(test->plan) ? OF_OTHERS : 1;
    size_t evictors = 3 * hwc_ways_above(test->lab, test->plan->level);

    while (share > 1 && (test->count - competitors) / share < evictors)
        share /= 2;
    return share;
}

/* Lines, those that do not compete first and the rejected one last, and the half of them that is moved: half of the
 * competitors and half of the others. Where the rejected line alone is read, it is moved alone, into a set without
 * competitors: half of them and some others would fill that now and then. */
struct halves {
    uint64_t *lines;
    uint64_t *moved; /* room for all, with the half moved */
    bool *moves;
    size_t others, count;
};

static void take(struct halves *halves, uint64_t line, bool moves)
{
    halves->moves[halves->count] = moves;
    halves->lines[halves->count++] = line;
}

static void take_some_others(const struct hwc_conflict_test *test, size_t share, struct halves *halves)
{
    size_t other = 0;

    for (size_t i = 0; i < test->count; i++)
        if (!test->competes[i] && other++ % share == 0)
            take(halves, test->kept[i], halves->count % 2 == 1);
}

/* Just so many are kept as empty the levels above: they do so for both halves. */
static void take_others_twice(const struct hwc_conflict_test *test, struct halves *halves)
{
    for (size_t i = 0; i < test->count; i++)
        for (int moves = 0; moves < 2 && !test->competes[i]; moves++)
            take(halves, test->kept[i], moves == 1);
}

static void choose_halves(const struct hwc_conflict_test *test, uint64_t rejected, size_t competitors,
                          struct halves *halves)
{
    size_t competitor = 0;

    halves->count = 0;
    if (test->one_at_a_time)
        take_others_twice(test, halves);
    else if (test->evictor_count == 0)
        take_some_others(test, share_of_others(test, competitors), halves);
    halves->others = halves->count;
    for (size_t i = 0; i < test->count; i++)
        if (test->competes[i])
            take(halves, test->kept[i], !test->one_at_a_time && competitor++ % 2 == 1);
    take(halves, rejected, true);
}

/* Lines are asked about one at a time: do those that compete evict it, and the others not? */
static int ask_last(struct hwc_conflict_test *test, const struct halves *halves, uint64_t distance,
                    enum hwc_side *side, struct hwc_error *error)
{
    const struct hwc_beside beside = {halves->moved, halves->count, halves->moved, halves->others, halves->others,
                                      .odds = 0};
    struct hwc_late_pair pair;

    for (size_t i = 0; i < halves->count; i++)
        halves->moved[i] = halves->lines[i] ^ (halves->moves[i] ? distance : 0);
    return hwc_ask_beside(test, &beside, 0, &pair, side, error);
}

static int halves_meet(struct hwc_conflict_test *test, const struct halves *halves, uint64_t distance, bool *meet,
                       struct hwc_error *error)
{
    enum hwc_side side;

    if (test->one_at_a_time)
        TRY(ask_last(test, halves, distance, &side, error));
    else
        TRY(hwc_ask(test, halves->lines, halves->count, halves->moves, distance, HWC_SURELY, &side, NULL, error));
    *meet = side == HWC_ABOVE;
    if (side == HWC_STRADDLES)
        return hwc_fail(error, HWC_INCONCLUSIVE,
                        "whether lines %llu bytes apart share a set cannot be told from the noise",
                        (unsigned long long)distance);
    return HWC_OK;
}

/* Move half of the lines by one address bit after another (X-Ray 4.1.3 moves
 * one half by C + d). A move within a line changes nothing and the conflict
 * stays; a longer one takes the halves to different sets. */
static int find_line(struct hwc_conflict_test *test, const struct halves *halves, uint64_t *line_bytes,
                     struct hwc_error *error)
{
    bool conflict = true;

    *line_bytes = HWC_CELL_BYTES / 2;
    while (conflict && *line_bytes * 2 < test->plan->stride) {
        *line_bytes *= 2;
        TRY(halves_meet(test, halves, *line_bytes, &conflict, error));
    }
    if (conflict)
        return hwc_fail(error, HWC_INCONCLUSIVE, "no distance up to %llu bytes parts competing lines",
                        (unsigned long long)test->plan->stride);
    return HWC_OK;
}

/* What is moved to find the period: one half, so that there is room in both sets, and others who take a way of them change
 * nothing. With evictors, which would get in the way of a moved half, the rejected line alone, and also where randomly
 * placed pages spread the kept lines over several sets: the half may move to sets that are full. */
struct move {
    uint64_t rejected;
    const bool *half; /* NULL = the rejected line alone is moved */
};

static int meet_at(struct hwc_conflict_test *test, const struct move *move, uint64_t distance, bool *meet,
                   struct hwc_error *error)
{
    test->kept[test->count] = move->half == NULL ? move->rejected ^ distance : move->rejected;
    return hwc_ask_whether(test, test->count + 1, move->half, distance, meet, error);
}

/* Find the distance at which moved lines conflict again. With evictors, this
 * level's period is longer than those of the levels above. */
static int find_period(struct hwc_conflict_test *test, uint64_t rejected, const bool *half, bool one_set,
                       uint64_t line_bytes, uint64_t *period_bytes, struct hwc_error *error)
{
    bool alone = test->evictor_count > 0 || (hwc_lies_at_random(test->plan) && !one_set);
    const struct move move = {.rejected = rejected, .half = alone ? NULL : half};
    /* A line moved by the period above lies where evictors do, and those fit here too: hwc_check_evictors. */
    uint64_t above = alone ? hwc_period_above(test->lab, test->plan->level) << (test->evictor_count > 0) : 0;

    *period_bytes = above > 2 * line_bytes ? above : 2 * line_bytes;
    for (; *period_bytes < test->plan->stride; *period_bytes *= 2) {
        bool meet;
        TRY(meet_at(test, &move, *period_bytes, &meet, error));
        if (meet)
            return HWC_OK;
    }
    *period_bytes = test->plan->stride;
    return HWC_OK;
}

/* Does either rejected line, moved by `distance`, conflict with these? The first may map to a set with room left. */
static int conflicts_when_moved(struct hwc_conflict_test *test, const uint64_t rejected[2], uint64_t distance,
                                uint64_t *lines, size_t count, bool *conflicts, struct hwc_error *error)
{
    for (int i = 0; i < 2 && !*conflicts; i++) {
        enum hwc_side side;
        lines[count] = rejected[i] ^ distance;
        TRY(hwc_ask(test, lines, count + 1, NULL, 0, HWC_SURELY, &side, NULL, error));
        *conflicts = side == HWC_ABOVE;
    }
    return HWC_OK;
}

/* Does a rejected line, moved by `distance`, map to a set full of kept lines?
 * Some of the kept lines, moved as far, evict it from the levels above; if they
 * map to other sets, they fit there as the kept ones do. */
static int shares_sets(struct hwc_conflict_test *test, const uint64_t rejected[2], uint64_t distance, bool *shares,
                       struct hwc_error *error)
{
    size_t evictors = 2 * hwc_ways_above(test->lab, test->plan->level) + 2, count = test->count;
    uint64_t *lines = malloc((2 * count + 1) * sizeof *lines);
    int status;

    *shares = false;
    if (lines == NULL)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory for a conflict test");
    memcpy(lines, test->kept, count * sizeof *lines);
    for (size_t i = 0; i < evictors && i < count / 2; i++)
        lines[count++] = test->kept[i] ^ distance;
    status = conflicts_when_moved(test, rejected, distance, lines, count, shares, error);
    free(lines);
    return status;
}

static int ask_places(struct hwc_conflict_test *test, const uint64_t rejected[2], uint64_t line_bytes, bool *shares,
                      size_t count, size_t *sharing, struct hwc_error *error)
{
    shares[0] = true;
    for (size_t i = 1; i < count; i++) {
        TRY(hwc_check_time(test, error));
        TRY(shares_sets(test, rejected, i * line_bytes, &shares[i], error));
    }
    if (!hwc_share_evenly(shares, count, sharing))
        return hwc_fail(error, HWC_INCONCLUSIVE, "lines at %zu of %zu places in a page share sets: no even share",
                        *sharing, count);
    return HWC_OK;
}

/* On randomly placed pages, the kept lines fill every set that lines at their
 * offset in a page can map to. Lines at another offset find these sets full if
 * they map to the same ones: at multiples of a period shorter than a page, or
 * where a hash of the page's address permutes the sets. Every offset shares its
 * sets with equally many others, so their mean distance is the period. */
static int count_places(struct hwc_conflict_test *test, const uint64_t rejected[2], struct hwc_geometry *geometry,
                        struct hwc_error *error)
{
    size_t count = (size_t)(test->plan->stride / geometry->line_bytes), sharing = 1;
    bool *shares = calloc(count, sizeof *shares);
    int status;

    if (shares == NULL)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory for a conflict test");
    status = ask_places(test, rejected, geometry->line_bytes, shares, count, &sharing, error);
    free(shares);
    if (status == HWC_OK)
        geometry->period_bytes = test->plan->stride / sharing;
    return status;
}

/* Does the rejected line, moved by `distance`, map to a set full of kept lines? Unless that is a multiple of the period
 * above, the line needs evictors of its own. */
static int meets_again(struct hwc_conflict_test *test, bool *moves, uint64_t rejected, uint64_t distance, bool *meets,
                       struct hwc_error *error)
{
    bool alone = distance % hwc_period_above(test->lab, test->plan->level) == 0;

    test->kept[test->count] = alone ? rejected ^ distance : rejected;
    return hwc_ask_whether(test, test->count + 1, alone ? NULL : moves, distance, meets, error);
}

/* Does the rejected line conflict with the kept ones at any distance of one or two address bits below the period?
 * (Evictors lie at odd multiples of the period above; find_period has tried single bits beyond that.) */
static int meets_below_period(struct hwc_conflict_test *test, uint64_t rejected, const struct hwc_geometry *geometry,
                              bool *moves, bool *meets, struct hwc_error *error)
{
    uint64_t above = hwc_period_above(test->lab, test->plan->level), period = geometry->period_bytes;

    for (uint64_t one = geometry->line_bytes; one < period && !*meets; one *= 2)
        for (uint64_t two = one; two < period && !*meets; two *= 2) {
            uint64_t distance = one ^ (two > one ? two : 0);
            if (distance % above != 0 || (one > above && two > one))
                TRY(meets_again(test, moves, rejected, distance, meets, error));
        }
    return HWC_OK;
}

/* With evictors, the search for the period begins at twice the period above, and
 * tries one address bit at a time. A line moved by less, or by two bits below the
 * period, shares no set with the kept ones unless the index is hashed; kept x
 * period is then not the size. Asked once per level, as every ballot would have
 * the same answer. */
static int check_hash(struct hwc_conflict_test *test, uint64_t rejected, const struct hwc_geometry *geometry,
                      struct hwc_error *error)
{
    struct hwc_level level = test->lab->known->level[test->plan->level];
    bool *moves = calloc(test->count + 1, sizeof *moves), meets = false;
    int status;

    if (moves == NULL)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory for a conflict test");
    moves[test->count] = true;
    status = meets_below_period(test, rejected, geometry, moves, &meets, error);
    free(moves);
    level.hashed = status == HWC_OK && meets;
    level.hash_asked = status == HWC_OK;
    hwc_know_level(test->lab, test->plan->level, &level);
    if (status == HWC_OK && meets)
        return hwc_fail(error, HWC_INCONCLUSIVE, "lines nearer than %llu bytes share sets: its index is hashed",
                        (unsigned long long)geometry->period_bytes);
    return status;
}

static int find_both(struct hwc_conflict_test *test, const uint64_t rejected[2], size_t competitors,
                     const struct halves *halves, struct hwc_geometry *geometry, struct hwc_error *error)
{
    unsigned level = test->plan->level;
    bool evicts = test->evictor_count > 0;

    TRY(find_line(test, halves, &geometry->line_bytes, error));
    if (test->one_at_a_time)
        return HWC_OK; /* congruence classes give the number of sets: congruence.h */
    if (level > 1 && !evicts && hwc_lies_at_random(test->plan))
        return count_places(test, rejected, geometry, error);
    TRY(find_period(test, rejected[0], halves->moves, test->count == competitors, geometry->line_bytes,
                    &geometry->period_bytes, error));
    if (evicts && !test->lab->known->level[level].hash_asked)
        return check_hash(test, rejected[0], geometry, error);
    return HWC_OK;
}

int hwc_find_line_and_period(struct hwc_conflict_test *test, const uint64_t rejected[2], size_t competitors,
                             struct hwc_geometry *geometry, struct hwc_error *error)
{
    size_t most = 2 * test->count + 1;
    struct halves halves = {.lines = malloc(most * sizeof *halves.lines),
                            .moved = malloc(most * sizeof *halves.moved),
                            .moves = malloc(most * sizeof *halves.moves)};
    int status = HWC_OK;

    if (halves.lines == NULL || halves.moved == NULL || halves.moves == NULL)
        status = hwc_fail(error, HWC_NO_MEMORY, "no memory for a conflict test");
    if (status == HWC_OK) {
        choose_halves(test, rejected[0], competitors, &halves);
        status = find_both(test, rejected, competitors, &halves, geometry, error);
    }
    free(halves.lines);
    free(halves.moved);
    free(halves.moves);
    return status;
}
