/* Banks read off the times of pairs of loads. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "banks.h"
#include "random.h"

#define SEED 20261128

/* A cache of so many banks, so many places wide; and of the pairs in one bank, and of all others, so many are slow. */
struct cache {
    unsigned banks, width;
    double free_cycles, slow_cycles, in, out;
};

static struct hwc_pair_times times;
static struct hwc_banks banks;

static void take(const struct cache *cache, unsigned readings, struct hwc_random *random)
{
    unsigned period = cache->banks * cache->width;

    times.readings = readings;
    for (unsigned i = 0; i < HWC_PAIR_PLACES; i++)
        for (unsigned k = 0; k < readings; k++) {
            double chance = i % period < cache->width ? cache->in : cache->out;
            double cycles = hwc_random_unit(random) < chance ? cache->slow_cycles : cache->free_cycles;
            times.cycles[i][k] = cycles * (1 + 0.03 * hwc_random_normal(random));
        }
    hwc_banks_read(&times, &banks);
}

static void banks_that_always_conflict_are_seen_at_once(void **state)
{
    static const struct cache caches[] = {{16, 1, 1, 2, 1, 0},     {8, 2, 1, 2, 1, 0},  {16, 4, 0.5, 1, 1, 0},
                                          {2, 8, 1, 2, 1, 0.02},   {2, 1, 1, 2, 1, 0},  {32, 4, 1, 3, 1, 0.05},
                                          {12, 4, 0.67, 2, 1, 0.01}, {16, 1, 0.67, 1, 1, 0}};
    struct hwc_random random;

    (void)state;
    hwc_random_seed(&random, SEED);
    for (size_t i = 0; i < sizeof caches / sizeof caches[0]; i++) {
        take(&caches[i], 16, &random);
        assert_int_equal(banks.seen, HWC_BANKS_SEEN);
        assert_int_equal(banks.width, caches[i].width);
        assert_int_equal(banks.period, caches[i].banks * caches[i].width);
        assert_true(banks.share == 1);
        assert_true(fabs(banks.free_cycles - caches[i].free_cycles) < 0.02);
        assert_true(fabs(banks.penalty - (caches[i].slow_cycles - caches[i].free_cycles)) < 0.05);
    }
}

/* Where each of twelve ways has banks of its own, one pair in twelve conflicts; and a sibling slows down others. */
static void few_pairs_of_a_bank_need_conflict(void **state)
{
    static const struct cache cache = {8, 1, 0.55, 1.05, 1.0 / 12, 0.02};
    struct hwc_random random;

    (void)state;
    hwc_random_seed(&random, SEED);
    for (unsigned i = 0; i < 20; i++) {
        take(&cache, 64, &random);
        assert_int_equal(banks.seen, HWC_BANKS_SEEN);
        assert_true(banks.period == 8 && banks.width == 1 && banks.share > 0.06 && banks.share < 0.12);
        assert_true(fabs(banks.penalty - 0.5) < 0.02);
    }
}

static void none_are_seen_where_place_does_not_matter(void **state)
{
    static const struct cache caches[] = {{2, 1, 1, 2, 0, 0}, {2, 1, 0.5, 1.2, 0.02, 0.02}, {2, 1, 1, 9, 0.2, 0.2}};
    struct hwc_random random;

    (void)state;
    hwc_random_seed(&random, SEED);
    for (unsigned i = 0; i < 60; i++) {
        take(&caches[i % 3], 64, &random);
        assert_true(banks.seen == HWC_BANKS_NONE || banks.seen == HWC_BANKS_UNDECIDED);
        assert_true(banks.share == 0 && banks.penalty == 0);
    }
}

static void what_cannot_be_told_is_not_said(void **state)
{
    static const struct cache one_load = {2, 1, 2, 3, 0, 0}, scatter = {2, 1, 1, 3, 0.5, 0.5};
    struct hwc_random random;

    (void)state;
    hwc_random_seed(&random, SEED);
    take(&one_load, 64, &random);
    assert_int_equal(banks.seen, HWC_BANKS_ONE_LOAD);
    take(&scatter, 64, &random);
    assert_int_equal(banks.seen, HWC_BANKS_SCATTER);
}

/* A width that does not divide the period; places that do not recur; and places of two periods. */
static void other_slow_places_are_not_banks(void **state)
{
    static const struct cache odd = {2, 3, 1, 2, 1, 0}, none = {2, 1, 1, 2, 0, 0};
    struct hwc_random random;

    (void)state;
    hwc_random_seed(&random, SEED);
    take(&odd, 16, &random);
    assert_int_equal(banks.seen, HWC_BANKS_SEEN);
    for (unsigned i = 0; i < HWC_PAIR_PLACES; i++)
        for (unsigned k = 0; k < 16; k++)
            times.cycles[i][k] = i % 8 < 3 ? 2 : 1;
    hwc_banks_read(&times, &banks);
    assert_int_equal(banks.seen, HWC_BANKS_OTHERWISE);
    take(&none, 16, &random);
    for (unsigned i = 0; i < 32; i++)
        for (unsigned k = 0; k < 16; k++)
            times.cycles[i][k] = 2;
    hwc_banks_read(&times, &banks);
    assert_int_equal(banks.seen, HWC_BANKS_OTHERWISE);
    take(&none, 16, &random);
    for (unsigned i = 0; i < HWC_PAIR_PLACES; i += i / 16 % 2 == 0 ? 16 : 19)
        for (unsigned k = 0; k < 16; k++)
            times.cycles[i][k] = 2;
    hwc_banks_read(&times, &banks);
    assert_int_equal(banks.seen, HWC_BANKS_OTHERWISE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(banks_that_always_conflict_are_seen_at_once),
        cmocka_unit_test(few_pairs_of_a_bank_need_conflict),
        cmocka_unit_test(none_are_seen_where_place_does_not_matter),
        cmocka_unit_test(what_cannot_be_told_is_not_said),
        cmocka_unit_test(other_slow_places_are_not_banks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
