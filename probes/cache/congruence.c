#include "congruence.h"

#include <math.h>
#include <stdlib.h>

#include "places.h"

static const struct {
    double likelier;
    /* Lines tested at another place, per set. If that place shares the sets, eight of them hit on average, and fewer
     * than three one time in seventy. If it does not, three hits would be three errors. */
    size_t for_each, enough;
    int confirmations;
} policy = {.likelier = 100, .for_each = 8, .enough = 3, .confirmations = 3};

/* Log-likelihood of so many hits if one line in `sets` shares the set. */
static double likelihood(double sets, size_t hits, size_t lines)
{
    double misses = (double)(lines - hits);

    return (misses > 0 ? misses * log1p(-1 / sets) : 0) - (double)hits * log(sets);
}

/* Wald's sequential test: a number of sets is returned once it is policy.likelier times as likely as any other. */
uint64_t hwc_classes_of(size_t hits, size_t lines)
{
    double best = -INFINITY, second = -INFINITY;
    uint64_t found = 0;

    for (uint64_t power = 1; power <= 4 * (uint64_t)lines; power *= 2)
        for (uint64_t sets = power; sets <= 3 * power; sets += 2 * power) {
            double found_here = likelihood((double)sets, hits, lines);
            second = fmax(second, fmin(best, found_here));
            if (found_here > best)
                found = sets;
            best = fmax(best, found_here);
        }
    return best - second > log(policy.likelier) ? found : 0;
}

struct classes {
    struct hwc_conflict_test *test;
    uint64_t *lines; /* room for a question */
    uint64_t line;
    uint64_t line_bytes;
    size_t places;      /* in a page */
    size_t place;       /* of the lines tested: distance in lines from classes->line */
    size_t next;        /* candidate to test there */
    size_t hits, asked; /* so far */
};

/* The kept fillers, moved to the tested line's place; if wanted, the set and its line; last, the tested line. */
static size_t lay_out(struct classes *classes, uint64_t asked, uint64_t distance, bool with_set)
{
    struct hwc_conflict_test *test = classes->test;
    size_t count = 0;

    for (size_t i = 0; i < test->count; i++) {
        if (!test->competes[i])
            classes->lines[count++] = test->kept[i] ^ distance;
        else if (with_set)
            classes->lines[count++] = test->kept[i];
    }
    if (with_set)
        classes->lines[count++] = classes->line;
    classes->lines[count++] = asked;
    return count;
}

static int is_put_out(struct classes *classes, uint64_t asked, uint64_t distance, bool with_set, bool *out,
                      struct hwc_error *error)
{
    size_t count = lay_out(classes, asked, distance, with_set);
    enum hwc_side side;

    TRY(hwc_ask(classes->test, classes->lines, count, NULL, 0, HWC_SURELY, &side, NULL, error));
    *out = side != HWC_BELOW; /* other lines are never evicted: one that straddles is kept by the policy now and then */
    return HWC_OK;
}

/* Is the line evicted every time? Among many lines of other sets, one may be evicted once by chance. */
static int is_put_out_again(struct classes *classes, uint64_t asked, uint64_t distance, bool with_set, bool *out,
                            struct hwc_error *error)
{
    *out = true;
    for (int i = 0; i < policy.confirmations && *out; i++)
        TRY(is_put_out(classes, asked, distance, with_set, out, error));
    return HWC_OK;
}

/* A line shares the set if the set with its line evicts it and the fillers alone do not. */
static int shares_set(struct classes *classes, size_t place, bool *shares, struct hwc_error *error)
{
    uint64_t distance = place * classes->line_bytes, asked;
    bool filled = false;

    TRY(hwc_check_time(classes->test, error));
    asked = classes->test->candidates[classes->next++] ^ distance;
    TRY(is_put_out_again(classes, asked, distance, true, shares, error));
    if (*shares)
        TRY(is_put_out_again(classes, asked, distance, false, &filled, error));
    *shares = *shares && !filled;
    return HWC_OK;
}

