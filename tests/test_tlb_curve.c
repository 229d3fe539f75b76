/* The levels in curves of translation (tlb_curve.h). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tlb_curve.h"

enum { ALL = 17 }; /* points that the pages alone make rise */

/* The second-level cache overflows for the packed lines alone: the excess falls, and nothing after is a plateau. */
static const double falls[] = {0, 0, 0, 0, 6, 6, 6, 6, 6, 6, 6, 6, 22.2, 16, 15.8};
static const double falls_packed[] = {2, 2, 2, 2, 11.5, 16.5, 18.8, 19.7, 20, 20, 20, 20, 20, 35, 35.2};

static void plateaus_are_levels(void **state)
{
    const double two[] = {0, 0.1, 0, -0.1, 0, 6.1, 9, 9, 9.1, 9, 9, 9, 9, 49.1, 51.5, 52.3, 52.6};
    const double one[] = {0, 0, 0, 2, 10, 10, 10, 10, 10};
    /* A second-level cache that overflows after the step of the second TLB level (Broadwell, 2048 pages and more). */
    const double beyond[] = {0, 0, 9, 9, 9, 9, 9, 9, 9, 9, 38.9, 42, 45.7};
    /* A policy other than LRU: the miss ratio of 8-way sets still climbs while 11, 16 and 22 pages share each. */
    const double filling[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 21.5, 24, 24.8, 25};
    /* The same of 4-way sets: two points on the way up agree by chance. */
    const double by_chance[] = {0, 0, 0, 0, 0, 6.22, 6.5, 8, 8, 8, 8, 7.88, 8, 31.3, 43, 42.75};
    const double beside[] = {0, 0, 0, 0, 11.2, 10, 10, 10, 10, 10, 60, 60, 60, 60};
    const double beside_packed[] = {5, 5, 5, 5, 18.9, 20, 20, 20, 20, 20, 20, 20, 20, 20};
    /* Packed lines begin to miss the first level of the TLB, too: they take a little longer, which lowers the excess.
     * Later the second-level cache overflows; between the two neither curve is flat (FIFO TLBs, an 8 MiB cache). */
    const double dips[] = {0, 0, 0, 3.5, 7, 7, 7, 7, 7, 6.1, 6.1, 6.1, 46, 61, 46, 46};
    const double dips_packed[] = {5, 5, 5, 5, 5, 5, 5, 40, 40, 40.9, 40.9, 40.9, 40.9, 131, 260, 260};
    /* A policy other than LRU, and no room for more pages: how long a miss takes does not show. */
    const double cut_short[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3.6, 5.3, 5.93};
    double packed[17];
    struct hwc_tlb_plateau plateau[2];

    (void)state;
    for (int i = 0; i < 17; i++)
        packed[i] = 4;
    assert_int_equal(hwc_tlb_plateaus(two, packed, sizeof two / sizeof two[0], ALL, plateau), 2);
    assert_true(fabs(plateau[0].cycles - 9) < 0.01 && fabs(plateau[1].cycles - 52.45) < 0.01);
    assert_int_equal(hwc_tlb_plateaus(one, packed, sizeof one / sizeof one[0], ALL, plateau), 1);
    assert_true(plateau[0].cycles == 10);
    /* A first-level cache that overflows where the TLB does: for data, the rise of the control does not count. */
    assert_int_equal(
        hwc_tlb_plateaus(beside, beside_packed, sizeof beside / sizeof beside[0], ALL, plateau), 2);
    assert_true(fabs(plateau[0].cycles - 10) < 0.1 && fabs(plateau[1].cycles - 60) < 0.1);
    assert_int_equal(hwc_tlb_plateaus(beyond, packed, sizeof beyond / sizeof beyond[0], ALL, plateau), 2);
    assert_true(fabs(plateau[0].cycles - 9) < 0.1 && fabs(plateau[1].cycles - 40.4) < 0.1);
    assert_int_equal(hwc_tlb_plateaus(filling, packed, sizeof filling / sizeof filling[0], ALL, plateau), 1);
    assert_true(plateau[0].cycles >= 24);
    assert_int_equal(
        hwc_tlb_plateaus(by_chance, packed, sizeof by_chance / sizeof by_chance[0], ALL, plateau), 2);
    assert_true(plateau[0].cycles == 8 && fabs(plateau[1].cycles - 42.9) < 0.1);
    assert_true(plateau[0].uneven == 0 && plateau[1].uneven < 0.01);
    assert_int_equal(hwc_tlb_plateaus(dips, dips_packed, sizeof dips / sizeof dips[0], ALL, plateau), 2);
    assert_float_equal(plateau[1].cycles, 46, 0.1);
    assert_int_equal(hwc_tlb_plateaus(falls, falls_packed, sizeof falls / sizeof falls[0], ALL, plateau), 1);
    assert_true(fabs(plateau[0].cycles - 6) < 0.1);
    assert_int_equal(
        hwc_tlb_plateaus(cut_short, packed, sizeof cut_short / sizeof cut_short[0], ALL, plateau), 1);
    assert_true(plateau[0].uneven > 0.1);
}

