/* The number of sets, from how many lines fill one (class_count.h), and the places of a page that share sets
 * (hwc_share_evenly). */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>

#include <cmocka.h>

#include "class_count.h"
#include "places.h"
#include "random.h"
#include "shared_places.h"

#define SEED 20261123

enum { PLACES = 64, POOL = 20000, FEW = 512, MOST_TRIES = 150, MOST_TARGETS = 12 };

/* The members of a target's class in a pool where each line falls into it one time in `sets`. */
static size_t draw_class(struct hwc_random *random, uint64_t sets)
{
    size_t members = 0;

    for (int i = 0; i < POOL; i++)
        members += hwc_random_below(random, sets) == 0;
    return members;
}

/* Do so many lines, drawn from the pool without putting any back, hold enough members of the class? The first of them are
 * in the set already. */
static bool is_filled(struct hwc_random *random, const struct hwc_class_try *tried, size_t members)
{
    size_t found = 0, fill = 0;

    for (size_t i = 0; i < tried->lines && i < POOL; i++) {
        if (hwc_random_below(random, POOL - i) >= members - found)
            continue;
        found++;
        fill += hwc_random_below(random, members) >= tried->present;
    }
    return fill >= tried->missing;
}

/* What is expected; high = 0: nothing. */
struct range {
    double low, high;
};

/* So many tries of a hundred are wrong, or filled by others. 0 if the number is not decided. */
struct faults {
    uint64_t wrong, filled;
};

static bool answer(struct hwc_random *random, const struct hwc_class_try *tried, size_t members,
                   const struct faults *faults)
{
    bool wrong = hwc_random_below(random, 100) < faults->wrong, filled = hwc_random_below(random, 100) < faults->filled;

    return (is_filled(random, tried, members) || filled) != wrong;
}

static uint64_t count_expecting(struct hwc_random *random, uint64_t sets, size_t ways, const struct faults *faults,
                                const struct range *range, int *targets)
{
    struct hwc_class_count classes;

    hwc_class_count_begin(&classes, POOL);
    if (range->high > 0)
        hwc_class_count_expect(&classes, range->low, range->high);
    for (*targets = 1; *targets <= MOST_TARGETS; (*targets)++) {
        size_t members = draw_class(random, sets);
        for (int i = 0; i < MOST_TRIES && hwc_class_count_decided(&classes) == 0; i++) {
            struct hwc_class_try next = hwc_class_count_next(&classes, ways, FEW);
            hwc_class_count_learn(&classes, &next, answer(random, &next, members, faults));
        }
        if (hwc_class_count_decided(&classes) != 0)
            return hwc_class_count_decided(&classes);
        hwc_class_count_next_target(&classes);
    }
    return 0;
}

static uint64_t count(struct hwc_random *random, uint64_t sets, size_t ways, const struct faults *faults, int *targets)
{
    return count_expecting(random, sets, ways, faults, &(struct range){0}, targets);
}

/* In how many of a hundred counts may the number be wrong? */
static void counts_well(const struct faults *faults, size_t most_wrong)
{
    struct hwc_random random;
    size_t wrong = 0, undecided = 0, rounds = 300;

    hwc_random_seed(&random, SEED);
    for (size_t round = 0; round < rounds; round++) {
        uint64_t sets = (UINT64_C(1) << hwc_random_below(&random, 9)) * (1 + 2 * hwc_random_below(&random, 2));
        int targets;
        uint64_t found = count(&random, sets, 1 + hwc_random_below(&random, 16), faults, &targets);
        wrong += found != sets && found != 0;
        undecided += found == 0;
    }
    if (100 * wrong > most_wrong * rounds || 100 * undecided > 10 * rounds)
        fail_msg("seed %d: %zu of %zu wrong, %zu undecided", SEED, wrong, rounds, undecided);
}

static void the_number_is_told_by_a_few_targets_and_hardly_ever_wrong(void **state)
{
    (void)state;
    counts_well(&(struct faults){0}, 1);
}

static void a_wrong_try_now_and_then_does_no_harm(void **state)
{
    (void)state;
    counts_well(&(struct faults){.wrong = 2}, 1);
}

static void sets_that_others_fill_at_times_are_counted(void **state)
{
    (void)state;
    /* Of 1500, 12 are wrong (0.8 %). Of 300, chance makes it up to 2: how a build rounds changes what is drawn. */
    counts_well(&(struct faults){.wrong = 1, .filled = 15}, 2);
}

