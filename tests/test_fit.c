/* The search for ways and period (src/fit.h) on LRU sets that are computed,
 * exactly and through noise, and the levels in curves of translation. */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "fit.h"
#include "translation.h"

#define SEED 20261121

struct sets {
    uint64_t period;
    size_t ways;
    double noise; /* share of the references, either way */
    struct hwc_random *random;
};

/* Things at one place of a period share a set; of more than its ways all miss. */
static int misses(void *context, uint64_t stride, size_t count, double *found, double *references,
                  struct hwc_error *error)
{
    const struct sets *sets = context;

    (void)error;
    *found = 0;
    for (size_t i = 0; i < count; i++) {
        size_t beside = 0;
        for (size_t k = 0; k < count; k++)
            beside += (k * stride) % sets->period == (i * stride) % sets->period;
        *found += beside > sets->ways;
    }
    *references = (double)count;
    *found += sets->noise * (double)count * (2 * hwc_random_unit(sets->random) - 1);
    return HWC_OK;
}

static int search_within(struct sets *sets, bool counted, uint64_t room, uint64_t longest, size_t *ways,
                         uint64_t *period)
{
    const struct hwc_fit fit = {.misses = misses, .context = sets, .counted = counted, .most_bytes = room, .most = 300};
    struct hwc_error error;

    return hwc_fit_ways(&fit, 256, 4096, longest, ways, period, &error);
}

static int search(struct sets *sets, bool counted, size_t *ways, uint64_t *period)
{
    return search_within(sets, counted, UINT64_C(1) << 30, UINT64_C(1) << 20, ways, period);
}

static void ways_and_period_are_found(void **state)
{
    struct hwc_random random;

    (void)state;
    hwc_random_seed(&random, SEED);
    printf("seed %d\n", SEED);
    for (int i = 0; i < 200; i++) {
        bool counted = hwc_random_below(&random, 2) == 0;
        struct sets sets = {.period = UINT64_C(512) << hwc_random_below(&random, 8),
                            .ways = 1 + hwc_random_below(&random, 24),
                            .noise = counted ? 0 : 0.1,
                            .random = &random};
        size_t ways = 0;
        uint64_t period = 0;
        assert_int_equal(search(&sets, counted, &ways, &period), HWC_OK);
        assert_int_equal(ways, sets.ways);
        assert_int_equal(period, sets.period);
    }
}

static void periods_that_are_no_power_of_two_are_refused(void **state)
{
    struct hwc_random random;

    (void)state;
    hwc_random_seed(&random, SEED);
    for (uint64_t period = 1536; period <= 98304; period *= 2) {
        struct sets sets = {.period = period, .ways = 4, .random = &random};
        size_t ways = 0;
        uint64_t found = 0;
        assert_int_equal(search(&sets, true, &ways, &found), HWC_UNAVAILABLE);
    }
}

/* Large pages: at strides at which fewer would fit there is no room for as many as fit here. */
static void a_number_that_room_bounds_is_no_number_of_ways(void **state)
{
    struct hwc_random random;

    (void)state;
    hwc_random_seed(&random, SEED);
    for (unsigned shift = 12; shift <= 24; shift++) {
        struct sets sets = {.period = UINT64_C(1) << shift, .ways = 4, .random = &random};
        uint64_t room = (UINT64_C(1) << 24) + 256, period = 0; /* four, four MiB apart */
        size_t ways = 0;
        int status = search_within(&sets, true, room, UINT64_C(1) << 30, &ways, &period);
        if (status == HWC_OK) {
            assert_int_equal(ways, 4);
            assert_int_equal(period, sets.period);
        }
        assert_int_equal(status, shift <= 21 ? HWC_OK : HWC_UNAVAILABLE);
    }
}

/* Random replacement: one more than fits costs few misses, and the clock may not name a number. */
static int misses_by_chance(void *context, uint64_t stride, size_t count, double *found,
                            double *references, struct hwc_error *error)
{
    (void)context;
    (void)stride;
    (void)error;
    *references = (double)count;
    *found = count > 8 ? (double)count * (1 - 8.0 / (double)count) : 0;
    return HWC_OK;
}

static void the_clock_names_no_number_without_a_step(void **state)
{
    const struct hwc_fit fit = {.misses = misses_by_chance, .most_bytes = UINT64_C(1) << 30, .most = 300};
    struct hwc_error error;
    size_t ways;
    uint64_t period;

    (void)state;
    assert_int_equal(hwc_fit_ways(&fit, 256, 4096, UINT64_C(1) << 20, &ways, &period, &error), HWC_UNAVAILABLE);
}

/* A Zen 3's first instruction cache: 9 rows in 8 ways miss little, 10 more. What is `first` misses sooner. */
static double climb_first;

