/* One set of a simulated cache under each policy: the misses of a cyclic walk
 * over as many lines as ways, and over one more. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "cache.h"
#include "policy_tree.h"
#include "set_model.h"

static const char *const names[] = {"lru",  "fifo",  "random", "tree-plru", "bit-plru",
                                    "nru",  "srrip", "QLRU_H11_M1_R0_U0", "QLRU_H00_M1_R2_U1", "QLRU_H11_M1_R1_U2",
                                    "LRU3PLRU4", "(MRU+1)%3PLRU4", "LRU4PLRU2", "LRU2PLRU8"};

static bool suits(const char *name, unsigned ways)
{
    struct hwc_policy policy;

    return hwc_policy_parse(name, &policy) && hwc_policy_suits(&policy, ways);
}

static unsigned misses_per_pass(const char *name, unsigned ways, unsigned lines, unsigned warm)
{
    struct sim_cache_shape shape = {.size_bytes = UINT64_C(64) * ways, .line_bytes = 64, .ways = ways, .slices = 1};
    struct sim_cache cache;
    struct hwc_random random;
    struct hwc_error error;
    unsigned misses = 0;

    hwc_random_seed(&random, 3);
    assert_true(hwc_policy_parse(name, &shape.policy));
    assert_int_equal(sim_cache_init(&cache, &shape, &error), HWC_OK);
    for (unsigned pass = 0; pass <= warm; pass++) {
        misses = 0;
        for (unsigned line = 0; line < lines; line++) {
            uint64_t evicted;
            if (sim_cache_access(&cache, 0, line))
                continue;
            misses++;
            sim_cache_fill(&cache, 0, line, &random, &evicted);
        }
    }
    sim_cache_free(&cache);
    return misses;
}

static void as_many_lines_as_ways_stay_under_every_policy(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        for (unsigned ways = 1; ways <= 24; ways++)
            if (suits(names[i], ways) && misses_per_pass(names[i], ways, ways, 3) != 0)
                fail_msg("%s, %u ways", names[i], ways);
}

static void one_line_more_never_stays(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        for (unsigned ways = 1; ways <= 24; ways++) {
            unsigned misses = 0;
            if (!suits(names[i], ways))
                continue;
            for (unsigned warm = 20; warm < 60; warm++)
                misses += misses_per_pass(names[i], ways, ways + 1, warm);
            if (misses < 20)
                fail_msg("%s, %u ways: %u misses in 40 passes", names[i], ways, misses);
        }
}

static void lru_and_fifo_miss_all_of_one_line_more(void **state)
{
    (void)state;
    assert_int_equal(misses_per_pass("lru", 8, 9, 10), 9);
    assert_int_equal(misses_per_pass("fifo", 8, 9, 10), 9);
    assert_int_equal(misses_per_pass("tree-plru", 8, 9, 20), 9);
}

static unsigned misses_of(const char *name, unsigned ways, const uint8_t *lines, size_t count)
{
    struct hwc_random random;
    struct hwc_set_model model;
    struct hwc_policy policy;

    hwc_random_seed(&random, 1);
    assert_true(hwc_policy_parse(name, &policy));
    hwc_policy_prepare(&policy, ways);
    hwc_set_model_init(&model, &policy, ways, false);
    return hwc_set_model_play(&model, lines, count, &random);
}

/* With two groups, both rules (least recently touched, next after the last touched) choose as a tree's root does. */
static void two_groups_are_a_tree(void **state)
{
    struct hwc_random random;

    (void)state;
    hwc_random_seed(&random, 5);
    for (int round = 0; round < 100; round++) {
        uint8_t lines[200];
        for (size_t i = 0; i < 200; i++)
            lines[i] = (uint8_t)hwc_random_below(&random, 11);
        assert_int_equal(misses_of("LRU2PLRU4", 8, lines, 200), misses_of("tree-plru", 8, lines, 200));
        assert_int_equal(misses_of("(MRU+1)%2PLRU4", 8, lines, 200), misses_of("tree-plru", 8, lines, 200));
    }
}

/* Twelve lines fill the groups one after another. As 0 is touched again, the second group is the least recently used,
 * and 12 evicts its first line, 4. Under lru it evicts 1. */
static void the_oldest_group_gives_the_victim(void **state)
{
    static const uint8_t lines[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0, 12, 5, 6, 7, 4};

    (void)state;
    assert_int_equal(misses_of("LRU3PLRU4", 12, lines, 17), 13);
    assert_int_equal(misses_of("LRU3PLRU4", 12, lines, 18), 14);
    assert_int_equal(misses_of("lru", 12, lines, 18), 13);
}

static void names_without_meaning_are_refused(void **state)
{
    struct hwc_policy policy;

    (void)state;
    assert_false(hwc_policy_parse("mru", &policy));
    assert_false(hwc_policy_parse("QLRU_H31_M1_R0_U0", &policy));
    assert_false(hwc_policy_parse("QLRU_H11_M1_R0_U2", &policy)); /* no line of age 3 to evict */
    assert_false(hwc_policy_parse("QLRU_H11_M1_R0_U0_X", &policy));
    assert_false(hwc_policy_parse("LRU3PLRU4_", &policy));
    assert_false(hwc_policy_parse("LRU3PLRU3", &policy)); /* 3 leaves make no tree */
    assert_false(hwc_policy_parse("LRU99PLRU4", &policy));
    assert_true(hwc_policy_parse("LRU3PLRU4", &policy));
    assert_true(hwc_policy_suits(&policy, 12));
    assert_false(hwc_policy_suits(&policy, 8));
    assert_true(hwc_policy_parse("QLRU_H11_MR161_R1_U2", &policy));
    assert_int_equal(policy.insert_one_in, 16);
    assert_int_equal(policy.insert_age, 1);
}

