#include "grow.h"

#include <string.h>

/* Few samples while growing: a line turned away by noise is replaced by
 * another, and noise never lets one in. By a counter one is enough to turn a
 * line away, as most are in the end. */
#define GROWING_SAMPLES 3

static unsigned growing_samples(const struct hwc_search *search, bool certain)
{
    return search->witness->kind == HWC_COUNTER && !certain ? 1 : GROWING_SAMPLES;
}

size_t hwc_lines_on_trust(const struct hwc_search *search)
{
    if (hwc_counts(search->witness) || search->fillers > 0 || search->plan->level == 1)
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

/* More lines than any footprint speaks for: something that conflicts was let in. */
static bool is_too_large(const struct hwc_search *search)
{
    uint64_t most = 2 * search->lab->level[search->plan->level].rough_high;

    /* With a stride beyond the period, lines say nothing of bytes. */
    return search->plan->stride <= search->lab->machine->page_bytes && most > 0 &&
           search->count * search->plan->stride > most && search->count > 2 * hwc_lines_on_trust(search);
}

static int check_sense(const struct hwc_search *search, struct hwc_error *error)
{
    if (is_too_large(search))
        return hwc_fail(error, HWC_UNAVAILABLE, "%zu lines %llu bytes apart fit, more than footprints speak for",
                        search->count, (unsigned long long)search->plan->stride);
    return hwc_check_time(search, error);
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
        if (status == HWC_OK && !conflict && is_leap(search, batch))
            status = hwc_conflict_with_half(search, search->count + batch, &conflict, error);
        if (status != HWC_OK)
            return status;
        if (!conflict) {
            search->count += batch;
            search->kept_cost = search->last_cost / (double)search->walk.count;
            *used += batch;
            batch *= 2;
            turned_away = 0;
        } else if (batch > 1) {
            batch /= 2;
        } else {
            if (strangers->count++ == 0 || found > strangers->misses) {
                strangers->line = candidates[*used];
                strangers->misses = found;
            }
            strangers->last = candidates[*used];
            *used += 1;
            turned_away++;
        }
    }
    return HWC_OK;
}
