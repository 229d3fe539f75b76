/* Levels that drawn references show, by what else is known of them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>

#include <cmocka.h>

#include "drawn_points.h"
#include "fitted_levels.h"
#include "hierarchy_scan.h"
#include "seen_levels.h"
#include "within_fit.h"

static const struct drawn_point two_ways[] = {
        {8192, 5.002, 0}, {9728, 5.002, 0}, {11584, 5.002, 0}, {13760, 5.002, 0}, {16320, 5.002, 0},
        {19456, 5.002, 0}, {23168, 5.002, 0}, {27520, 5.002, 0}, {32704, 5.002, 0}, {38912, 5.002, 0},
        {46336, 5.002, 0}, {55104, 5.002, 0}, {65472, 5.002, 0.0027}, {65536, 5.002, 0.0029}, {98304, 10.19, 0.091},
        {131072, 12.76, 0.24}, {163840, 14.58, 0.27}, {196608, 17.49, 0.32}, {229376, 16.8, 0.49},
        {294912, 19.03, 0.53}, {360448, 20.9, 0.58}, {425984, 20.43, 0.55}, {491520, 21.6, 0.58},
        {622592, 23.66, 0.35}, {720896, 24.88, 0.33}, {851968, 25.56, 0.25}, {1015808, 26.82, 0.22},
        {1245184, 28.09, 0.13}, {1474560, 29.11, 0.12}, {1736704, 30.17, 0.12}, {2064384, 30.64, 0.11},
        {2490368, 31.48, 0.14}, {2949120, 32.23, 0.17}, {3506176, 32.65, 0.19}, {4161536, 32.94, 0.29},
        {4980736, 33.2, 0.27}, {5931008, 34.22, 0.44}, {7045120, 34.21, 0.32}, {8355840, 35.55, 0.33},
        {9961472, 37.51, 0.68}, {11862016, 40.78, 0.94}, {14090240, 47.24, 1.2}, {16744448, 58.16, 1.6},
        {16777216, 57.72, 1.7}, {19922944, 67.98, 1.7}, {23724032, 83.93, 1.7}, {28213248, 97.42, 1.8},
        {33521664, 117.8, 2.2}, {39878656, 129.7, 2.1}, {56426496, 148.9, 2.4},
};

/* What one showed that played the noise of a busy sibling: 512 KiB, and a last level of which others left little. */
static const struct drawn_point beside_sibling[] = {
        {4096, 4.11, 0.05}, {4864, 4.15, 0.05}, {5760, 4.09, 0.05}, {6848, 4.16, 0.05}, {8128, 4.15, 0.05},
        {9728, 4.10, 1.73}, {11584, 4.13, 0.05}, {13760, 4.13, 0.06}, {16320, 4.17, 0.06}, {19456, 4.16, 0.07},
        {23168, 4.09, 0.07}, {27520, 4.22, 0.26}, {32704, 4.19, 0.40}, {38912, 8.19, 1.04}, {46336, 11.79, 1.83},
        {55104, 14.69, 2.68}, {65472, 17.11, 3.36}, {65536, 18.59, 3.79}, {98304, 22.49, 4.40},
        {131072, 17.10, 3.47}, {163840, 12.99, 2.50}, {196608, 13.41, 1.77}, {229376, 13.31, 0.32},
        {294912, 13.48, 0.41}, {360448, 14.12, 0.61}, {425984, 13.82, 1.36}, {491520, 13.83, 1.88},
        {622592, 26.41, 3.92}, {720896, 34.14, 5.58}, {851968, 48.78, 7.60}, {1015808, 56.88, 10.29},
        {1245184, 66.38, 12.90}, {1474560, 91.08, 19.77}, {1736704, 110.81, 26.72}, {2064384, 149.70, 39.42},
        {2490368, 177.11, 44.00}, {2949120, 172.42, 39.92}, {3506176, 158.22, 33.59}, {4161536, 188.98, 34.31},
        {4980736, 181.56, 25.81}, {5931008, 96.32, 16.34}, {7045120, 224.41, 32.64}, {8355840, 315.10, 48.52},
        {9961472, 320.51, 40.23}, {11862016, 346.34, 19.28}, {14090240, 336.35, 20.49}, {16744448, 326.31, 19.29},
};

