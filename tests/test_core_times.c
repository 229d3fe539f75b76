/* What times and rates of instructions say of the core. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core_times.h"

static void assert_width(double rate, double other, bool known, double width)
{
    const double rates[] = {0, other, rate, rate / 2};
    double found = 0;

    assert_int_equal(hwc_core_width(rates, 4, &found), known);
    assert_true(found == width);
}

/* A loop's own instructions make a rate less than whole. */
static void a_rate_is_whole_or_a_least_number(void **state)
{
    static const struct {
        double rate, count;
        bool whole;
    } cases[] = {{1, 1, true},      {0.96, 1, true},  {5.93, 6, true},  {7.74, 8, true},   {8.05, 8, true},
                 {7.3, 8, false},   {0.5, 1, false},  {5.2, 6, false},  {6.13, 7, false},  {0, 0, false}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double count = -1;
        assert_int_equal(hwc_whole_rate(cases[i].rate, &count), cases[i].whole);
        assert_true(count == cases[i].count);
    }
}

/* Recorded on a virtual Zen 5: no-operations of 8, 6, 1 and 4 bytes. The last pair alone would pass for seven. */
static void a_width_takes_two_loops(void **state)
{
    (void)state;
    assert_width(7.74, 7.71, true, 8);
    assert_width(7.74, 7.3, false, 8);
    assert_width(7.3, 6.95, false, 8);
    assert_width(3.97, 3.91, true, 4);
    assert_width(0, 0, false, 0);
}

static void moves_are_eliminated_or_executed(void **state)
{
    (void)state;
    assert_int_equal(hwc_is_eliminated(5.98, 6, 2), HWC_SAID_YES);
    assert_int_equal(hwc_is_eliminated(8.01, 6, 2), HWC_SAID_NO);
    assert_int_equal(hwc_is_eliminated(15.8, 11.9, 2), HWC_SAID_NO);
    assert_int_equal(hwc_is_eliminated(7, 6, 2), HWC_SAID_NEITHER);
}

static void what_is_shorter_than_a_load_is_none(void **state)
{
    (void)state;
    assert_int_equal(hwc_is_renamed(0.5, 4), HWC_SAID_YES);
    assert_int_equal(hwc_is_renamed(4.5, 5), HWC_SAID_NEITHER);
    assert_int_equal(hwc_is_renamed(5, 5), HWC_SAID_NO);
    assert_int_equal(hwc_is_renamed(7, 4), HWC_SAID_NO);
}

/* Whatever the three ways take, from a cycle on, the load lies within the bounds. */
static void a_vector_load_lies_within_its_bounds(void **state)
{
    (void)state;
    for (int load = 4; load <= 9; load++)
        for (int back = 1; back <= 5; back++)
            for (int there = 1; there <= 5; there++) {
                const struct hwc_load_loops loops = {
                    .integer = 4, .vector_and_back = load + back, .there_and_back = there + back};
                struct hwc_load_bounds bounds = hwc_vector_load(&loops);
                assert_true(bounds.low <= load && load <= bounds.high);
                assert_true(bounds.low >= loops.integer);
                if (back == 1 && there == 1)
                    assert_true(bounds.low == load && bounds.high == load);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rate_is_whole_or_a_least_number),
        cmocka_unit_test(a_width_takes_two_loops),
        cmocka_unit_test(moves_are_eliminated_or_executed),
        cmocka_unit_test(what_is_shorter_than_a_load_is_none),
        cmocka_unit_test(a_vector_load_lies_within_its_bounds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
