#include "congruence.h"

#include <stdlib.h>
#include <string.h>

#include "class_count.h"
#include "eviction_set.h"
#include "shared_places.h"

static const struct {
    size_t few_lines;
    int first_tries, most_tries, most_targets;
    double odds;
    double each_set;
    size_t most_asked;
} policy = {
    /* Lines of many pages bring along page tables and what prefetchers think of, so that of thousands even other sets
     * overflow. */
    .few_lines = 512,
    /* So many tell the number of sets to a factor of about two: enough to ask which places share sets, which with what the
     * level holds tells more of it than as many tries again. */
    .first_tries = 16,
    .most_tries = 150,
    .most_targets = 6,
    .odds = 50, /* an answer in that many may be wrong, which the count of sets allows for, as does that of places */
    /* If a place shares the sets, 2.5 lines there for each of them hit the target's set in 92 of 100 tries. */
    .each_set = 2.5,
    .most_asked = 8, /* times, on the mean */
};

struct classes {
    struct hwc_conflict_test *test;
    uint64_t target;
    uint64_t *lines; /* room for a question: any set that may be found, all candidates, and the target */
    uint64_t line_bytes; /* of the first level: places are that far apart */
    size_t places;       /* in a page */
};

/* That of the eviction set that was found last. */
static void take_target(struct classes *classes)
{
    classes->target = classes->test->candidates[0];
}

/* The target's eviction set without `missing` of its lines, the last ones. */
static size_t lay_out_set(const struct classes *classes, size_t missing)
{
    const struct hwc_conflict_test *test = classes->test;
    size_t count = test->count - missing;

    memcpy(classes->lines, test->kept, count * sizeof *classes->lines);
    return count;
}

/* Append random candidates, `distance` from their place. */
static size_t append_random(struct classes *classes, size_t count, size_t lines, uint64_t distance)
{
    struct hwc_conflict_test *test = classes->test;

    for (size_t i = 0; i < lines; i++) {
        size_t from = i + (size_t)hwc_random_below(&test->lab->random, test->plan->candidates - i);
        hwc_exchange(&test->candidates[from], &test->candidates[i]);
        if (test->candidates[i] != classes->target || distance > 0)
            classes->lines[count++] = test->candidates[i] ^ distance;
    }
    return count;
}

/* Is the target put out behind the first `count` lines, and not behind the first `controls` of them? One that is evicted now
 * and then is one whose set is full, under a policy that spares it at times. */
static int ask_target(struct classes *classes, size_t count, size_t controls, bool *out, struct hwc_error *error)
{
    const struct hwc_beside beside = {classes->lines, count + 1, classes->lines, controls, classes->test->closing,
                                      .odds = policy.odds};
    struct hwc_late_pair pair;
    enum hwc_side side;

    classes->lines[count] = classes->target;
    TRY(hwc_ask_beside(classes->test, &beside, 0, &pair, &side, error));
    *out = side != HWC_BELOW;
    return HWC_OK;
}

/* Do so many random lines, `distance` from the target's place, fill its set where so many are missing? */
static int fill(struct classes *classes, size_t missing, size_t lines, uint64_t distance, bool *full,
                struct hwc_error *error)
{
    size_t first = lay_out_set(classes, missing), count = append_random(classes, first, lines, distance);

    return ask_target(classes, count, first, full, error);
}

/* Do the target's lines evict it, without so many? */
static int evict_without(struct classes *classes, size_t missing, bool *evict, struct hwc_error *error)
{
    return ask_target(classes, lay_out_set(classes, missing), classes->test->closing, evict, error);
}

/* Is the target's set still just full? Others who held a way of it may have gone, or have come: then tries with it tell of
 * another number of lines than are missing. */
static int is_as_found(struct classes *classes, bool *is, struct hwc_error *error)
{
    bool without_one = true;

    TRY(evict_without(classes, 0, is, error));
    if (*is)
        TRY(evict_without(classes, 1, &without_one, error));
    *is = *is && !without_one;
    return HWC_OK;
}