/* What a simulated machine showed whose second level has two ways and takes 20 cycles, on pages at random places. */
static void see(struct hwc_knowledge *known)
{
    *known = (struct hwc_knowledge){.levels = 3,
                                    .drawn = curve_of_points(two_ways, sizeof two_ways / sizeof two_ways[0], 1)};
    hwc_fit_chain(&known->drawn, two_ways[0].cycles, &known->fit);
    assert_int_equal(known->fit.levels, 3);
}

static bool may_take(const struct hwc_levels_fit *fit, unsigned level, double cycles)
{
    return is_within(&fit->level[level - 1].cycles, cycles);
}

static struct hwc_levels_fit fitted(const struct hwc_knowledge *known)
{
    const struct hwc_lab lab = {.known = known};
    struct hwc_levels_fit fit;

    assert_true(hwc_fitted_levels(&lab, &fit));
    hwc_allow_few_ways(&lab, &fit);
    return fit;
}

static void a_level_whose_ways_are_not_known_may_have_two(void **state)
{
    struct hwc_knowledge known;
    struct hwc_levels_fit fit;

    (void)state;
    see(&known);
    fit = fitted(&known);
    assert_true(may_take(&fit, 1, 5));
    assert_true(may_take(&fit, 2, 20));
    assert_true(may_take(&fit, 3, 35));
}

static void ways_that_are_known_leave_the_bounds_closer(void **state)
{
    struct hwc_knowledge known;
    struct hwc_levels_fit open, closer;

    (void)state;
    see(&known);
    open = fitted(&known);
    known.level[2].ways = known.level[3].ways = known.drawn.least_ways;
    closer = fitted(&known);
    assert_true(closer.level[1].cycles.least > open.level[1].cycles.least);
    assert_false(may_take(&closer, 2, 20)); /* it has fewer */
}

/* 1.5 MiB beside a busy thread, of which footprints showed 0.4 to 1.4 MiB. */
static void a_size_that_is_not_seen_is_held_by_others(void **state)
{
    struct hwc_knowledge known = {.levels = 2};
    const struct hwc_lab lab = {.known = &known};
    const struct hwc_levels_fit fit = {.levels = 2, .level = {{.high = 22 << 10}, {.low = 400 << 10, .high = 1455 << 10}}};

    (void)state;
    assert_false(hwc_others_hold_part(&lab, &fit, 2)); /* not known */
    known.level[2].size_bytes = 1 << 20;
    assert_false(hwc_others_hold_part(&lab, &fit, 2));
    known.level[2].size_bytes = 1536 << 10;
    assert_true(hwc_others_hold_part(&lab, &fit, 2));
}

/* Footprints seemed to show 2.0 to 4.3 MiB, but did not tell that for certain: they allow that it is hidden, if they show
 * it once it is known. */
static void what_is_not_told_does_not_speak_against_a_size(void **state)
{
    struct hwc_knowledge known = {.levels = 2, .level = {[1] = {.size_bytes = 32768}}};
    const struct hwc_lab lab = {.known = &known};

    (void)state;
    known.drawn = curve_of_points(beside_sibling, sizeof beside_sibling / sizeof beside_sibling[0], 1);
    known.drawn.known[known.drawn.knowns++] = (struct hwc_known_level){16384, 32768};
    hwc_fit_chain(&known.drawn, beside_sibling[0].cycles, &known.fit);
    assert_int_equal(known.fit.levels, 2);
    assert_int_equal(known.fit.told, 1);
    assert_true(known.fit.level[1].low > 1 << 20);
    assert_true(hwc_may_be_hidden(&lab, 2, 512 << 10));
    assert_false(hwc_may_be_hidden(&lab, 2, 128 << 10));
    assert_false(hwc_may_be_hidden(&lab, 2, 256 << 10));
    assert_false(hwc_may_be_hidden(&lab, 2, 4096 << 10));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_level_whose_ways_are_not_known_may_have_two),
        cmocka_unit_test(ways_that_are_known_leave_the_bounds_closer),
        cmocka_unit_test(a_size_that_is_not_seen_is_held_by_others),
        cmocka_unit_test(what_is_not_told_does_not_speak_against_a_size),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