static int place_shares(struct classes *classes, uint64_t sets, size_t place, bool *shares, struct hwc_error *error)
{
    size_t hits = 0;

    for (uint64_t i = 0; i < policy.for_each * sets && hits < policy.enough; i++) {
        bool hit;
        if (classes->next == classes->test->plan->candidates)
            classes->next = 0;
        TRY(shares_set(classes, place, &hit, error));
        hits += hit;
    }
    *shares = hits >= policy.enough;
    return HWC_OK;
}

static int ask_places(struct classes *classes, uint64_t sets, bool *shares, struct hwc_error *error)
{
    size_t first = classes->next, sharing = 0;

    shares[0] = true;
    for (size_t i = 1; i < classes->places; i++)
        TRY(place_shares(classes, sets, i, &shares[i], error));
    classes->next = first;
    if (!hwc_share_evenly(shares, classes->places, &sharing))
        return hwc_fail(error, HWC_INCONCLUSIVE, "lines at %zu of %zu places in a page share sets: no even share",
                        sharing, classes->places);
    return HWC_OK;
}

static bool has_bit(const uint64_t *bits, size_t at)
{
    return bits[at / 64] >> at % 64 & 1;
}

/* Which places share sets depends on the index alone, so it is asked once per level. `sets` may be approximate. */
static int know_places(struct classes *classes, uint64_t sets, struct hwc_error *error)
{
    struct hwc_lab *lab = classes->test->lab;
    struct hwc_level known = lab->known->level[classes->test->plan->level];
    bool shares[64 * sizeof known.sharing / sizeof *known.sharing] = {false};

    if (known.sharing[0] != 0)
        return HWC_OK;
    if (classes->places > sizeof shares)
        return hwc_fail(error, HWC_UNAVAILABLE, "too many lines to a page");
    TRY(ask_places(classes, sets, shares, error));
    for (size_t i = 0; i < classes->places; i++)
        known.sharing[i / 64] |= (uint64_t)shares[i] << i % 64;
    hwc_know_level(lab, classes->test->plan->level, &known);
    return HWC_OK;
}

/* All lines at this place were tested: go on to the next place that maps to the same sets. */
static int go_on(struct classes *classes, struct hwc_error *error)
{
    const uint64_t *sharing = classes->test->lab->known->level[classes->test->plan->level].sharing;

    if (classes->hits < policy.enough)
        return hwc_fail(error, HWC_INCONCLUSIVE, "too few of %zu lines share a set", classes->asked);
    TRY(know_places(classes, classes->asked / classes->hits, error));
    do
        classes->place++;
    while (classes->place < classes->places && !has_bit(sharing, classes->place));
    classes->next = 0;
    if (classes->place == classes->places)
        return hwc_fail(error, HWC_INCONCLUSIVE,
                        "of %zu lines %zu share a set: too few to tell how many sets there are",
                        classes->asked, classes->hits);
    return HWC_OK;
}

static int count_sets(struct classes *classes, uint64_t *sets, struct hwc_error *error)
{
    for (*sets = 0; *sets == 0; *sets = hwc_classes_of(classes->hits, classes->asked)) {
        bool hit;
        if (classes->next == classes->test->plan->candidates)
            TRY(go_on(classes, error));
        TRY(shares_set(classes, classes->place, &hit, error));
        classes->hits += hit;
        classes->asked++;
    }
    return know_places(classes, *sets, error);
}

static uint64_t count_places(const struct classes *classes)
{
    const uint64_t *sharing = classes->test->lab->known->level[classes->test->plan->level].sharing;
    uint64_t places = 0;

    for (size_t i = 0; i < classes->places; i++)
        places += has_bit(sharing, i);
    return places;
}

int hwc_count_classes(struct hwc_conflict_test *test, uint64_t line, size_t used, uint64_t line_bytes, uint64_t *sets,
                      uint64_t *places, struct hwc_error *error)
{
    struct classes classes = {.test = test,
                              .line = line,
                              .line_bytes = line_bytes,
                              .places = (size_t)(test->plan->stride / line_bytes),
                              .next = used,
                              .lines = malloc((test->count + 2) * sizeof *classes.lines)};
    int status;

    if (classes.lines == NULL)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory for a conflict test");
    status = count_sets(&classes, sets, error);
    *places = count_places(&classes);
    free(classes.lines);
    return status;
}
