#include "distances.h"

#include <stdlib.h>
#include <string.h>

/* Is nothing known of where a line lies beside the next? */
static bool lies_at_random(const struct hwc_search *search)
{
    return search->plan->arena->contiguous_bytes <= search->plan->stride;
}

/* Where a hash moves sets about, a moved half may come to lie in sets that are
 * full of other lines. None of those stay behind fillers, and where pages lie at
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

/* The lines to move, the stranger last, and which half of them moves: half of the competitors, and of the others. */
struct halves {
    uint64_t *lines;
    bool *moves;
    size_t count;
};

static void choose_halves(const struct hwc_search *search, uint64_t stranger, size_t competitors, struct halves *halves)
{
    size_t share = share_of_others(search, competitors);
    size_t competitor = 0, other = 0;

    halves->count = 0;
    for (size_t i = 0; i < search->count; i++) {
        if (!search->competes[i] && (search->fillers > 0 || other++ % share != 0))
            continue;
        halves->moves[halves->count] = search->competes[i] ? competitor++ % 2 == 1 : halves->count % 2 == 1;
        halves->lines[halves->count++] = search->kept[i];
    }
    halves->moves[halves->count] = true;
    halves->lines[halves->count++] = stranger;
}

/* Where others disturb, what parts once must do so again. */
static int halves_meet(struct hwc_search *search, const struct halves *halves, uint64_t distance, bool *meet,
                       struct hwc_error *error)
{
    int times = hwc_asks_of_last(search) ? 3 : 1;
    int status = HWC_OK;

    *meet = false;
    for (int asked = 0; asked < times && status == HWC_OK && !*meet; asked++) {
        double found = 0;
        status = hwc_ask(search, halves->lines, halves->count, halves->moves, distance, search->lab->settings.samples,
                         &found, error);
        *meet = hwc_conflicts(search, found);
    }
    return status;
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
        return hwc_fail(error, HWC_UNAVAILABLE, "no distance up to %llu bytes parts competing lines",
                        (unsigned long long)search->plan->stride);
    return status;
}

/* How the halves are looked at beyond a line: with fillers the stranger alone
 * is moved, as all sets at the kept lines' place are full, and fillers would get
 * in the way of a moved half; so it is where pages lie at random. */
struct parting {
    uint64_t stranger;
    const bool *half; /* NULL = the stranger alone is moved */
    uint64_t line_bytes;
};

static int meet_at(struct hwc_search *search, const struct parting *parting, uint64_t distance, bool *meet,
                   struct hwc_error *error)
{
    search->kept[search->count] = parting->half == NULL ? parting->stranger ^ distance : parting->stranger;
    return hwc_ask_whether(search, search->count + 1, parting->half, distance, meet, error);
}

/* By the clock others make lines seem to meet, for seconds at a time: then they
 * do so at a line's distance, too, where they are known to part. */
#define CONFIRMATIONS 3

static int meet_for_certain(struct hwc_search *search, const struct parting *parting, uint64_t distance, bool *meet,
                            struct hwc_error *error)
{
    int confirmations = hwc_may_be_disturbed(search) ? CONFIRMATIONS : 0;
    int status = meet_at(search, parting, distance, meet, error);

    for (int i = 0; status == HWC_OK && *meet && i < confirmations; i++) {
        bool disturbed;
        status = meet_at(search, parting, parting->line_bytes, &disturbed, error);
        if (status == HWC_OK && disturbed)
            return hwc_fail(error, HWC_UNAVAILABLE, "lines %llu bytes apart part, and then they do not",
                            (unsigned long long)parting->line_bytes);
        if (status == HWC_OK)
            status = meet_at(search, parting, distance, meet, error);
    }
    return status;
}

/* The distance at which the halves meet again. With fillers this level's period
 * is longer than those above. */
static int find_period(struct hwc_search *search, uint64_t stranger, const bool *half, uint64_t line_bytes,
                       uint64_t *period_bytes, struct hwc_error *error)
{
    bool alone = search->fillers > 0 || lies_at_random(search);
    const struct parting parting = {.stranger = stranger, .half = alone ? NULL : half, .line_bytes = line_bytes};
    /* Fillers lie where lines meet at a distance of the period above, and do not meet these: check_fillers. */
    uint64_t above = alone ? hwc_period_above(search->lab, search->plan->level) << (search->fillers > 0) : 0;

    *period_bytes = above > 2 * line_bytes ? above : 2 * line_bytes;
    for (; *period_bytes < search->plan->stride; *period_bytes *= 2) {
        bool meet;
        int status = meet_for_certain(search, &parting, *period_bytes, &meet, error);
        if (status != HWC_OK || meet)
            return status;
    }
    *period_bytes = search->plan->stride;
    return HWC_OK;
}