static int misses_that_climb(void *context, uint64_t stride, size_t count, double *found,
                             double *references, struct hwc_error *error)
{
    static const double shares[] = {0, 0, 0.45, 0.6, 0.8, 0.9};
    size_t ways = stride < 4096 ? 8 * (4096 / (size_t)stride) : 8, beyond = count > ways ? count - ways : 0;
    double share = beyond >= sizeof shares / sizeof shares[0] ? 1 : shares[beyond];

    (void)context;
    (void)error;
    *references = (double)count;
    *found = (double)count * (beyond == 1 ? climb_first : share);
    return HWC_OK;
}

static void the_clock_takes_what_stands_before_a_climb(void **state)
{
    struct hwc_error error;

    (void)state;
    for (int i = 0; i < 10; i++) {
        const struct hwc_fit fit = {.misses = misses_that_climb, .most_bytes = UINT64_C(1) << 30, .most = 300};
        size_t ways = 0;
        uint64_t period = 0;
        climb_first = 0.17 + 0.03 * i;
        assert_int_equal(hwc_fit_ways(&fit, 256, 4096, UINT64_C(1) << 20, &ways, &period, &error), HWC_OK);
        assert_int_equal(ways, 8);
        assert_int_equal(period, 4096);
    }
}

static void plateaus_are_levels(void **state)
{
    const double two[] = {0, 0.1, 0, -0.1, 0, 6.1, 9, 9, 9.1, 9, 9, 9, 9, 49.1, 51.5, 52.3, 52.6};
    const double one[] = {0, 0, 0, 2, 10, 10, 10, 10, 10};
    const double none[] = {1.4, 0.8, -0.8, 0.3, 6.5, 0.8, 2.4};
    /* Code on a Cascade Lake, whose time itself rises by as much as the small step at 64 pages. */
    const double code[] = {1.2, 1.1, 1.6, 1.4, 1.5, 2.2, 0.8, 5.7, 6.5, 30.6, 31, 30.8, 30.1, 32.5};
    const double code_packed[] = {27, 27.9, 28.6, 29.6, 29.4, 29.7, 31.2, 32.4, 33.6, 33.9, 33.9, 33.6, 34, 35.3};
    /* A second cache that overflows behind a second level's step (Broadwell, 2048 pages and more). */
    const double beyond[] = {0, 0, 9, 9, 9, 9, 9, 9, 9, 9, 38.9, 42, 45.7};
    /* A policy that is not LRU: sets of 8 that are asked for 11, 16 and 22. */
    const double filling[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 21.5, 24, 24.8, 25};
    const double beside[] = {0, 0, 0, 0, 11.2, 10, 10, 10, 10, 10, 60, 60, 60, 60};
    const double beside_packed[] = {5, 5, 5, 5, 18.9, 20, 20, 20, 20, 20, 20, 20, 20, 20};
    double plateau[2], packed[17];

    (void)state;
    for (int i = 0; i < 17; i++)
        packed[i] = 4;
    assert_int_equal(hwc_translation_plateaus(two, packed, sizeof two / sizeof two[0], false, plateau), 2);
    assert_true(fabs(plateau[0] - 9) < 0.01 && fabs(plateau[1] - 51.5) < 0.01);
    assert_int_equal(hwc_translation_plateaus(one, packed, sizeof one / sizeof one[0], false, plateau), 1);
    assert_true(plateau[0] == 10);
    assert_int_equal(hwc_translation_plateaus(code, code_packed, sizeof code / sizeof code[0], true, plateau), 1);
    assert_true(plateau[0] > 30);
    /* A first cache that overflows where the TLB does: of data the excess alone is looked at. */
    assert_int_equal(hwc_translation_plateaus(beside, beside_packed, sizeof beside / sizeof beside[0], false, plateau), 2);
    assert_true(fabs(plateau[0] - 10) < 0.1 && fabs(plateau[1] - 60) < 0.1);
    assert_int_equal(hwc_translation_plateaus(beyond, packed, sizeof beyond / sizeof beyond[0], false, plateau), 2);
    assert_true(fabs(plateau[0] - 9) < 0.1 && fabs(plateau[1] - 38.9) < 0.1);
    assert_int_equal(hwc_translation_plateaus(filling, packed, sizeof filling / sizeof filling[0], false, plateau), 1);
    assert_true(plateau[0] >= 24);
    for (int i = 0; i < 17; i++)
        packed[i] = 34;
    assert_int_equal(hwc_translation_plateaus(none, packed, sizeof none / sizeof none[0], true, plateau), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ways_and_period_are_found),
        cmocka_unit_test(periods_that_are_no_power_of_two_are_refused),
        cmocka_unit_test(a_number_that_room_bounds_is_no_number_of_ways),
        cmocka_unit_test(the_clock_names_no_number_without_a_step),
        cmocka_unit_test(the_clock_takes_what_stands_before_a_climb),
        cmocka_unit_test(plateaus_are_levels),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
