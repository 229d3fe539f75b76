/* Which readings of a curve others have disturbed, and which the places of pages make long. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <math.h>
#include <stdint.h>

#include <cmocka.h>

#include "random.h"
#include "undisturbed.h"

enum { POINTS = 8, CURVES = 400, SETS = 256, WAYS = 4 };

/* Cycles of a reference to so many pages that fall on sets of few ways by chance; what is left over takes long. */
static double at_random_places(unsigned pages, struct hwc_random *random)
{
    unsigned lines[SETS] = {0}, over = 0;

    for (unsigned i = 0; i < pages; i++)
        over += ++lines[hwc_random_below(random, SETS)] > WAYS;
    return 14 + 186.0 * over / pages;
}

static void draw_curve(struct hwc_repeats *point, double *expected, struct hwc_random *random)
{
    for (unsigned i = 0; i < POINTS; i++) {
        unsigned pages = (unsigned)(256 * exp2((double)i / 4));
        point[i] = (struct hwc_repeats){.count = HWC_MOST_REPEATS};
        for (unsigned k = 0; k < HWC_MOST_REPEATS; k++) {
            point[i].value[k] = at_random_places(pages, random);
            expected[i] += point[i].value[k] / HWC_MOST_REPEATS / CURVES;
        }
    }
}

/* Their readings are skewed: the longest of them count as well. */
static void levels_of_few_ways_are_not_made_faster(void **state)
{
    double expected[POINTS] = {0}, mean[POINTS] = {0};
    struct hwc_random random;

    (void)state;
    hwc_random_seed(&random, 1);
    for (unsigned curve = 0; curve < CURVES; curve++) {
        struct hwc_repeats point[POINTS];
        draw_curve(point, expected, &random);
        for (unsigned i = 0; i < POINTS; i++)
            mean[i] += hwc_undisturbed(point, POINTS, i).mean / CURVES;
    }
    for (unsigned i = 0; i < POINTS; i++) {
        print_message("%.2f of %.2f cycles\n", mean[i], expected[i]);
        assert_true(mean[i] <= expected[i] + 1e-9);
        assert_true(mean[i] > 0.99 * expected[i]);
    }
}

static void what_others_did_in_a_round_is_left_out(void **state)
{
    static const struct hwc_repeats point[] = {
        {{10, 10.1, 13, 10.2, 10.1}, 5},
        {{20, 20.1, 19.8, 26, 20.3}, 5},
        {{30, 39, 45, 30.1, 30.3}, 5},
        {{40, 41, 52}, 3},
        {{50, 65}, 2},
    };

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(hwc_undisturbed(point, 5, i).readings, i < 2 ? 4 : 3);
        assert_true(hwc_undisturbed(point, 5, i).mean < 10.2 * (double)(i + 1));
    }
    assert_int_equal(hwc_undisturbed(point, 5, 3).readings, 2);
    assert_int_equal(hwc_undisturbed(point, 5, 4).readings, 2);
}

/* Rounds go over all points: a reading that is slow alone may be slow for where its pages lie. */
static void what_is_slow_at_one_point_alone_is_no_burst(void **state)
{
    static const struct hwc_repeats point[] = {
        {{10, 10.1, 13, 10.2, 10.1}, 5},
        {{20, 20.1, 27, 19.9, 20.3}, 5},
        {{30, 30.2, 39, 45, 30.3}, 5},
        {{40, 40.2, 40.4, 40.1, 40.3}, 5},
    };

    (void)state;
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(hwc_without_bursts(point, 4, i).readings, 4);
    assert_int_equal(hwc_undisturbed(point, 4, 2).readings, 3);
    assert_int_equal(hwc_undisturbed(point, 4, 2).disturbed, 2);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(hwc_without_bursts(point, 2, i).readings, 5);
}

/* Where others take most of the time, what is taken off for translation may be more than all. */
static void a_point_below_zero_keeps_readings(void **state)
{
    static const struct hwc_repeats point[] = {{.value = {-8.8, 12, -9.1, -8.9}, .count = 4}};
    struct hwc_tally tally = hwc_undisturbed(point, 1, 0);

    (void)state;
    assert_true(tally.readings >= 2);
    assert_true(isfinite(tally.mean));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_of_few_ways_are_not_made_faster),
        cmocka_unit_test(what_others_did_in_a_round_is_left_out),
        cmocka_unit_test(what_is_slow_at_one_point_alone_is_no_burst),
        cmocka_unit_test(a_point_below_zero_keeps_readings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
