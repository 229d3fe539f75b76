#include "grow.h"

#include <math.h>
#include <string.h>

/* Few samples while growing: a line turned away by noise is replaced by
 * another, and noise never lets one in. By a counter one is enough to turn a
 * line away, as most are in the end. */
#define GROWING_SAMPLES 3

static unsigned growing_samples(const struct hwc_search *search, bool certain)
{
    if (hwc_asks_of_last(search) && certain)
        return search->lab->settings.samples;
    return search->witness->kind == HWC_COUNTER && !certain ? 1 : GROWING_SAMPLES;
}

size_t hwc_lines_on_trust(const struct hwc_search *search)
{
    if (hwc_counts(search->witness) || hwc_asks_of_last(search) || search->fillers > 0 || search->plan->level == 1)
        return 1;
    return 2 * hwc_ways_above(search->lab, search->plan->level) + 2;
}

/* Do `batch` lines behind the kept ones conflict? On a noisy machine a line
 * that is let in by mistake spoils all that follows, as the kept lines are what
 * others are held against; so is the first that is thought a stranger. Those
 * are asked again, and the third answer decides where two differ. */
static int conflict_of_more(struct hwc_search *search, size_t batch, bool certain, bool *conflict, double *found,
                            struct hwc_error *error)
{
    size_t count = search->count + batch;
    unsigned samples = search->lab->settings.samples;
    bool first;
    int status = hwc_ask(search, search->kept, count, NULL, 0, growing_samples(search, certain), found, error);

    *conflict = first = status == HWC_OK && hwc_conflicts(search, *found);
    if (status != HWC_OK || !hwc_goes_beside(search) || (first && !certain))
        return status;
    status = hwc_ask(search, search->kept, count, NULL, 0, samples, found, error);
    if (status == HWC_OK && hwc_conflicts(search, *found) != first)
        status = hwc_ask(search, search->kept, count, NULL, 0, 2 * samples, found, error);
    *conflict = status == HWC_OK && hwc_conflicts(search, *found);
    return status;
}

/* Batches that change much of what others are held against. */
static bool is_leap(const struct hwc_search *search, size_t batch)
{
    return hwc_goes_beside(search) && batch >= 8 && 4 * batch >= search->count;
}

int hwc_conflict_with_half(struct hwc_search *search, size_t count, bool *conflict, struct hwc_error *error)
{
    int status;

    search->against_half = true;
    status = hwc_ask_whether(search, count, NULL, 0, conflict, error);
    search->against_half = false;
    return status;
}

/* More lines than any footprint speaks for: something that conflicts was let
 * in. Lines one page apart may use every set, where a hash spreads them. */
static bool is_too_large(const struct hwc_search *search)
{
    uint64_t most = 2 * search->lab->known->level[search->plan->level].rough_high;

    /* With a stride beyond the period, lines say nothing of bytes. */
    return search->plan->stride <= search->lab->machine->page_bytes && most > 0 &&
           search->count * search->lab->known->level[1].line_bytes > most && search->count > 2 * hwc_lines_on_trust(search);
}

static int check_sense(const struct hwc_search *search, struct hwc_error *error)
{
    if (is_too_large(search))
        return hwc_fail(error, HWC_UNAVAILABLE, "%zu lines %llu bytes apart fit, more than footprints speak for",
                        search->count, (unsigned long long)search->plan->stride);
    return hwc_check_time(search, error);
}

/* Where each answer is uncertain, one that lets a line in when most have been
 * turned away is asked for again, and does not mean that there is more room. */
#define MOST_TURNED_AWAY 16

static bool is_late_guest(const struct hwc_search *search, size_t turned_away)
{
    return hwc_asks_of_last(search) && turned_away > MOST_TURNED_AWAY;
}

/* Put out now and then only: no line to hold others against. */
#define DOUBTFUL_SHARE 0.75

static bool is_doubtful(const struct hwc_search *search, double found)
{
    return hwc_asks_of_last(search) && found < DOUBTFUL_SHARE;
}

/* Of strangers, the one that costs most. Asked of alone each costs one miss, and any other number was disturbed. */
static bool stands_out(const struct hwc_search *search, double found, double before)
{
    return hwc_asks_of_last(search) ? fabs(found - 1) < fabs(before - 1) : found > before;
}

static void keep_stranger(const struct hwc_search *search, uint64_t line, double found, struct hwc_strangers *strangers)
{
    if (strangers->count++ == 0 || stands_out(search, found, strangers->misses)) {
        strangers->line = line;
        strangers->misses = found;
    }
    strangers->last = line;
}

/* Counting slow references, one answer in hundreds lets a line in that does not
 * fit, and from then on none seems to. So many that were turned away in a row
 * are reason to ask about the kept lines themselves, and to let the last go. */
#define REASON_TO_DOUBT 24
#define MOST_LET_GO 4

static int let_go(struct hwc_search *search, size_t turned_away, struct hwc_error *error)
{
    bool conflict = turned_away % REASON_TO_DOUBT == 0;
    int status = HWC_OK;

    for (int i = 0; status == HWC_OK && conflict; i++) {
        status = hwc_ask_kept(search, &conflict, error);
        if (status == HWC_OK && conflict && (i >= MOST_LET_GO || search->count <= 1))
            return hwc_fail_kept(search, error);
        search->count -= conflict;
    }
    return status;
}

int hwc_grow(struct hwc_search *search, const uint64_t *candidates, size_t available, size_t patience, size_t enough,
             size_t *used, struct hwc_strangers *strangers, struct hwc_error *error)
{
    size_t batch = 1;
    size_t turned_away = 0;

    while (*used < available && turned_away < patience && strangers->count < enough) {
        double found;
        bool conflict;
        size_t left = available - *used;
        int status = check_sense(search, error);

        if (status != HWC_OK)
            return status;
        if (batch > left)
            batch = left;
        memcpy(search->kept + search->count, candidates + *used, batch * sizeof *candidates);
        status = conflict_of_more(search, batch, batch == 1 && enough < SIZE_MAX, &conflict, &found, error);
        if (status == HWC_OK && !conflict && is_late_guest(search, turned_away))
            status = conflict_of_more(search, batch, true, &conflict, &found, error);
        if (status == HWC_OK && !conflict && is_leap(search, batch))
            status = hwc_conflict_with_half(search, search->count + batch, &conflict, error);
        if (status != HWC_OK)
            return status;
        if (!conflict) {
            search->count += batch;
            search->kept_cost = search->last_cost / (double)search->walk.count;
            *used += batch;
            batch *= hwc_asks_of_last(search) ? 1 : 2;
            turned_away = is_late_guest(search, turned_away) ? turned_away / 2 : 0;
        } else if (batch > 1) {
            batch /= 2;
        } else {
            if (!is_doubtful(search, found))
                keep_stranger(search, candidates[*used], found, strangers);
            *used += 1;
            turned_away++;
            status = let_go(search, turned_away, error);
            if (status != HWC_OK)
                return status;
        }
    }
    return HWC_OK;
}
