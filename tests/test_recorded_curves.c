/* Curves that were measured where others used the caches, too: on real machines, or beside what was recorded on one. */
#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>

#include <cmocka.h>

#include "drawn_points.h"

static struct hwc_drawn_curve curve_of(const struct drawn_point *points, size_t count)
{
    return curve_of_points(points, count, 1024);
}

static struct hwc_levels_fit fit(const struct drawn_point *points, size_t count)
{
    struct hwc_drawn_curve curve = curve_of(points, count);
    struct hwc_levels_fit fit;

    assert_true(hwc_fit_levels(&curve, &fit));
    return fit;
}

/* A virtual Zen 5, 2026-11-28: others left 3 MiB of the last level, hardly more than the second one's 1 MiB. That one which
 * loses lines explains the points as well: it was told to hold 2.8 to 3.2 MiB. */
static void a_last_level_of_which_little_is_left_is_not_the_second(void **state)
{
    static const struct drawn_point zen5[] = {
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

/* Another time: here the points do not tell the second level from the last one that loses lines. That the second holds
 * 1 MiB was measured by sets; with that, the last one is told. */
static void what_is_known_of_a_level_tells_the_next(void **state)
{
    static const struct drawn_point zen5[] = {
        {6, 6.141, 1.487}, {7, 6.144, 0.008301}, {8, 6.141, 0.003686}, {10, 6.141, 0.003972}, {12, 6.143, 0.003987},
        {14, 6.142, 0.00399}, {17, 6.14, 0.003938}, {20, 6.138, 0.003768}, {24, 6.142, 0.9735}, {28, 6.143, 0.00398},
        {34, 6.152, 2.298}, {40, 6.159, 0.007486}, {48, 6.274, 1.111}, {57, 7.789, 0.01658}, {64, 8.74, 0.1543},
        {96, 11.57, 2.101}, {128, 12.34, 0.2494}, {160, 13.2, 1.651}, {224, 14.28, 0.3531}, {256, 14.61, 2.686},
        {320, 14.94, 0.09653}, {352, 15.04, 0.2986}, {448, 15.23, 0.3835}, {512, 16.57, 2.414}, {640, 17.11, 1.647},
        {736, 17.07, 1.161}, {896, 20.24, 1.491}, {1056, 25.89, 1.892}, {1280, 29.35, 2.592}, {1504, 37.71, 7.666},
        {1824, 39.25, 1.705}, {2144, 46.04, 2.226}, {2560, 49.35, 2.136}, {3040, 50.62, 4.852}, {3648, 56.65, 6.011},
        {4320, 128.6, 14.49}, {5152, 94.41, 14.16}, {6112, 87.97, 13.99}, {7296, 131.7, 33.76}, {8672, 349.9, 63.41},
        {10304, 365, 71.37}, {12256, 449.1, 45.55}, {14592, 457.8, 38.79},
    };
    struct hwc_drawn_curve curve = curve_of(zen5, sizeof zen5 / sizeof zen5[0]);
    struct hwc_levels_fit found;

    (void)state;
    assert_true(hwc_fit_levels(&curve, &found));
    assert_true(found.told < 2);
    curve.knowns = 1;
    curve.known[0] = (struct hwc_known_level){1 << 20, (1 << 20) + (48 << 10)};
    assert_false(hwc_fit_has(&found, &curve.known[0]));
    assert_true(hwc_fit_levels(&curve, &found));
    assert_true(hwc_fit_has(&found, &curve.known[0]));
    assert_int_equal(found.levels, 3);
    /* Up to 7 MiB if others keep the room of what they put out; up to 10 if they leave it to the next miss. */
    assert_true(found.level[2].low > 4 << 20 && found.level[2].high < 12 << 20);
    assert_true(found.level[2].cycles.least < 50 && found.level[2].cycles.most > 50);
}

/* Pages of a virtual Zen 5, whose second TLB has 4096 entries; a sibling thread came and went. Two levels, which end at
 * 2900 and at 4100 pages, explain the points best. */
static void what_a_sibling_takes_now_and_then_is_no_level(void **state)
{
    static const struct drawn_point zen5[] = {
        {8, 4.07, 0.112}, {9, 4.07, 0.109}, {11, 4.07, 0.107}, {13, 4.07, 0.106}, {15, 4.084, 0.105},
        {19, 4.07, 0.104}, {22, 4.078, 0.108}, {26, 4.114, 0.11}, {31, 4.07, 0.108}, {38, 4.081, 0.104},
        {45, 4.074, 0.113}, {53, 4.07, 0.105}, {63, 4.07, 0.11}, {76, 4.07, 0.104}, {90, 4.143, 0.116},
        {107, 4.805, 0.143}, {127, 5.76, 0.191}, {152, 6.628, 0.234}, {181, 7.343, 0.268}, {215, 7.884, 0.295},
        {255, 8.377, 0.319}, {304, 8.776, 0.341}, {362, 9.207, 0.362}, {430, 9.465, 0.374}, {511, 9.711, 0.387},
        {608, 9.918, 0.397}, {724, 10.15, 0.422}, {861, 10.22, 0.476}, {1023, 10.37, 0.552}, {1217, 10.53, 0.612},
        {1448, 10.55, 0.668}, {1722, 10.9, 0.729}, {2047, 10.89, 0.76}, {2128, 10.77, 0.773}, {2255, 11.3, 0.828},
        {2389, 10.95, 0.81}, {2531, 11.46, 0.872}, {2681, 11.12, 0.862}, {2841, 11.41, 0.894}, {3010, 11.14, 0.857},
        {3189, 12.27, 1.11}, {3378, 12.07, 0.925}, {3579, 14.21, 1.42}, {3792, 17.47, 2.89}, {4018, 16.03, 1.64},
        {4257, 20.23, 2.45}, {4510, 29.72, 5.18}, {4778, 36.19, 8.59}, {5062, 39.8, 13.6}, {5363, 50, 6.06},
        {5682, 64.81, 9.52}, {6020, 73.79, 12.3}, {6378, 85.63, 10.4}, {6757, 97.93, 12.7}, {7159, 101.2, 12},
        {7585, 120.1, 10.6}, {8191, 143.5, 22.4},
    };
    struct hwc_drawn_curve curve = curve_of(zen5, sizeof zen5 / sizeof zen5[0]);
    struct hwc_levels_fit found;

    (void)state;
    curve.least_ways = UINT_MAX;
    curve.rivals = false;
    assert_true(hwc_fit_levels(&curve, &found));
    assert_int_equal(found.levels, 3);
    assert_true(hwc_fit_levels_apart(&curve, &found));
    assert_int_equal(found.levels, 2);
    assert_true(found.level[0].low <= 96 << 10 && found.level[0].high >= 96 << 10);
    assert_true(found.level[1].low <= 4096 << 10 && found.level[1].high >= 4096 << 10);
}

/* A simulated Haswell, 32 KiB, 256 KiB and 8 MiB, beside what was recorded on a virtual Zen 4: others put lines of the
 * last level out, more in some moments than in others. Two levels were told for it, of 1.5 and of 8 MiB. */
static void what_others_put_out_of_the_last_level_is_no_level(void **state)
{
    static const struct drawn_point haswell[] = {
        {4.0, 4.0, 0.02}, {4.8, 4.0, 0.03}, {5.6, 4.0, 0.04}, {6.7, 4.0, 0.04}, {7.9, 4.1, 0.05}, {9.5, 4.0, 0.04},
        {11.3, 4.1, 0.45}, {13.4, 4.0, 0.03}, {15.9, 4.1, 0.03}, {19.0, 4.0, 0.05}, {22.6, 4.0, 0.03},
        {26.9, 4.0, 0.03}, {31.9, 4.1, 0.04}, {38.0, 5.4, 0.06}, {45.2, 6.5, 0.10}, {53.8, 7.4, 0.10},
        {63.9, 8.2, 0.09}, {64.0, 8.5, 0.16}, {96.0, 9.7, 0.27}, {128.0, 10.6, 0.29}, {160.0, 11.0, 0.20},
        {192.0, 11.4, 1.13}, {224.0, 11.3, 0.29}, {288.0, 14.6, 0.39}, {352.0, 19.0, 0.56}, {416.0, 22.1, 0.74},
        {480.0, 24.4, 0.83}, {608.0, 27.6, 0.90}, {704.0, 28.4, 1.07}, {832.0, 29.8, 1.20}, {992.0, 33.4, 1.45},
        {1216.0, 35.6, 1.56}, {1440.0, 36.5, 1.70}, {1696.0, 39.5, 1.66}, {2016.0, 41.9, 1.61}, {2432.0, 46.4, 1.55},
        {2880.0, 48.0, 2.16}, {3424.0, 49.5, 1.87}, {4064.0, 52.6, 2.54}, {4864.0, 54.3, 3.66}, {5792.0, 55.8, 3.42},
        {6880.0, 59.6, 4.26}, {8160.0, 51.9, 5.10}, {9728.0, 84.0, 9.87}, {11584.0, 136.8, 12.32},
        {13760.0, 134.9, 13.42}, {16352.0, 159.5, 15.73}, {16384.0, 160.3, 6.56}, {19456.0, 178.3, 8.29},
        {23168.0, 191.0, 8.01}, {27552.0, 214.8, 216.19}, {32736.0, 215.4, 7.98}, {38944.0, 213.8, 8.80},
        {55104.0, 222.8, 2.73},
    };
    const struct hwc_levels_fit found = fit(haswell, sizeof haswell / sizeof haswell[0]);

    (void)state;
    assert_true(found.level[1].low <= 256 << 10 && found.level[1].high >= 256 << 10);
    assert_true(found.told == 2 || found.told == 3);
    assert_true(found.told < 3 || found.level[2].cycles.least <= 34);
}

/* A simulated machine, 4 KiB, 96 KiB and 2 MiB, the last of which serves in 70 cycles, beside what was recorded on a
 * virtual Zen 5. That nothing is lost explains the points hardly worse than losses, and 77 cycles were its least. */
static void losses_that_explain_the_points_as_well_are_possible(void **state)
{
    static const struct drawn_point played[] = {
        {0.5, 2.0, 0.01}, {0.6, 2.0, 0.49}, {0.7, 2.0, 0.01}, {0.8, 2.0, 0.01}, {0.9, 2.0, 0.02}, {1.2, 2.0, 0.01},
        {1.4, 2.0, 0.02}, {1.6, 2.0, 0.01}, {1.9, 2.0, 0.49}, {2.4, 2.0, 0.01}, {2.8, 2.0, 0.01}, {3.3, 2.0, 0.01},
        {3.9, 2.0, 0.01}, {4.8, 4.8, 0.03}, {5.6, 7.1, 0.05}, {6.7, 9.1, 0.06}, {7.9, 10.8, 0.54}, {9.5, 12.2, 0.52},
        {11.3, 13.6, 0.47}, {13.4, 14.5, 0.12}, {15.9, 15.3, 0.49}, {19.0, 16.2, 1.00}, {22.6, 16.6, 0.12},
        {26.9, 17.1, 0.22}, {31.9, 17.6, 0.41}, {38.0, 18.3, 0.50}, {45.2, 20.9, 0.66}, {53.8, 21.3, 1.07},
        {63.9, 18.6, 1.00}, {64.0, 18.7, 1.29}, {96.0, 26.1, 1.34}, {128.0, 37.6, 2.21}, {160.0, 40.5, 2.93},
        {192.0, 47.4, 3.05}, {224.0, 53.8, 4.18}, {288.0, 59.6, 4.85}, {352.0, 63.5, 4.99}, {416.0, 71.8, 5.39},
        {480.0, 77.6, 5.64}, {608.0, 76.7, 4.93}, {704.0, 79.3, 4.95}, {832.0, 84.6, 5.04}, {992.0, 85.2, 4.92},
        {1216.0, 85.1, 4.56}, {1440.0, 86.0, 4.51}, {1696.0, 96.1, 5.12}, {2016.0, 101.8, 5.47},
        {2432.0, 110.7, 6.63}, {2880.0, 126.5, 6.56}, {3424.0, 131.1, 7.32}, {4064.0, 143.8, 4.90},
        {4864.0, 152.2, 3.20}, {5792.0, 165.8, 2.39}, {6880.0, 175.0, 3.20}, {8160.0, 180.6, 4.15},
        {9728.0, 189.8, 5.36}, {11584.0, 191.4, 8.33}, {13760.0, 196.6, 7.20}, {16352.0, 186.2, 7.79},
    };
    const struct hwc_levels_fit found = fit(played, sizeof played / sizeof played[0]);

    (void)state;
    assert_true(found.told < 3 || (found.level[2].cycles.least <= 70 && found.level[2].cycles.most >= 70));
}

/* A virtual Zen 3, 2026-11-30: a thread on the core's other half was at work all the while. Hits of the first level took as
 * long as those of others a little further on, and it was told to hold 101 KiB at least. It was known to have 32 KiB. */
static void the_first_level_is_known_beside_a_busy_sibling(void **state)
{
    static const struct drawn_point zen3[] = {
        {4, 9.279, 0.536}, {4.75, 8.961, 0.527}, {5.625, 8.803, 0.519}, {6.6875, 9.382, 0.512},
        {7.9375, 8.745, 0.494}, {9.5, 8.661, 0.488}, {11.3125, 9.268, 0.491}, {13.4375, 9.129, 0.459},
        {15.9375, 8.985, 0.431}, {19, 8.981, 0.427}, {22.625, 9.314, 0.351}, {26.875, 9.66, 0.317},
        {31.9375, 9.803, 0.336}, {38, 10.07, 0.314}, {45.25, 11.03, 0.398}, {53.8125, 11.1, 0.439},
        {63.9375, 12.31, 0.528}, {64, 12.35, 0.79}, {96, 14.23, 0.704}, {128, 15.49, 0.697}, {160, 15.11, 0.947},
        {192, 17.09, 0.949}, {224, 18.4, 1.4}, {288, 18.77, 1.85}, {352, 25.14, 2.46}, {416, 26.98, 2.68},
        {480, 28.52, 2.86}, {608, 32.64, 2.88}, {704, 34.51, 2.66}, {832, 36.5, 2.31}, {992, 38.96, 2.2},
        {1216, 43.05, 1.97}, {1440, 45.05, 2.83}, {1696, 47.2, 8.96}, {2016, 57.28, 16.5}, {2432, 224, 56.6},
        {2880, 164.5, 43.9}, {3424, 268.9, 68.8}, {4064, 341.8, 79}, {4864, 382.7, 74.1}, {5792, 349, 56.5},
        {6880, 525.1, 76.9}, {8160, 527.9, 73.9}, {9728, 597.6, 47.4}, {11584, 510.5, 30.2}, {13760, 484.6, 20.1},
        {16352, 472.4, 11.9},
    };
    struct hwc_drawn_curve curve = curve_of(zen3, sizeof zen3 / sizeof zen3[0]);
    struct hwc_levels_fit found;

    (void)state;
    curve.knowns = 1;
    curve.known[0] = (struct hwc_known_level){16 << 10, 32 << 10};
    assert_true(hwc_fit_levels(&curve, &found));
    assert_int_equal(found.told, 3);
    assert_true(found.level[0].low <= 32 << 10 && found.level[0].high >= 16 << 10);
    assert_true(found.level[1].low <= 512 << 10 && found.level[1].high >= 256 << 10);
    assert_true(found.level[2].low > 1 << 20 && found.level[2].high < 4 << 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_last_level_of_which_little_is_left_is_not_the_second),
        cmocka_unit_test(what_is_known_of_a_level_tells_the_next),
        cmocka_unit_test(what_a_sibling_takes_now_and_then_is_no_level),
        cmocka_unit_test(what_others_put_out_of_the_last_level_is_no_level),
        cmocka_unit_test(losses_that_explain_the_points_as_well_are_possible),
        cmocka_unit_test(the_first_level_is_known_beside_a_busy_sibling),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