/* Predictors of jumps may make the control take longer, and pages, too. */
static void plateaus_of_code_exceed_what_the_control_rises_by(void **state)
{
    const double none[] = {1.4, 0.8, -0.8, 0.3, 6.5, 0.8, 2.4};
    /* Code on a Cascade Lake: the time on the control rises by as much as the small step of the excess at 64 pages. */
    const double code[] = {1.2, 1.1, 1.6, 1.4, 1.5, 2.2, 0.8, 5.7, 6.5, 30.6, 31, 30.8, 30.1, 32.5};
    const double code_packed[] = {27, 27.9, 28.6, 29.6, 29.4, 29.7, 31.2, 32.4, 33.6, 33.9, 33.9, 33.6, 34, 35.3};
    /* A first-level cache for code of few lines overflows well before the TLB does: at the step, the control is level. */
    const double later[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 8, 8, 8, 43, 43};
    const double later_packed[] = {5, 5, 5, 5, 5, 5, 5, 13.7, 20, 20, 20, 20, 20, 20, 20};
    const double packed[] = {34, 34, 34, 34, 34, 34, 34};
    struct hwc_tlb_plateau plateau[2];

    (void)state;
    assert_int_equal(hwc_tlb_plateaus(code, code_packed, sizeof code / sizeof code[0], 0, plateau), 1);
    assert_true(plateau[0].cycles > 30);
    assert_int_equal(hwc_tlb_plateaus(later, later_packed, sizeof later / sizeof later[0], 0, plateau), 2);
    assert_true(plateau[0].cycles == 8 && plateau[1].cycles == 43);
    assert_int_equal(hwc_tlb_plateaus(none, packed, sizeof none / sizeof none[0], 0, plateau), 0);
}

static void a_curve_that_rises_on_shows_a_level(void **state)
{
    /* A virtual Zen 4: from 2896 pages on its second level is missed, and page tables leave one cache after the other. */
    const double on[] = {0, 0, 7, 7, 7, 7, 6.9, 7.9, 8.1, 8.1, 8.1, 25.7, 44.9, 64.5, 93.9, 112.9, 105.4};
    const double on_packed[] = {5, 5, 5, 5, 5, 5, 5.2, 15, 15, 15, 15, 15.2, 15.3, 15.3, 16, 19.7, 41.7};
    struct hwc_tlb_plateau plateau[2];
    unsigned from = 0;

    (void)state;
    assert_int_equal(hwc_tlb_plateaus(on, on_packed, sizeof on / sizeof on[0], ALL, plateau), 1);
    assert_true(plateau[0].cycles == 7 && fabs(plateau[0].control - 5) < 0.01);
    assert_true(hwc_tlb_rises_on(on, on_packed, sizeof on / sizeof on[0], plateau[0].cycles, &from));
    assert_int_equal(from, 11);
    assert_false(hwc_tlb_rises_on(on, on_packed, 11, plateau[0].cycles, &from));
    assert_false(hwc_tlb_rises_on(falls, falls_packed, sizeof falls / sizeof falls[0], 6, &from));
}

static void a_control_on_its_way_ends_no_curve(void **state)
{
    /* An A64FX: at 2048 pages the control leaves its second level half, and what pages take beyond it is less there. */
    const double excess[] = {0, 0, 7, 7, 7, 7, 6.2, 6.1, 6.1, 6.1, 46.12, 39.96, 46.54, 46.53, 46.58};
    const double control[] = {5, 5, 5, 5, 40, 40, 40.9, 40.9, 40.9, 40.8, 40.9, 144.9, 260.5, 260.5, 260.5};
    struct hwc_tlb_plateau plateau[2];

    (void)state;
    assert_int_equal(hwc_tlb_plateaus(excess, control, sizeof excess / sizeof excess[0], ALL, plateau), 2);
    assert_true(plateau[0].cycles == 7 && plateau[1].cycles > 46 && plateau[1].cycles < 47);
}

