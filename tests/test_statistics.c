#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "random.h"
#include "statistics.h"

static void median_of_odd_and_even_counts(void **state)
{
    double odd[] = {5, 1, 3};
    double even[] = {4, 1, 3, 2};

    (void)state;
    assert_true(hwc_median(odd, 3) == 3);
    assert_true(hwc_median(even, 4) == 2.5);
}

/* A clock with steps of 26 shows 70 as 52 or 78: the mean must lie between them, without interrupted readings. */
static void mean_near_the_median_lies_between_steps(void **state)
{
    struct hwc_random random;

    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        double values[400], mean;
        hwc_random_seed(&random, seed);
        for (size_t i = 0; i < 400; i++)
            values[i] = i % 50 == 0 ? 5000 : 26 * (double)(uint64_t)(70.0 / 26 + hwc_random_unit(&random));
        mean = hwc_mean_near_median(values, 400, 65);
        if (mean < 67 || mean > 73)
            fail_msg("seed %llu: %g", (unsigned long long)seed, mean);
    }
}

/* In `some`, four of seven readings are of seven misses; the others were disturbed and are higher. */
static void most_that_agree_are_found_or_none_are(void **state)
{
    double some[] = {7.2, 12.9, 6.8, 9.4, 7.0, 11.3, 7.1}, none[] = {3, 9, 5, 14, 7, 11}, tie[] = {8.2, 4, 8, 4.2};
    double value;

    (void)state;
    assert_true(hwc_most_agree(some, 7, 1, 0.5, &value));
    assert_true(value > 7.04 && value < 7.06);
    assert_false(hwc_most_agree(none, 6, 1, 0.5, &value));
    assert_true(hwc_most_agree(tie, 4, 1, 0.5, &value));
    assert_true(value > 4.09 && value < 4.11);
}

static void nearest_power_rounds_on_a_logarithmic_scale(void **state)
{
    (void)state;
    assert_int_equal(hwc_nearest_power_of_two(1), 1);
    assert_int_equal(hwc_nearest_power_of_two(0.3), 1);
    assert_int_equal(hwc_nearest_power_of_two(63.1), 64);
    assert_int_equal(hwc_nearest_power_of_two(89), 64);
    assert_int_equal(hwc_nearest_power_of_two(92), 128);
    assert_int_equal(hwc_nearest_power_of_two(4000), 4096);
}

static void sets_that_get_lines_by_chance_are_full_by_chance(void **state)
{
    (void)state;
    assert_true(fabs(hwc_poisson_at_least(1, 1) - (1 - exp(-1))) < 1e-12);
    assert_true(fabs(hwc_poisson_at_least(4, 1.875) - 0.1210) < 1e-3);
    assert_true(hwc_poisson_at_least(8, 0.01) < 1e-15);
    assert_true(hwc_poisson_at_least(0, 5) == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(median_of_odd_and_even_counts),
        cmocka_unit_test(mean_near_the_median_lies_between_steps),
        cmocka_unit_test(most_that_agree_are_found_or_none_are),
        cmocka_unit_test(nearest_power_rounds_on_a_logarithmic_scale),
        cmocka_unit_test(sets_that_get_lines_by_chance_are_full_by_chance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