/* That so many lines fill a target's whole set was seen when that was found. */
static void learn_of_set(const struct classes *classes, size_t ways, struct hwc_class_count *count)
{
    size_t enough = classes->test->lab->known->level[classes->test->plan->level].evicting_lines;
    const struct hwc_class_try found = {.missing = ways, .lines = enough, .present = 1};

    hwc_class_count_learn(count, &found, true);
}

/* Tries with one target, until they decide or there have been many. */
static int try_target(struct classes *classes, size_t ways, int tries, struct hwc_class_count *count,
                      struct hwc_error *error)
{
    size_t enough = classes->test->lab->known->level[classes->test->plan->level].evicting_lines;

    for (int i = 0; i < tries && hwc_class_count_decided(count) == 0; i++) {
        const struct hwc_class_try next = hwc_class_count_next(count, ways, policy.few_lines);
        bool full;
        if (next.lines > enough)
            return HWC_OK; /* this set is not what it was when it was found */
        TRY(fill(classes, next.missing, next.lines, 0, &full, error));
        hwc_class_count_learn(count, &next, full);
    }
    return HWC_OK;
}

/* Another target. Its eviction set may have fewer lines, where others hold ways of it, or one or two more, where they held
 * ways of those before: how many lines fill a gap is the same. */
static int next_target(struct classes *classes, size_t *ways, size_t *found, struct hwc_error *error)
{
    TRY(hwc_find_eviction_set(classes->test, found, error));
    if (*found > *ways && *found - *ways > 1 + *found / 16)
        return hwc_fail(error, HWC_INCONCLUSIVE, "%zu lines evict one line, and %zu another", *ways, *found);
    *ways = *found > *ways ? *found : *ways;
    take_target(classes);
    return HWC_OK;
}

/* What the level holds bounds the number of sets, where from `least` to `most` places share them. */
static void expect(const struct classes *classes, size_t ways, uint64_t least, uint64_t most,
                   struct hwc_class_count *count)
{
    const struct hwc_conflict_plan *plan = classes->test->plan;
    double one_set = (double)(ways * plan->stride); /* bytes, at every place */
    double low, high;

    if (hwc_fitted_bounds(classes->test->lab, plan->level, &low, &high))
        hwc_class_count_expect(count, low / one_set * (double)least, high / one_set * (double)most);
}

/* What is learnt of a target counts if it was as it was found, to the end. */
static int try_as_found(struct classes *classes, size_t ways, struct hwc_class_count *count, struct hwc_error *error)
{
    struct hwc_class_count before = *count;
    bool as_found;

    TRY(try_target(classes, ways, policy.most_tries, count, error));
    TRY(is_as_found(classes, &as_found, error));
    if (!as_found)
        *count = before;
    return HWC_OK;
}

/* `count` has learnt of a first target. */
static int count_sets(struct classes *classes, size_t *ways, struct hwc_class_count *count, uint64_t *sets,
                      struct hwc_error *error)
{
    size_t lines = *ways; /* of the target's set */

    *sets = 0;
    for (int i = 0; i < policy.most_targets && *sets == 0; i++) {
        if (i > 0) {
            TRY(next_target(classes, ways, &lines, error));
            hwc_class_count_next_target(count);
            learn_of_set(classes, lines, count);
        }
        TRY(try_as_found(classes, lines, count, error));
        *sets = hwc_class_count_decided(count);
    }
    if (*sets == 0)
        return hwc_fail(error, HWC_INCONCLUSIVE, "over how many sets lines are spread cannot be told from the noise");
    return HWC_OK;
}

static int ask_place(struct classes *classes, size_t lines, size_t place, struct hwc_shared_places *shared,
                     struct hwc_error *error)
{
    bool full;

    TRY(fill(classes, 1, lines, place * classes->line_bytes, &full, error));
    hwc_shared_places_learn(shared, place, full);
    return HWC_OK;
}

/* A miss of the line before the target's may bring in the target, which says nothing of sets. Where it is half of a pair,
 * the target is the first of it (full_set.c). */
static void leave_out_line_before(const struct classes *classes, struct hwc_shared_places *shared)
{
    uint64_t at = classes->target / classes->line_bytes % classes->places;

    if (at > 0)
        hwc_shared_places_leave_out(shared, (size_t)(at ^ (at - 1)));
}

