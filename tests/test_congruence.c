/* The number of sets, from how many lines share one (hwc_classes_of), and the places of a page that share sets
 * (hwc_share_evenly). */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>

#include <cmocka.h>

#include "congruence.h"
#include "places.h"
#include "random.h"

#define SEED 20261123

enum { PLACES = 64, MOST_LINES = 1 << 17 };

/* Draw lines in random pages until the number of sets is decided; 0 if it never is. */
static uint64_t draw(struct hwc_random *random, uint64_t sets, size_t *lines)
{
    size_t hits = 0;

    for (*lines = 1; *lines < MOST_LINES; (*lines)++) {
        uint64_t found;
        hits += hwc_random_below(random, sets) == 0;
        found = hwc_classes_of(hits, *lines);
        if (found != 0)
            return found;
    }
    return 0;
}

static void the_number_is_told_by_some_hundred_hits_and_hardly_ever_wrong(void **state)
{
    struct hwc_random random;
    size_t wrong = 0, rounds = 1000;

    (void)state;
    hwc_random_seed(&random, SEED);
    for (size_t round = 0; round < rounds; round++) {
        uint64_t sets = (UINT64_C(1) << hwc_random_below(&random, 7)) * (1 + 2 * hwc_random_below(&random, 2));
        size_t lines;
        wrong += draw(&random, sets, &lines) != sets;
        if (lines > 800 * sets)
            fail_msg("seed %d: %llu sets were not told by %zu lines", SEED, (unsigned long long)sets, lines);
    }
    if (wrong > rounds / 50)
        fail_msg("seed %d: %zu of %zu wrong", SEED, wrong, rounds);
}

static void few_lines_tell_nothing(void **state)
{
    (void)state;
    for (size_t lines = 2; lines < 100; lines++)
        for (size_t hits = 1; hits <= lines / 8; hits++)
            assert_int_equal(hwc_classes_of(hits, lines), 0);
    assert_int_equal(hwc_classes_of(0, 1000), 0);
}

static void every_line_in_one_set_is_one_set(void **state)
{
    (void)state;
    assert_int_equal(hwc_classes_of(100, 100), 1);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_number_is_told_by_some_hundred_hits_and_hardly_ever_wrong),
        cmocka_unit_test(few_lines_tell_nothing),
        cmocka_unit_test(every_line_in_one_set_is_one_set),
        cmocka_unit_test(groups_are_found_whole_or_with_a_place_missing),
        cmocka_unit_test(a_stray_place_is_left_out),
        cmocka_unit_test(places_at_random_are_no_group),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
