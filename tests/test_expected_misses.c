/* FIRA: what is expected of a level, what policies keep of an array, and what follows. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fira.h"

static const struct hwc_fira_level even = {.bytes = 32768, .ways = 8}, spread = {.bytes = 32768, .ways = 8, .by_chance = true};
static const struct hwc_fira_phase own = {0, 32768, 64}, next = {32768, 65536, 64};

static void lru_holds_the_last_lines(void **state)
{
    (void)state;
    assert_true(hwc_fira_misses(&even, &own) == 0);
    assert_true(hwc_fira_misses(&even, &next) == 512);
}

/* The sets that are not full hold farther lines instead: in all, a level holds as many lines as it has room for. */
static void lines_spread_by_chance_miss_early_and_hit_late(void **state)
{
    static const struct hwc_fira_phase all = {0, 10 * 32768, 64};
    double held = 10 * 512 - hwc_fira_misses(&spread, &all);

    (void)state;
    assert_true(hwc_fira_misses(&spread, &own) > 50 && hwc_fira_misses(&spread, &own) < 100);
    assert_true(hwc_fira_misses(&spread, &next) < 512);
    assert_true(fabs(held - 512) < 5);
}

static double kept(const char *name, unsigned ways, double above)
{
    struct hwc_policy policy;
    struct hwc_random random;

    hwc_random_seed(&random, 1);
    assert_true(hwc_policy_parse(name, &policy));
    return hwc_fira_kept(&policy, ways, above, &random);
}

static void orders_and_trees_keep_what_lru_keeps(void **state)
{
    static const char *const names[] = {"lru", "fifo", "tree-plru"};

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_true(kept(names[i], 8, 0) == 1 && kept(names[i], 16, 0.125) == 1);
}

static void other_policies_do_not(void **state)
{
    (void)state;
    assert_in_range((uintmax_t)(100 * kept("bit-plru", 12, 0)), 85, 96);
    assert_in_range((uintmax_t)(100 * kept("random", 16, 0)), 50, 80);
    assert_true(kept("lru", 64, 0) < 0); /* more lines than the model has names */
}

static void half_a_line_a_set_is_not_lru(void **state)
{
    static const struct hwc_fira_level large = {1 << 20, 16, false, 0}, hashed = {1 << 20, 16, true, 0};
    static const struct hwc_fira_level paged = {1 << 20, 16, true, 64};
    static const struct hwc_fira_phase all = {0, 1 << 20, 64};
    double by_chance = hwc_fira_misses(&hashed, &all);

    (void)state;
    assert_int_equal(hwc_fira_judge(&large, &all, 0), HWC_FIRA_AS_LRU);
    assert_int_equal(hwc_fira_judge(&large, &all, 500), HWC_FIRA_AS_LRU); /* of 1024 sets */
    assert_int_equal(hwc_fira_judge(&large, &all, 520), HWC_FIRA_NOT_LRU);
    assert_int_equal(hwc_fira_judge(&hashed, &all, 500), HWC_FIRA_AS_LRU);
    assert_int_equal(hwc_fira_judge(&hashed, &all, by_chance), HWC_FIRA_OPEN);
    assert_int_equal(hwc_fira_judge(&hashed, &all, by_chance + 520), HWC_FIRA_NOT_LRU);
    assert_int_equal(hwc_fira_judge(&paged, &all, by_chance + 512 + 15 * sqrt(by_chance)), HWC_FIRA_OPEN);
    assert_int_equal(hwc_fira_judge(&paged, &all, by_chance + 512 + 17 * sqrt(by_chance)), HWC_FIRA_NOT_LRU);
    assert_int_equal(hwc_fira_judge_beside(&large, &all, 400, 50), HWC_FIRA_AS_LRU);
    assert_int_equal(hwc_fira_judge_beside(&large, &all, 500, 50), HWC_FIRA_OPEN);
    assert_int_equal(hwc_fira_judge_beside(&large, &all, 600, 50), HWC_FIRA_NOT_LRU);
    assert_int_equal(hwc_fira_judge_beside(&hashed, &all, 60, 50), HWC_FIRA_AS_LRU);
    assert_int_equal(hwc_fira_judge_beside(&hashed, &all, 400, 50), HWC_FIRA_OPEN); /* half of its sets are full */
    assert_int_equal(hwc_fira_judge_beside(&hashed, &all, 600, 50), HWC_FIRA_NOT_LRU);
}

/* Table 3 of the paper. */
static void accuracy_is_as_in_the_paper(void **state)
{
    (void)state;
    assert_int_equal(lround(100 * hwc_fira_accuracy(32256, 31618)), 98);
    assert_int_equal(lround(100 * hwc_fira_accuracy(3584, 2912)), 81);
    assert_true(hwc_fira_accuracy(100, 125) == 0.8 && hwc_fira_accuracy(0, 0) == 1 && hwc_fira_accuracy(0, 5) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lru_holds_the_last_lines),
        cmocka_unit_test(lines_spread_by_chance_miss_early_and_hit_late),
        cmocka_unit_test(orders_and_trees_keep_what_lru_keeps),
        cmocka_unit_test(other_policies_do_not),
        cmocka_unit_test(half_a_line_a_set_is_not_lru),
        cmocka_unit_test(accuracy_is_as_in_the_paper),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
