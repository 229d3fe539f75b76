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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_level_where_the_next_level_holds_the_lines),
        cmocka_unit_test(what_memory_takes_is_no_miss_of_it),
        cmocka_unit_test(what_somebody_else_did_to_few_lines_is_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
