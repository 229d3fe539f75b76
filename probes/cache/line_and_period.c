#include "line_and_period.h"

#include <stdlib.h>
#include <string.h>

/* Is nothing known of where a line lies beside the next? */
static bool lies_at_random(const struct hwc_search *search)
{
    return search->plan->arena->contiguous_bytes <= search->plan->stride;
}

/* Where a hash moves sets about, a moved half may come to lie in sets that are
 * full of other lines. None of those stay behind evictors, and where pages lie at
 * random as many as wash the levels above. */
#define OF_OTHERS 8

static size_t share_of_others(const struct hwc_search *search, size_t competitors)
{
    size_t share = search->plan->level > 1 && lies_at_random(search) ? OF_OTHERS : 1;
    size_t wash = 3 * hwc_ways_above(search->lab, search->plan->level);

    while (share > 1 && (search->count - competitors) / share < wash)
        share /= 2;
    return share;
}

/* The lines to move, the rejected one last, and which half of them moves: half of the competitors, and of the others. */
struct halves {
    uint64_t *lines;
    bool *moves;
    size_t count;
};

static void choose_halves(const struct hwc_search *search, uint64_t rejected, size_t competitors, struct halves *halves)
{
    size_t share = share_of_others(search, competitors);
    size_t competitor = 0, other = 0;

    halves->count = 0;
    for (size_t i = 0; i < search->count; i++) {
        if (!search->competes[i] && (search->evictor_count > 0 || other++ % share != 0))
            continue;
        halves->moves[halves->count] = search->competes[i] ? competitor++ % 2 == 1 : halves->count % 2 == 1;
        halves->lines[halves->count++] = search->kept[i];
    }
    halves->moves[halves->count] = true;
    halves->lines[halves->count++] = rejected;
}

static int halves_meet(struct hwc_search *search, const struct halves *halves, uint64_t distance, bool *meet,
                       struct hwc_error *error)
{
    enum hwc_side side;

    TRY(hwc_ask(search, halves->lines, halves->count, halves->moves, distance, HWC_SURELY, &side, NULL, error));
    *meet = side == HWC_ABOVE;
    if (side == HWC_STRADDLES)
        return hwc_fail(error, HWC_INCONCLUSIVE, "whether lines %llu bytes apart share a set cannot be told from the noise",
                        (unsigned long long)distance);
    return HWC_OK;
}

/* Move half of the lines by one address bit after the other (X-Ray 4.1.3 moves
 * one half by C + d). Within a line nothing changes and the conflict stays;
 * beyond it the halves part. */
static int find_line(struct hwc_search *search, const struct halves *halves, uint64_t *line_bytes,
                     struct hwc_error *error)
{
    bool conflict = true;
    int status = HWC_OK;

    *line_bytes = HWC_CELL_BYTES / 2;
    while (status == HWC_OK && conflict && *line_bytes * 2 < search->plan->stride) {
        *line_bytes *= 2;
        status = halves_meet(search, halves, *line_bytes, &conflict, error);
    }
    if (status == HWC_OK && conflict)
        return hwc_fail(error, HWC_INCONCLUSIVE, "no distance up to %llu bytes parts competing lines",
                        (unsigned long long)search->plan->stride);
    return status;
}

/* How the halves are looked at beyond a line: with evictors the rejected
 * line alone is moved, as all sets at the kept lines' place are full, and evictors would get
 * in the way of a moved half; so it is where pages lie at random. */
struct parting {
    uint64_t rejected;
    const bool *half; /* NULL = the rejected line alone is moved */
};

static int meet_at(struct hwc_search *search, const struct parting *parting, uint64_t distance, bool *meet,
                   struct hwc_error *error)
{
    search->kept[search->count] = parting->half == NULL ? parting->rejected ^ distance : parting->rejected;
    return hwc_ask_whether(search, search->count + 1, parting->half, distance, meet, error);
}

/* The distance at which the halves meet again. With evictors this level's period
 * is longer than those above. */