/* Does a line at this distance from the strangers' place find its set full of
 * kept lines? Some of these, moved as far, put it out of the levels above; where
 * the sets there are others they fit beside each other as the kept ones do. */
static int shares_sets(struct hwc_search *search, const uint64_t strangers[2], uint64_t distance, bool *shares,
                       struct hwc_error *error)
{
    size_t washers = 2 * hwc_ways_above(search->lab, search->plan->level) + 2, count = search->count;
    uint64_t *lines = malloc((2 * count + 1) * sizeof *lines);
    double found = 0;
    bool disturbed = false;
    int status = lines != NULL ? HWC_OK : hwc_fail(error, HWC_NO_MEMORY, "no memory for a search");

    *shares = false;
    if (status == HWC_OK)
        memcpy(lines, search->kept, count * sizeof *lines);
    for (size_t i = 0; status == HWC_OK && i < washers && i < count / 2; i++)
        lines[count++] = search->kept[i] ^ distance;
    for (int i = 0; i < 2 && status == HWC_OK && !*shares; i++) { /* a set of the first may have room left */
        lines[count] = strangers[i] ^ distance;
        status = hwc_ask(search, lines, count + 1, NULL, 0, search->lab->settings.samples, &found, error);
        *shares = status == HWC_OK && hwc_conflicts(search, found);
    }
    if (status == HWC_OK && *shares) /* or others' lines put out some of the kept ones */
        status = hwc_ask_kept(search, &disturbed, error);
    free(lines);
    return status == HWC_OK && disturbed ? hwc_fail_kept(search, error) : status;
}

/* How often a place was seen to share sets, less how often not; and once at least? */
struct place {
    int score;
    bool seen;
};

/* So much of a set makes it what it is: the rest was disturbed, or lay unluckily. */
#define MOST_OF 0.75

/* Of the places that share sets, those that still do so when all are moved by this distance. */
static size_t keep_sharing(const struct place *places, size_t count, size_t distance)
{
    size_t keep = 0;

    for (size_t i = 0; i < count; i++)
        keep += places[i].score > 0 && places[i ^ distance].score > 0;
    return keep;
}

/* Places share sets by bits of the address, hashed or not: with two of them the
 * one at both their distances does. So all but a few of them are moved onto each
 * other by each of them; one that moves them elsewhere is no such place (a line
 * that lay unluckily seems to share sets as often as it is asked). *sharing:
 * how many they are; returns whether they are closed. */
static bool is_closed(const struct place *places, size_t count, size_t *sharing)
{
    size_t all = keep_sharing(places, count, 0);

    *sharing = 0;
    for (size_t i = 0; i < count; i++)
        *sharing += places[i].score > 0 && (double)keep_sharing(places, count, i) >= MOST_OF * (double)all;
    /* then as many as a group of address bits can make, and they are those of the group */
    return (*sharing & (*sharing - 1)) == 0 && (double)*sharing >= MOST_OF * (double)all;
}

/* Of many places few share sets, and neighbours on the machine make some more
 * seem to, in bursts: those that ever did are asked about again, all in turn,
 * until what did most of the time is closed. */
#define MOST_ROUNDS 7

static int ask_places(struct hwc_search *search, const uint64_t strangers[2], uint64_t line_bytes,
                      struct place *places, size_t count, size_t *sharing, struct hwc_error *error)
{
    int least = hwc_may_be_disturbed(search) ? 2 : 1;
    bool closed = false;
    int status = HWC_OK;

    places[0] = (struct place){.score = 2 * MOST_ROUNDS};
    for (int round = 0; status == HWC_OK && round < MOST_ROUNDS && !(closed && round >= least); round++) {
        for (size_t i = 1; i < count && status == HWC_OK; i++) {
            bool shares;
            if (round > 0 && !places[i].seen)
                continue;
            status = shares_sets(search, strangers, i * line_bytes, &shares, error);
            places[i].seen = places[i].seen || shares;
            places[i].score += shares ? 1 : -1;
        }
        if (status == HWC_OK)
            status = hwc_check_time(search, error);
        closed = is_closed(places, count, sharing);
    }
    if (status == HWC_OK && !closed)
        return hwc_fail(error, HWC_UNAVAILABLE, "lines at %zu of %zu places in a page share sets: no even share",
                        *sharing, count);
    return status;
}