static int ask_places(struct classes *classes, uint64_t sets, struct hwc_level *known, struct hwc_error *error)
{
    size_t lines = (size_t)(policy.each_set * (double)sets) + 1, asked = 0, place, side_by_side;
    struct hwc_shared_places shared;

    if (lines > classes->test->plan->candidates)
        lines = classes->test->plan->candidates;
    hwc_shared_places_begin(&shared, classes->places);
    leave_out_line_before(classes, &shared);
    while ((place = hwc_shared_places_next(&shared)) != 0) {
        if (asked++ == policy.most_asked * classes->places)
            return hwc_fail(error, HWC_INCONCLUSIVE, "which places of a page share sets cannot be told from the noise");
        TRY(ask_place(classes, lines, place, &shared, error));
    }
    known->places_sharing = hwc_shared_places_likely(&shared, &side_by_side);
    known->places_side_by_side = side_by_side;
    return HWC_OK;
}

/* How many places share sets depends on the index alone, so it is asked once per level, whatever a ballot takes for the
 * length of its lines. But where others may work, who fill sets, each ballot asks by itself: one mistake would be theirs
 * all. */
static int know_places(struct classes *classes, uint64_t sets, struct hwc_level *known, struct hwc_error *error)
{
    struct hwc_lab *lab = classes->test->lab;

    *known = lab->known->level[classes->test->plan->level];
    if (known->places_sharing != 0)
        return HWC_OK;
    if (classes->places > HWC_MOST_PLACES)
        return hwc_fail(error, HWC_UNAVAILABLE, "too many lines to a page");
    TRY(ask_places(classes, sets, known, error));
    if (!lab->machine->interference)
        hwc_know_level(lab, classes->test->plan->level, known);
    return HWC_OK;
}

/* How many of the places that share sets are one line's? Those side by side share them where one line covers them, or a
 * miss of one brings in the other; but also where a hash takes in the lowest bits, while lines are as short as places. And
 * where a miss brings in the next line, lines seem long that share no sets. */
static uint64_t places_of_line(const struct classes *classes, const struct hwc_level *known, uint64_t level_line_bytes)
{
    uint64_t places = level_line_bytes / classes->line_bytes;

    return known->places_side_by_side < places ? known->places_side_by_side : places;
}

static int check_set(struct classes *classes, struct hwc_error *error)
{
    bool as_found;

    TRY(is_as_found(classes, &as_found, error));
    return as_found ? HWC_OK : hwc_fail(error, HWC_INCONCLUSIVE, "others put lines out meanwhile");
}

static int count_classes(struct classes *classes, size_t *ways, uint64_t level_line_bytes, uint64_t *sets,
                         uint64_t *places, struct hwc_error *error)
{
    struct hwc_class_count count;
    struct hwc_level known;

    take_target(classes);
    hwc_class_count_begin(&count, classes->test->plan->candidates);
    expect(classes, *ways, 1, classes->places, &count);
    learn_of_set(classes, *ways, &count);
    TRY(try_target(classes, *ways, policy.first_tries, &count, error));
    TRY(know_places(classes, hwc_class_count_likeliest(&count), &known, error));
    TRY(check_set(classes, error));
    expect(classes, *ways, known.places_sharing, known.places_sharing, &count);
    TRY(count_sets(classes, ways, &count, sets, error));
    *places = known.places_sharing / places_of_line(classes, &known, level_line_bytes);
    return HWC_OK;
}

int hwc_count_classes(struct hwc_conflict_test *test, size_t *ways, uint64_t level_line_bytes, uint64_t *sets,
                      uint64_t *places, struct hwc_error *error)
{
    uint64_t line_bytes = test->lab->known->level[1].line_bytes;
    struct classes classes = {.test = test,
                              .line_bytes = line_bytes,
                              .places = (size_t)(test->plan->stride / line_bytes),
                              .lines = malloc(2 * (test->plan->candidates + 1) * sizeof *classes.lines)};
    int status;

    if (classes.lines == NULL)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory for a conflict test");
    status = count_classes(&classes, ways, level_line_bytes, sets, places, error);
    free(classes.lines);
    return status;
}