static int find_period(struct hwc_search *search, uint64_t rejected, const bool *half, uint64_t line_bytes,
                       uint64_t *period_bytes, struct hwc_error *error)
{
    bool alone = search->evictor_count > 0 || lies_at_random(search);
    const struct parting parting = {.rejected = rejected, .half = alone ? NULL : half};
    /* Evictors lie where lines meet at a distance of the period above, and do not meet these: hwc_check_evictors. */
    uint64_t above = alone ? hwc_period_above(search->lab, search->plan->level) << (search->evictor_count > 0) : 0;

    *period_bytes = above > 2 * line_bytes ? above : 2 * line_bytes;
    for (; *period_bytes < search->plan->stride; *period_bytes *= 2) {
        bool meet;
        TRY(meet_at(search, &parting, *period_bytes, &meet, error));
        if (meet)
            return HWC_OK;
    }
    *period_bytes = search->plan->stride;
    return HWC_OK;
}

/* Does a line at this distance from the rejected lines' place find its set full of
 * kept lines? Some of these, moved as far, put it out of the levels above; where
 * the sets there are others they fit beside each other as the kept ones do. */
static int shares_sets(struct hwc_search *search, const uint64_t rejected[2], uint64_t distance, bool *shares,
                       struct hwc_error *error)
{
    size_t washers = 2 * hwc_ways_above(search->lab, search->plan->level) + 2, count = search->count;
    uint64_t *lines = malloc((2 * count + 1) * sizeof *lines);
    enum hwc_side side;
    int status = lines != NULL ? HWC_OK : hwc_fail(error, HWC_NO_MEMORY, "no memory for a search");

    *shares = false;
    if (status == HWC_OK)
        memcpy(lines, search->kept, count * sizeof *lines);
    for (size_t i = 0; status == HWC_OK && i < washers && i < count / 2; i++)
        lines[count++] = search->kept[i] ^ distance;
    for (int i = 0; i < 2 && status == HWC_OK && !*shares; i++) { /* a set of the first may have room left */
        lines[count] = rejected[i] ^ distance;
        status = hwc_ask(search, lines, count + 1, NULL, 0, HWC_SURELY, &side, NULL, error);
        *shares = status == HWC_OK && side == HWC_ABOVE;
    }
    free(lines);
    return status;
}

/* So much of a set makes it what it is: the rest was disturbed, or lay unluckily. */
#define MOST_OF 0.75

/* Of the places that share sets, those that still do so when all are moved by this distance. */
static size_t keep_sharing(const bool *shares, size_t count, size_t distance)
{
    size_t keep = 0;

    for (size_t i = 0; i < count; i++)
        keep += shares[i] && shares[i ^ distance];
    return keep;
}

/* Places share sets by bits of the address, hashed or not: with two of them the
 * one at both their distances does. So all but a few of them are moved onto each
 * other by each of them; one that moves them elsewhere is no such place (a line
 * that lay unluckily seems to share sets as often as it is asked). *sharing:
 * how many they are; returns whether they are closed. */
static bool is_closed(const bool *shares, size_t count, size_t *sharing)
{
    size_t all = keep_sharing(shares, count, 0);

    *sharing = 0;
    for (size_t i = 0; i < count; i++)
        *sharing += shares[i] && (double)keep_sharing(shares, count, i) >= MOST_OF * (double)all;
    /* then as many as a group of address bits can make, and they are those of the group */
    return (*sharing & (*sharing - 1)) == 0 && (double)*sharing >= MOST_OF * (double)all;
}

static int ask_places(struct hwc_search *search, const uint64_t rejected[2], uint64_t line_bytes, bool *shares,
                      size_t count, size_t *sharing, struct hwc_error *error)
{
    shares[0] = true;
    for (size_t i = 1; i < count; i++) {
        TRY(hwc_check_time(search, error));
        TRY(shares_sets(search, rejected, i * line_bytes, &shares[i], error));
    }
    if (!is_closed(shares, count, sharing))
        return hwc_fail(error, HWC_INCONCLUSIVE, "lines at %zu of %zu places in a page share sets: no even share",
                        *sharing, count);
    return HWC_OK;
}

/* Where pages lie at random, the kept lines fill all sets that lines at their
 * place in a page can get to. A line at another place finds them full where its
 * sets are among these: at every multiple of a period that is short, and where
 * a hash of the page's address moves the sets about. The sets are shared out
 * evenly: the mean distance of such places is the period. */
