/* TLB levels where walks cost the same, or more where there are more pages. */
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "walks_fit.h"

enum { FIRST = 96, SECOND = 4096 };

static double missing(double entries, double pages)
{
    return pages > entries ? 1 - entries / pages : 0;
}

/* As on a Zen 5: hits of the first level take 4 cycles, of the second 7 more, walks 130 where that one ends. A share of
 * what is not a hit depends on where tables lie. */
static struct hwc_drawn_curve curve_of(double growth)
{
    struct hwc_drawn_curve curve = {.least_ways = UINT_MAX};

    for (unsigned quarter = 12; quarter <= 52; quarter++) {
        double pages = floor(exp2(quarter / 4.0)), walk = 130 * pow(fmax(pages / SECOND, 1), growth);
        double cycles = 4 + 7 * missing(FIRST, pages) + walk * missing(SECOND, pages);
        curve.bytes[curve.points] = pages;
        curve.reading[curve.points] = 0.1 + 0.05 * (cycles - 4);
        hwc_tally_add(&curve.cycles[curve.points++], cycles);
    }
    return curve;
}

static void bounds_hold_the_truth(void **state)
{
    const double growths[] = {0, 0.3, 0.6, 0.8, 1};

    (void)state;
    for (size_t i = 0; i < sizeof growths / sizeof growths[0]; i++)
        for (int apart = 0; apart < 2; apart++) {
            struct hwc_drawn_curve curve = curve_of(growths[i]);
            struct hwc_levels_fit fit;
            assert_true((apart ? hwc_fit_levels_apart : hwc_fit_levels)(&curve, &fit));
            hwc_allow_longer_walks(&curve, apart, &fit);
            assert_int_equal(fit.levels, 2);
            assert_true(fit.level[1].low <= SECOND && SECOND <= fit.level[1].high);
            assert_true(fit.level[1].high <= 1.5 * fit.level[1].low);
            assert_true(fit.level[0].low <= FIRST && FIRST <= fit.level[0].high);
        }
}

/* Misses of the only level may be hits of a second one. */
static void one_level_stays_as_it_is(void **state)
{
    const struct hwc_levels_fit one = {.levels = 1, .level = {{.capacity = 90, .low = 80, .high = 100}}};
    struct hwc_drawn_curve curve = curve_of(0);
    struct hwc_levels_fit fit = one;

    (void)state;
    hwc_allow_longer_walks(&curve, true, &fit);
    assert_true(fit.level[0].low == 80 && fit.level[0].high == 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_hold_the_truth),
        cmocka_unit_test(one_level_stays_as_it_is),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