/* How many targets in all, where the number is expected to lie from `low` to `high` times the right one? */
static int targets_expecting(double low, double high)
{
    struct hwc_random random;
    int all = 0, wrong = 0, rounds = 200;

    hwc_random_seed(&random, SEED);
    for (int round = 0; round < rounds; round++) {
        uint64_t sets = UINT64_C(2) << hwc_random_below(&random, 9);
        const struct range range = {low * (double)sets, high * (double)sets};
        int targets;
        wrong += count_expecting(&random, sets, 8, &(struct faults){0}, &range, &targets) != sets;
        all += targets;
    }
    if (wrong > rounds / 20)
        fail_msg("seed %d, %.1f to %.1f: %d of %d wrong or undecided", SEED, low, high, wrong, rounds);
    return all;
}

/* What bounds the number saves targets, and does not decide: where it is wrong, more targets tell. */
static void expectations_help_and_do_not_decide(void **state)
{
    int without, right, wrong;

    (void)state;
    without = targets_expecting(0, 0);
    right = targets_expecting(0.8, 1.2);
    wrong = targets_expecting(1.8, 2.2);
    if (right > 0.9 * without || right > 0.9 * wrong)
        fail_msg("%d targets without, %d with the right expectation, %d with a wrong one", without, right, wrong);
}

static void a_number_that_the_pool_cannot_fill_is_not_told(void **state)
{
    struct hwc_random random;
    int targets;

    (void)state;
    hwc_random_seed(&random, SEED);
    assert_int_equal(count(&random, UINT64_C(1) << 20, 8, &(struct faults){0}, &targets), 0);
}

static void every_line_in_one_set_is_one_set(void **state)
{
    struct hwc_random random;
    int targets;

    (void)state;
    hwc_random_seed(&random, SEED);
    assert_int_equal(count(&random, 1, 8, &(struct faults){0}, &targets), 1);
    assert_int_equal(targets, 1);
}

static void a_few_tries_tell_nothing(void **state)
{
    struct hwc_class_count classes;

    (void)state;
    hwc_class_count_begin(&classes, POOL);
    assert_int_equal(hwc_class_count_decided(&classes), 0);
    for (int i = 0; i < 6; i++) {
        struct hwc_class_try next = hwc_class_count_next(&classes, 8, FEW);
        hwc_class_count_learn(&classes, &next, i % 2 == 0);
        assert_int_equal(hwc_class_count_decided(&classes), 0);
    }
}

/* Mark every place whose distance is an exclusive or of some of these bits. */
static void span(const size_t *bits, size_t count, bool *shares)
{
    for (size_t chosen = 0; chosen < (size_t)1 << count; chosen++) {
        size_t place = 0;
        for (size_t i = 0; i < count; i++)
            place ^= chosen >> i & 1 ? bits[i] : 0;
        shares[place] = true;
    }
}

static void groups_are_found_whole_or_with_a_place_missing(void **state)
{
    static const size_t bits[] = {3, 12, 48};
    size_t sharing;

    (void)state;
    for (size_t count = 0; count <= 3; count++) {
        bool shares[PLACES] = {0};
        span(bits, count, shares);
        assert_true(hwc_share_evenly(shares, PLACES, &sharing));
        assert_int_equal(sharing, (size_t)1 << count);
    }
}

static void a_stray_place_is_left_out(void **state)
{
    static const size_t bits[] = {1, 2, 4};
    bool shares[PLACES] = {0};
    size_t sharing;

    (void)state;
    span(bits, 3, shares);
    shares[40] = true;
    assert_true(hwc_share_evenly(shares, PLACES, &sharing));
    assert_int_equal(sharing, 8);
    assert_false(shares[40]);
    assert_true(shares[1] && shares[7]);
}

static void places_at_random_are_no_group(void **state)
{
    struct hwc_random random;

    (void)state;
    hwc_random_seed(&random, SEED);
    for (int round = 0; round < 500; round++) {
        bool shares[PLACES] = {[0] = true};
        size_t sharing;
        for (size_t i = 1; i < PLACES; i++)
            shares[i] = hwc_random_below(&random, 3) == 0;
        if (hwc_share_evenly(shares, PLACES, &sharing))
            fail_msg("seed %d, round %d: %zu places", SEED, round, sharing);
    }
}