/* Where a cache of code overflows, too, what the excess rises by is passed over, unless it is known to be the pages'. */
static void a_rise_beside_the_controls_is_a_level_if_it_is_the_pages(void **state)
{
    /* A first level of 64 entries, a second one of 512, and 4 KiB of code in lines of 64 bytes. */
    const double excess[] = {0, 0, 0, 0, 0, 0, 0, 3, 6, 6, 6, 6, 6, 24.8, 31, 31, 31};
    const double control[] = {4, 4, 4, 4, 4, 4, 4, 14.7, 20, 20, 20, 20, 20, 20, 20, 20, 20};
    const unsigned points = sizeof excess / sizeof excess[0], last = 11;
    struct hwc_tlb_plateau plateau[2];
    unsigned from = 0;

    (void)state;
    assert_int_equal(hwc_tlb_plateaus(excess, control, points, 0, plateau), 1);
    assert_true(plateau[0].cycles == 31);
    assert_true(hwc_tlb_has_risen(excess, control, last, &from));
    assert_int_equal(from, 6);
    assert_int_equal(hwc_tlb_plateaus(excess, control, points, last + 1, plateau), 2);
    assert_true(plateau[0].cycles == 6 && plateau[1].cycles == 31);
    assert_false(hwc_tlb_has_risen(excess, control, from, &from));
}

static void code_far_apart_that_takes_longer_from_the_start_is_no_rise(void **state)
{
    /* A Zen 5: all of it fits. */
    const double excess[] = {3.1, 2.9, 3, 3.2, 3, 2.8, 3.1, 9};
    const double control[] = {13, 13, 13, 13, 13, 13, 13, 13};
    unsigned from = 0;

    (void)state;
    assert_false(hwc_tlb_has_risen(excess, control, 6, &from));
    assert_true(hwc_tlb_has_risen(excess, control, 7, &from));
    assert_int_equal(from, 6);
}

static void fewer_pages_that_took_longer_show_how_far_off_a_plateau_may_be(void **state)
{
    const double rises[] = {0, 8.5, 10.3, 10.3, 25, 35, 35, 60};
    const double slower_before[] = {0, 8.5, 10.3, 10.3, 36.1, 32.4, 32.4, 60};
    const double level[] = {10.3, 10.3, 10.3, 10.3, 10.3, 9.6, 9.7, 9.8};
    const double on_its_way[] = {41, 41, 41, 41, 132, 260, 260, 260};

    (void)state;
    assert_true(hwc_tlb_stray(rises, level, 8, 10.3) == 0);
    assert_true(hwc_tlb_stray(rises, level, 8, 35) == 0);
    assert_true(fabs(hwc_tlb_stray(slower_before, level, 8, 32.4) - 3.7) < 1e-9);
    assert_true(hwc_tlb_stray(slower_before, on_its_way, 8, 32.4) == 0);
}

/* Of 32 entries a policy keeps nine, whichever pages come after. */
static void a_plateau_may_rise_on_as_fewer_of_more_pages_are_kept(void **state)
{
    const double pages[] = {22, 32, 45, 64}, excess[] = {0, 0, 8 * (1 - 9.0 / 45), 8 * (1 - 9.0 / 64)};
    const double flat[] = {0, 0, 8, 8}, falling[] = {0, 0, 8.1, 8};

    (void)state;
    assert_true(fabs(hwc_tlb_more(pages, excess, 2) -
                     (8 - (excess[2] + excess[3]) / 2)) < 1e-9);
    assert_true(hwc_tlb_more(pages, flat, 2) == 0);
    assert_true(hwc_tlb_more(pages, falling, 2) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plateaus_are_levels),
        cmocka_unit_test(plateaus_of_code_exceed_what_the_control_rises_by),
        cmocka_unit_test(a_rise_beside_the_controls_is_a_level_if_it_is_the_pages),
        cmocka_unit_test(code_far_apart_that_takes_longer_from_the_start_is_no_rise),
        cmocka_unit_test(a_curve_that_rises_on_shows_a_level),
        cmocka_unit_test(a_control_on_its_way_ends_no_curve),
        cmocka_unit_test(fewer_pages_that_took_longer_show_how_far_off_a_plateau_may_be),
        cmocka_unit_test(a_plateau_may_rise_on_as_fewer_of_more_pages_are_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
