/* Curves that were measured on real machines, where others used the caches, too. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>

#include <cmocka.h>

#include "levels_fit.h"

struct point {
    double kilobytes, cycles, error;
};

static struct hwc_levels_fit fit(const struct point *points, size_t count)
{
    struct hwc_drawn_curve curve = {.least_ways = 4, .rivals = true};
    struct hwc_levels_fit fit;

    for (size_t i = 0; i < count; i++) {
        curve.bytes[i] = 1024 * points[i].kilobytes;
        hwc_tally_add(&curve.cycles[i], points[i].cycles);
        curve.reading[i] = points[i].error;
    }
    curve.points = count;
    assert_true(hwc_fit_levels(&curve, &fit));
    return fit;
}

/* A virtual Zen 5, 2026-11-28: others left 3 MiB of the last level, hardly more than the second one's 1 MiB. That one which
 * loses lines explains the points as well: it was told to hold 2.8 to 3.2 MiB. */
static void a_last_level_of_which_little_is_left_is_not_the_second(void **state)
{
    static const struct point zen5[] = {
        {6, 6.2, 0.03}, {7, 6.2, 0.03}, {8, 6.1, 0.03}, {10, 6.1, 0.03}, {12, 6.2, 0.03}, {14, 6.1, 0.90},
        {17, 6.2, 0.03}, {20, 6.1, 0.02}, {24, 6.1, 0.03}, {28, 6.2, 0.03}, {34, 6.2, 0.04}, {40, 6.2, 0.04},
        {48, 6.3, 0.04}, {57, 7.8, 0.03}, {64, 8.9, 0.04}, {96, 11.6, 0.03}, {128, 12.8, 0.04}, {160, 13.4, 0.06},
        {224, 14.3, 1.47}, {256, 14.5, 0.19}, {320, 14.7, 0.19}, {352, 14.6, 0.25}, {448, 15.2, 1.46},
        {512, 15.2, 0.29}, {640, 16.2, 1.75}, {736, 16.4, 2.01}, {896, 19.2, 0.52}, {1056, 21.2, 1.10},
        {1280, 27.4, 2.72}, {1504, 33.6, 4.48}, {1824, 39.5, 2.67}, {2144, 46.1, 5.49}, {2560, 112.0, 8.61},
        {3040, 57.9, 5.32}, {3648, 76.2, 7.77}, {4320, 236.0, 21.74}, {5152, 229.4, 26.71}, {6112, 247.4, 35.75},
        {7296, 379.0, 31.37}, {8672, 399.7, 25.42}, {10304, 399.6, 9.92}, {12256, 433.2, 11.54}, {14592, 426.5, 6.28},
    };
    const struct hwc_levels_fit found = fit(zen5, sizeof zen5 / sizeof zen5[0]);

    (void)state;
    assert_true(found.level[0].low <= 48 << 10 && found.level[0].high >= 48 << 10);
    assert_true(found.told < 2 || (found.level[1].low <= 1 << 20 && found.level[1].high >= 1 << 20));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_last_level_of_which_little_is_left_is_not_the_second),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