/* Of a hundred answers, how many are wrong about a place that shares sets, and about one that does not? */
struct mistakes {
    uint64_t missed, mistaken;
};

static size_t count_sharing(struct hwc_random *random, size_t places, const bool *shares,
                            const struct mistakes *mistakes, size_t most, size_t *asked)
{
    struct hwc_shared_places count;
    size_t place;

    hwc_shared_places_begin(&count, places);
    for (*asked = 0; *asked < most && (place = hwc_shared_places_next(&count)) != 0; (*asked)++) {
        bool wrong = hwc_random_below(random, 100) < (shares[place] ? mistakes->missed : mistakes->mistaken);
        hwc_shared_places_learn(&count, place, shares[place] != wrong);
    }
    return *asked < most ? hwc_shared_places_likely(&count, NULL) : 0;
}

static void places_that_share_sets_are_counted(const struct mistakes *mistakes, size_t most_asked)
{
    enum { ROUNDS = 200, EACH = 8 };
    size_t wrong = 0, undecided = 0, all = 0;
    struct hwc_random random;

    hwc_random_seed(&random, SEED);
    for (int round = 0; round < ROUNDS; round++) {
        size_t places = (size_t)32 << hwc_random_below(&random, 3), bits[4], dimensions, asked, found, right = 0;
        bool shares[HWC_MOST_PLACES] = {0};
        dimensions = hwc_random_below(&random, 5);
        for (size_t i = 0; i < dimensions; i++)
            bits[i] = 1 + hwc_random_below(&random, places - 1);
        span(bits, dimensions, shares);
        for (size_t i = 0; i < places; i++)
            right += shares[i];
        found = count_sharing(&random, places, shares, mistakes, EACH * places, &asked);
        wrong += found != 0 && found != right;
        undecided += found == 0;
        all += asked;
    }
    if (wrong > ROUNDS / 50 || undecided > ROUNDS / 20 || all > most_asked * ROUNDS)
        fail_msg("seed %d: %zu of %d wrong, %zu undecided, %zu answers each", SEED, wrong, ROUNDS, undecided,
                 all / ROUNDS);
}

static void few_answers_are_needed_where_hardly_any_is_wrong(void **state)
{
    (void)state;
    places_that_share_sets_are_counted(&(struct mistakes){.missed = 10, .mistaken = 1}, 200);
}

static void wrong_answers_cost_a_few_more(void **state)
{
    (void)state;
    places_that_share_sets_are_counted(&(struct mistakes){.missed = 20, .mistaken = 15}, 500);
}

/* Nothing is asked of those, and so they join with others only. */
static void places_may_be_left_out(void **state)
{
    struct hwc_shared_places count;
    size_t place, side_by_side;

    (void)state;
    hwc_shared_places_begin(&count, PLACES);
    for (place = 1; place < 8; place++)
        hwc_shared_places_leave_out(&count, place);
    while ((place = hwc_shared_places_next(&count)) != 0) {
        assert_true(place >= 8);
        hwc_shared_places_learn(&count, place, place == 24 || place == 25);
    }
    assert_int_equal(hwc_shared_places_likely(&count, &side_by_side), 4); /* 0, 1, 24, 25 */
    assert_int_equal(side_by_side, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_number_is_told_by_a_few_targets_and_hardly_ever_wrong),
        cmocka_unit_test(a_wrong_try_now_and_then_does_no_harm),
        cmocka_unit_test(sets_that_others_fill_at_times_are_counted),
        cmocka_unit_test(expectations_help_and_do_not_decide),
        cmocka_unit_test(a_number_that_the_pool_cannot_fill_is_not_told),
        cmocka_unit_test(every_line_in_one_set_is_one_set),
        cmocka_unit_test(a_few_tries_tell_nothing),
        cmocka_unit_test(groups_are_found_whole_or_with_a_place_missing),
        cmocka_unit_test(a_stray_place_is_left_out),
        cmocka_unit_test(places_at_random_are_no_group),
        cmocka_unit_test(few_answers_are_needed_where_hardly_any_is_wrong),
        cmocka_unit_test(wrong_answers_cost_a_few_more),
        cmocka_unit_test(places_may_be_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