static int count_places(struct hwc_search *search, const uint64_t rejected[2], struct hwc_geometry *geometry,
                        struct hwc_error *error)
{
    size_t count = (size_t)(search->plan->stride / geometry->line_bytes), sharing = 1;
    bool *shares = calloc(count, sizeof *shares);
    int status = shares != NULL ? HWC_OK : hwc_fail(error, HWC_NO_MEMORY, "no memory for a search");

    if (status == HWC_OK)
        status = ask_places(search, rejected, geometry->line_bytes, shares, count, &sharing, error);
    if (status == HWC_OK)
        geometry->period_bytes = search->plan->stride / sharing;
    free(shares);
    return status;
}

/* Does the rejected line, moved so far, find a set full of kept lines? Short of the period above it needs evictors of
 * its own. */
static int meets_again(struct hwc_search *search, bool *moves, uint64_t rejected, uint64_t distance, bool *meets,
                       struct hwc_error *error)
{
    bool alone = distance % hwc_period_above(search->lab, search->plan->level) == 0;

    search->kept[search->count] = alone ? rejected ^ distance : rejected;
    return hwc_ask_whether(search, search->count + 1, alone ? NULL : moves, distance, meets, error);
}

/* Behind evictors the period is looked for from twice the one above on, one bit
 * of the address at a time. A line that is moved by less, or by two bits below
 * the period, shares no set with the kept ones, unless a hash moves sets about;
 * then kept x period says nothing of the size. (At the period above lie the
 * evictors.) Once for a level, as no other ballot would say anything else. */
static int check_hash(struct hwc_search *search, uint64_t rejected, const struct hwc_geometry *geometry,
                      struct hwc_error *error)
{
    struct hwc_level level = search->lab->known->level[search->plan->level];
    uint64_t above = hwc_period_above(search->lab, search->plan->level);
    bool *moves = calloc(search->count + 1, sizeof *moves), meets = false;
    int status = moves != NULL ? HWC_OK : hwc_fail(error, HWC_NO_MEMORY, "no memory for a search");

    if (status == HWC_OK)
        moves[search->count] = true;
    for (uint64_t one = geometry->line_bytes; one < geometry->period_bytes && status == HWC_OK && !meets; one *= 2)
        for (uint64_t two = one; two < geometry->period_bytes && status == HWC_OK && !meets; two *= 2) {
            uint64_t distance = one ^ (two > one ? two : 0);
            if (distance % above != 0 || (one > above && two > one))
                status = meets_again(search, moves, rejected, distance, &meets, error);
        }
    free(moves);
    level.hashed = status == HWC_OK && meets;
    level.hash_asked = status == HWC_OK;
    hwc_know_level(search->lab, search->plan->level, &level);
    if (status == HWC_OK && meets)
        return hwc_fail(error, HWC_INCONCLUSIVE, "lines nearer than %llu bytes share sets: its index is hashed",
                        (unsigned long long)geometry->period_bytes);
    return status;
}

int hwc_find_distances(struct hwc_search *search, const uint64_t rejected[2], size_t competitors,
                       struct hwc_geometry *geometry, struct hwc_error *error)
{
    size_t most = search->count + 1;
    struct halves halves = {malloc(most * sizeof *halves.lines), malloc(most * sizeof *halves.moves), 0};
    int status = HWC_OK;

    if (halves.lines == NULL || halves.moves == NULL)
        status = hwc_fail(error, HWC_NO_MEMORY, "no memory for a search");
    if (status == HWC_OK) {
        choose_halves(search, rejected[0], competitors, &halves);
        status = find_line(search, &halves, &geometry->line_bytes, error);
    }
    if (status == HWC_OK && search->plan->level > 1 && search->evictor_count == 0 && lies_at_random(search))
        status = count_places(search, rejected, geometry, error);
    else if (status == HWC_OK)
        status = find_period(search, rejected[0], halves.moves, geometry->line_bytes, &geometry->period_bytes, error);
    if (status == HWC_OK && search->evictor_count > 0 && !search->lab->known->level[search->plan->level].hash_asked)
        status = check_hash(search, rejected[0], geometry, error);
    free(halves.lines);
    free(halves.moves);
    return status;
}
