/* What a miss of the first level takes, by what more and more lines of a set take longer. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "miss_cost.h"

#define COST_OF(least, ...)                                                                                            \
    hwc_cost_of_miss((const double[]){__VA_ARGS__}, sizeof((const double[]){__VA_ARGS__}) / sizeof(double), least)

static void it_is_level_where_the_next_level_holds_the_lines(void **state)
{
    const double longer[] = {0, 0.01, 0, 9.99, 10, 10.01};

    (void)state;
    for (unsigned heights = 0; heights < 6; heights++)
        assert_false(hwc_is_cost_level(longer, heights, 2));
    assert_true(hwc_is_cost_level(longer, 6, 2));
    assert_true(hwc_cost_of_miss(longer, 6, 2) == 9.99);
    assert_true(COST_OF(2, 0, 0, 0, 3.89, 6.99, 7, 7) == 6.99);
}

/* Simulated: 8 ways above 2, 16 above 4, 8 above 8 of which lines at one place reach a quarter. */
static void what_memory_takes_is_no_miss_of_it(void **state)
{
    (void)state;
    assert_true(COST_OF(1.5, 0, 0, 0, 0, 0, 7, 31.78, 72.52, 58.35, 91.89, 100.39, 122.54, 137.75, 172.79) == 7);
    assert_true(COST_OF(2, 0, 0, 0, 0, 0, 4, 5.6, 22.26, 17.89, 36.64, 43.97, 41.68, 46) == 5.6);
    assert_true(COST_OF(2, 0, 0, 0, 0, 0, 3.99, 5.59, 13.35, 33.91, 40.18, 44.32, 47.29, 50.87, 51.19) == 5.59);
    assert_true(COST_OF(2, 0, 0, 0, 5.14, 5.14, 6, 6, 92.9, 58.97, 146, 127.02, 146) == 5.14);
}

static void what_somebody_else_did_to_few_lines_is_none(void **state)
{
    (void)state;
    assert_true(COST_OF(2, 0, 2.6, 0, 9.3, 9.4, 9.4) == 9.3);
    assert_true(COST_OF(2, 0, 0.1, 0, 1.9) == 0);
    assert_true(COST_OF(2, 0, 0, 0, 8) == 8);
}

static bool may_be_part(const double *longer, unsigned heights, double most)
{
    unsigned first;

    return hwc_may_be_part_of_miss(longer, heights, 2, most, &first) && first == 4;
}

/* Simulated: tree-plru of 12 ways, of which 14 lines miss a quarter. */
static void few_lines_too_many_may_show_a_part_of_it(void **state)
{
    const double part[] = {0, 0, 0, 0, 2.85, 10, 9.98, 10}, half[] = {0, 0, 0, 0, 5, 10, 10, 10},
                 growing[] = {0, 0, 0, 0, 2.85, 10, 30, 31}, miss[] = {0, 0, 0, 0, 7, 7, 100, 100};

    (void)state;
    assert_true(may_be_part(part, 8, 9.9));
    assert_false(may_be_part(part, 8, 9)); /* footprints take less than that: it is farther than the next level */
    assert_false(may_be_part(part, 6, 9.9));
    assert_false(may_be_part(half, 8, 9.9));
    assert_false(may_be_part(growing, 8, 40));
    assert_false(may_be_part(miss, 8, 100));
    assert_true(hwc_makes_difference(2, 2.85) && hwc_makes_difference(2.85, 2));
    assert_false(hwc_makes_difference(7, 7.2) || hwc_makes_difference(7.2, 7));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_level_where_the_next_level_holds_the_lines),
        cmocka_unit_test(what_memory_takes_is_no_miss_of_it),
        cmocka_unit_test(what_somebody_else_did_to_few_lines_is_none),
        cmocka_unit_test(few_lines_too_many_may_show_a_part_of_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
