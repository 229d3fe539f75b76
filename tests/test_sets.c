/* The number of sets, from the number of lines that fit (hwc_whole_sets). */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>

#include <cmocka.h>

#include "conflict.h"
#include "fake_machine.h"
#include "kept_arena.h"
#include "kept_sets.h"
#include "random.h"

#define SEED 20261122

static void a_quiet_machine_takes_whole_sets_only(void **state)
{
    (void)state;
    for (size_t sets = 1; sets <= 300; sets++)
        for (size_t ways = 1; ways <= 32; ways++) {
            assert_int_equal(hwc_whole_sets(sets * ways, ways, false), sets);
            if (ways > 1) {
                assert_int_equal(hwc_whole_sets(sets * ways - 1, ways, false), 0);
                assert_int_equal(hwc_whole_sets(sets * ways + 1, ways, false), 0);
            }
        }
}

/* Others occupy up to one line in forty. */
static void powers_of_two_are_found_with_lines_missing(void **state)
{
    struct hwc_random random;

    (void)state;
    hwc_random_seed(&random, SEED);
    for (int round = 0; round < 2000; round++) {
        size_t sets = (size_t)1 << hwc_random_below(&random, 8), ways = 4 + hwc_random_below(&random, 17);
        size_t lines = sets * ways - hwc_random_below(&random, sets * ways / 40 + 1);
        if (hwc_whole_sets(lines, ways, true) != sets)
            fail_msg("seed %d: %zu sets of %zu, %zu lines: %llu", SEED, sets, ways, lines,
                     (unsigned long long)hwc_whole_sets(lines, ways, true));
    }
}

/* With as many lines missing, any number of sets is found as itself, a power of two within 4 % of it, or not at all. */
static void other_numbers_are_never_taken_for_their_neighbours(void **state)
{
    struct hwc_random random;

    (void)state;
    hwc_random_seed(&random, SEED);
    for (int round = 0; round < 5000; round++) {
        size_t sets = 3 + hwc_random_below(&random, 200), ways = 4 + hwc_random_below(&random, 17);
        size_t lines = sets * ways - hwc_random_below(&random, sets * ways / 40 + 1);
        uint64_t found = hwc_whole_sets(lines, ways, true);
        double off = (double)found / (double)sets;
        bool power = (found & (found - 1)) == 0;
        if (found != 0 && found != sets && (!power || off < 0.96 || off > 1.04))
            fail_msg("seed %d: %zu sets of %zu, %zu lines: %llu", SEED, sets, ways, lines, (unsigned long long)found);
    }
}

/* A set of so many lines and evictors, told by its first line. */
static struct hwc_set set_of(uint64_t first, size_t lines, size_t evictors)
{
    return (struct hwc_set){.line = {first}, .lines = lines, .evictors = evictors};
}

static void a_set_is_kept_for_other_probes(void **state)
{
    struct hwc_arena arena;
    const struct hwc_conflict_plan plan = {.level = 2, .arena = &arena, .stride = 4096};
    const struct hwc_conflict_plan below = {.level = 3, .arena = &arena, .stride = 4096};
    const struct hwc_set few = set_of(1, 10, 2), many = set_of(2, 20, 2);
    struct fake_machine fake;
    struct hwc_error error;
    struct hwc_set set;

    (void)state;
    fake_machine_open(&fake, NULL, NULL);
    assert_int_equal(hwc_borrow_arena(&fake.lab, 8192, HWC_BASE_PAGES, &arena, &error), HWC_OK);
    fake.lab.probe_started = 1;
    hwc_keep_set(&fake.lab, &plan, &few, 8);
    hwc_keep_set(&fake.lab, &plan, &many, 8);
    assert_false(hwc_take_kept_set(&fake.lab, &plan, 10, 2, &set)); /* by the probe that found it */
    fake.lab.probe_started = 2;
    assert_false(hwc_take_kept_set(&fake.lab, &below, 10, 2, &set));
    assert_true(hwc_take_kept_set(&fake.lab, &plan, 15, 4, &set));
    assert_int_equal(set.line[0], 2);
    assert_int_equal(set.lines, 15);
    assert_int_equal(set.evictors, 4);
    assert_false(hwc_take_kept_set(&fake.lab, &plan, 15, 4, &set)); /* not the same one twice */
    assert_true(hwc_take_kept_set(&fake.lab, &plan, 5, 20, &set));
    assert_int_equal(set.line[0], 1);
    assert_int_equal(set.evictors, 8);
    hwc_return_arena(&fake.lab, &arena);
    fake_machine_close(&fake);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_quiet_machine_takes_whole_sets_only),
        cmocka_unit_test(powers_of_two_are_found_with_lines_missing),
        cmocka_unit_test(other_numbers_are_never_taken_for_their_neighbours),
        cmocka_unit_test(a_set_is_kept_for_other_probes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
