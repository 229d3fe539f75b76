/* What a cyclic walk over a growing array costs: the model of a level that is outgrown, found again in its points. */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "ramp.h"
#include "random.h"

static struct hwc_random random_numbers;

/* Every overflown set of a level of LRU sets, one line more at a time. */
static double share_of(double bytes, double capacity, double ways, double line)
{
    double lines = ceil(bytes / line), missing = 0;
    unsigned sets = (unsigned)(capacity / ways / line);

    for (unsigned set = 0; set < sets; set++) {
        double in_set = floor(lines / sets) + (set < fmod(lines, sets));
        missing += in_set > ways ? in_set : 0;
    }
    return missing / lines;
}

static size_t draw(struct hwc_sized_cost *points, double capacity, double ways, double noise)
{
    size_t count = 0;

    for (int i = 0; exp2(i / 40.0) < 1.9 * 2.2; i++) {
        double bytes = capacity / 1.9 * exp2(i / 40.0);
        double whole = floor(bytes / 512) * 512, cost = 2 + 10 * share_of(whole, capacity, ways, 64);
        points[count++] = (struct hwc_sized_cost){whole, cost * (1 + noise * hwc_random_normal(&random_numbers))};
    }
    return count;
}

static void a_level_is_found_again(void **state)
{
    static const double ways[] = {1, 2, 3, 4, 8, 12, 16, 20};
    struct hwc_sized_cost points[128];

    (void)state;
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        double capacity = ways[i] * 8192;
        struct hwc_ramp ramp;
        hwc_fit_ramp(points, draw(points, capacity, ways[i], 0.001), &ramp);
        print_message("%g ways: %.0f, %.0f to %.0f, residual %.3f\n", ways[i], ramp.capacity - capacity,
                      ramp.low - capacity, ramp.high - capacity, ramp.residual);
        assert_true(ramp.fits);
        assert_true(ramp.low <= capacity && capacity <= ramp.high);
        assert_true(ramp.high - ramp.low < 0.02 * capacity);
        assert_true(fabs(ramp.hit - 2) < 0.05 && fabs(ramp.miss - 12) < 0.1);
    }
}

/* As where pages lie at random over the sets: there is no corner. */
static void what_rises_slowly_is_no_level(void **state)
{
    struct hwc_sized_cost points[128];
    struct hwc_ramp ramp;
    size_t count = 0;

    (void)state;
    for (int i = -12; i <= 14; i++) {
        double octave = i / 12.0;
        points[count++] = (struct hwc_sized_cost){65536 * exp2(octave), 2 + 10 / (1 + exp(-6 * octave))};
    }
    hwc_fit_ramp(points, count, &ramp);
    print_message("residual %.3f\n", ramp.residual);
    assert_false(ramp.fits);
}

static void the_roundest_number_has_the_largest_power(void **state)
{
    double power;

    (void)state;
    assert_true(hwc_roundest(16200, 16500, &power) == 16384 && power == 16384);
    assert_true(hwc_roundest(1572000, 1573900, &power) == 1572864 && power == 524288);
    assert_true(hwc_roundest(31, 32, &power) == 32 && power == 32);
    assert_true(hwc_roundest(33, 33.5, &power) == 33 && power == 1);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_level_is_found_again),
        cmocka_unit_test(what_rises_slowly_is_no_level),
        cmocka_unit_test(the_roundest_number_has_the_largest_power),
    };
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : (uint64_t)time(NULL);

    printf("seed %llu\n", (unsigned long long)seed);
    hwc_random_seed(&random_numbers, seed);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