static unsigned ways_for(const char *name, struct hwc_random *random)
{
    struct hwc_policy policy;

    assert_true(hwc_policy_parse(name, &policy));
    return policy.leaves > 0 ? (unsigned)policy.groups * policy.leaves : 2 + (unsigned)hwc_random_below(random, 19);
}

#define LENGTH 200
#define SEED 20261121

/* The model that the replacement probe predicts with, against a set of a simulated cache. */
static void the_model_of_a_set_misses_what_a_cache_does(void **state)
{
    struct hwc_random random;

    (void)state;
    print_message("seed %d\n", SEED);
    hwc_random_seed(&random, SEED);
    for (unsigned i = 0; i < 400; i++) {
        const char *name = names[i % (sizeof names / sizeof names[0])];
        unsigned ways = ways_for(name, &random);
        struct sim_cache_shape shape = {.size_bytes = UINT64_C(64) * ways, .line_bytes = 64, .ways = ways, .slices = 1};
        struct hwc_random for_cache, for_model;
        struct hwc_set_model model;
        struct sim_cache cache;
        struct hwc_error error;
        uint8_t sequence[LENGTH];
        unsigned misses = 0;

        assert_true(hwc_policy_parse(name, &shape.policy));
        assert_int_equal(sim_cache_init(&cache, &shape, &error), HWC_OK);
        hwc_random_seed(&for_cache, i);
        hwc_random_seed(&for_model, i);
        hwc_set_model_init(&model, &cache.shape.policy, ways, false);
        for (int round = 0; round < 2; round++) {
            for (int k = 0; k < LENGTH; k++) {
                sequence[k] = (uint8_t)hwc_random_below(&random, ways + 3);
                misses += !sim_cache_touch(&cache, 0, sequence[k], &for_cache);
            }
            misses -= hwc_set_model_play(&model, sequence, LENGTH, &for_model);
            if (misses != 0)
                print_message("%s, %u ways, round %d\n", name, ways, round);
            assert_int_equal(misses, 0);
            for (unsigned line = 0; line < ways + 3; line++)
                sim_cache_remove(&cache, 0, line);
            hwc_set_model_flush(&model, !hwc_policy_is_tree(&shape.policy));
        }
        sim_cache_free(&cache);
    }
}

static void a_looked_up_victim_is_the_one_that_is_walked_to(void **state)
{
    struct hwc_random random;
    struct hwc_policy policy;

    (void)state;
    hwc_random_seed(&random, 5);
    assert_true(hwc_policy_parse("tree-plru", &policy));
    for (unsigned ways = 4; ways <= HWC_TREE_WAYS; ways += 4) {
        hwc_policy_prepare(&policy, ways);
        for (int i = 0; i < 1000; i++) {
            uint64_t nodes = hwc_random_next(&random);
            assert_int_equal(hwc_policy_victim(&policy, &nodes, ways, &random),
                             hwc_tree_victim(&nodes, (struct hwc_range){0, ways}));
        }
    }
}

static void a_touch_is_an_access_and_a_fill(void **state)
{
    (void)state;
    for (unsigned ways = 1; ways <= 128; ways++) {
        struct sim_cache_shape shape = {.size_bytes = UINT64_C(64) * ways, .line_bytes = 64, .ways = ways, .slices = 1};
        struct sim_cache touched, filled;
        struct hwc_random random;
        struct hwc_error error;
        uint64_t evicted;
        hwc_random_seed(&random, ways);
        assert_int_equal(sim_cache_init(&touched, &shape, &error), HWC_OK);
        assert_int_equal(sim_cache_init(&filled, &shape, &error), HWC_OK);
        for (int i = 0; i < 1000; i++) {
            uint64_t line = hwc_random_below(&random, ways + ways / 4 + 1);
            bool hit = sim_cache_access(&filled, 0, line);
            if (!hit)
                sim_cache_fill(&filled, 0, line, &random, &evicted);
            assert_int_equal(sim_cache_touch(&touched, 0, line, &random), hit);
        }
        sim_cache_free(&touched);
        sim_cache_free(&filled);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_looked_up_victim_is_the_one_that_is_walked_to),
        cmocka_unit_test(a_touch_is_an_access_and_a_fill),
        cmocka_unit_test(the_model_of_a_set_misses_what_a_cache_does),
        cmocka_unit_test(as_many_lines_as_ways_stay_under_every_policy),
        cmocka_unit_test(one_line_more_never_stays),
        cmocka_unit_test(lru_and_fifo_miss_all_of_one_line_more),
        cmocka_unit_test(two_groups_are_a_tree),
        cmocka_unit_test(the_oldest_group_gives_the_victim),
        cmocka_unit_test(names_without_meaning_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