/* Where pages lie at random, the kept lines fill all sets that lines at their
 * place in a page can get to. A line at another place finds them full where its
 * sets are among these: at every multiple of a period that is short, and where
 * a hash of the page's address moves the sets about (a Zen 5's second level:
 * four of 64 places share 64 of its 1024 sets; a Zen 3's: eight). The sets are
 * shared out evenly: the mean distance of such places is the period. */
static int count_places(struct hwc_search *search, const uint64_t strangers[2], struct hwc_geometry *geometry,
                        struct hwc_error *error)
{
    size_t count = (size_t)(search->plan->stride / geometry->line_bytes), sharing = 1;
    struct place *places = calloc(count, sizeof *places);
    int status = places != NULL ? HWC_OK : hwc_fail(error, HWC_NO_MEMORY, "no memory for a search");

    if (status == HWC_OK)
        status = ask_places(search, strangers, geometry->line_bytes, places, count, &sharing, error);
    if (status == HWC_OK)
        geometry->period_bytes = search->plan->stride / sharing;
    free(places);
    return status;
}

/* Does the stranger, moved so far, find a set full of kept lines, once and again?
 * Short of the period above it needs fillers of its own. */
static int meets_again(struct hwc_search *search, bool *moves, uint64_t stranger, uint64_t distance, bool *meets,
                       struct hwc_error *error)
{
    uint64_t above = hwc_period_above(search->lab, search->plan->level);
    bool alone = distance % above == 0;
    int status = HWC_OK;

    *meets = true;
    search->kept[search->count] = alone ? stranger ^ distance : stranger;
    for (int asked = 0; asked < 2 && status == HWC_OK && *meets; asked++) /* others may come between */
        status = hwc_ask_whether(search, search->count + 1, alone ? NULL : moves, distance, meets, error);
    return status;
}

/* Behind fillers the period is looked for from twice the one above on, one bit
 * of the address at a time. A line that is moved by less, or by two bits below
 * the period, shares no set with the kept ones, unless a hash moves sets about;
 * then kept x period says nothing of the size. (At the period above lie the
 * fillers.) Once for a level, as no other ballot would say anything else. */
static int check_hash(struct hwc_search *search, uint64_t stranger, const struct hwc_geometry *geometry,
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
                status = meets_again(search, moves, stranger, distance, &meets, error);
        }
    free(moves);
    level.hashed = status == HWC_OK && meets;
    level.hash_asked = status == HWC_OK;
    hwc_know_level(search->lab, search->plan->level, &level);
    if (status == HWC_OK && meets)
        return hwc_fail(error, HWC_UNAVAILABLE, "lines nearer than %llu bytes share sets: its index is hashed",
                        (unsigned long long)geometry->period_bytes);
    return status;
}

int hwc_find_distances(struct hwc_search *search, const uint64_t strangers[2], size_t competitors,
                       struct hwc_geometry *geometry, struct hwc_error *error)
{
    size_t most = search->count + 1;
    struct halves halves = {malloc(most * sizeof *halves.lines), malloc(most * sizeof *halves.moves), 0};
    int status = HWC_OK;

    if (halves.lines == NULL || halves.moves == NULL)
        status = hwc_fail(error, HWC_NO_MEMORY, "no memory for a search");
    if (status == HWC_OK) {
        choose_halves(search, strangers[0], competitors, &halves);
        status = find_line(search, &halves, &geometry->line_bytes, error);
    }
    if (status == HWC_OK && search->plan->level > 1 && search->fillers == 0 && lies_at_random(search))
        status = count_places(search, strangers, geometry, error);
    else if (status == HWC_OK)
        status = find_period(search, strangers[0], halves.moves, geometry->line_bytes, &geometry->period_bytes, error);
    if (status == HWC_OK && search->fillers > 0 && !search->lab->known->level[search->plan->level].hash_asked)
        status = check_hash(search, strangers[0], geometry, error);
    free(halves.lines);
    free(halves.moves);
    return status;
}
