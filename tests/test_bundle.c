/* Which operations begin in the same cycle: drawn cores, by what their units can do. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bundle.h"

/* Units for the one only, for the other only, and for both: cycles when each or both are done at full rate. */
static struct hwc_bundle core_of(double one_only, double other_only, double either)
{
    double one = 1 / (one_only + either), other = 1 / (other_only + either);

    double both = fmax(fmax(one, other), 2 / (one_only + other_only + either));

    return (struct hwc_bundle){one, other, 2, {both, both}};
}

static void assert_share(double one_only, double other_only, double either, double share)
{
    const struct hwc_bundle bundle = core_of(one_only, other_only, either);

    assert_true(fabs(hwc_hidden_share(&bundle) - share) < 0.01);
}

static void different_units_work_in_the_same_cycle(void **state)
{
    (void)state;
    assert_share(2, 2, 0, 1); /* additions and products of doubles, each by two units */
    assert_share(4, 1, 0, 1);
    assert_share(1, 1, 0, 1);
}

static void the_same_units_take_turns(void **state)
{
    (void)state;
    assert_share(0, 0, 1, 0);
    assert_share(0, 0, 2, 0);
    assert_share(0, 0, 4, 0);
}

/* Of four units that add, one multiplies, too: while it does, three are left to add, and one is needed. */
static void where_some_units_do_both_a_part_is_hidden(void **state)
{
    const struct hwc_bundle bundle = core_of(1, 0, 2);

    (void)state;
    assert_share(3, 0, 1, 1);
    assert_true(hwc_hidden_share(&bundle) > 0.1 && hwc_hidden_share(&bundle) < 0.9);
}

/* Times are right to a percent or two. */
static void errors_of_times_make_no_other_answer(void **state)
{
    (void)state;
    for (int percent = -2; percent <= 2; percent++) {
        double error = percent / 100.0;
        const struct hwc_bundle same = {0.25 * (1 + error), 0.5, 1, {0.75 * (1 - error)}};
        const struct hwc_bundle apart = {0.25, 0.5 * (1 + error), 1, {0.5}};
        assert_true(hwc_hidden_share(&same) < 0.2);
        assert_true(hwc_hidden_share(&apart) > 0.9);
    }
}

static void what_is_limited_otherwise_is_not_told(void **state)
{
    static const struct hwc_bundle bundles[] = {
        {0.25, 0.25, 2, {0.8, 0.8}}, /* slower together than one after the other: moves, or too few registers */
        {0.25, 7, 2, {7.25, 7.25}}, /* a division, beside which an addition is lost in errors */
        {0.5, 0.5, 2, {0.3, 0.3}}, /* faster together than each alone: that was no full rate */
        {0.5, 0.5, 0, {0}}, {0, 0.5, 1, {0.5}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof bundles / sizeof bundles[0]; i++)
        assert_true(isnan(hwc_hidden_share(&bundles[i])));
}

/* Additions of doubles beside products of them, as a virtual Zen 5 takes them: with no spare variable they wait. */
static void what_more_variables_make_quicker_is_not_told(void **state)
{
    const struct hwc_bundle falls = {0.5, 0.5, 2, {0.61, 0.7}}, steady = {0.5, 0.5, 3, {0.61, 0.62, 0.7}};
    const struct hwc_bundle alone = {0.5, 0.5, 1, {0.61}}, none = {0.5, 0.5, 1, {0.98}}, all = {0.5, 0.5, 2, {0.5, 0.61}};

    (void)state;
    assert_true(isnan(hwc_hidden_share(&falls)) && isnan(hwc_hidden_share(&alone)));
    assert_true(hwc_hidden_share(&steady) > 0.7 && hwc_hidden_share(&steady) < 0.8);
    assert_true(hwc_hidden_share(&none) < 0.1 && hwc_hidden_share(&all) > 0.9);
}

static void an_operation_needs_as_many_variables_as_begin_in_its_latency(void **state)
{
    (void)state;
    assert_int_equal(hwc_variables_for(1, 0.25), 4);
    assert_int_equal(hwc_variables_for(3, 0.34), 9);
    assert_int_equal(hwc_variables_for(3, 0.33), 10);
    assert_int_equal(hwc_variables_for(4.01, 0.5), 8);
    assert_int_equal(hwc_variables_for(3, 1), 3);
    assert_int_equal(hwc_variables_for(1, 1), 1);
    assert_int_equal(hwc_variables_for(0.5, 1), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(different_units_work_in_the_same_cycle),
        cmocka_unit_test(the_same_units_take_turns),
        cmocka_unit_test(where_some_units_do_both_a_part_is_hidden),
        cmocka_unit_test(errors_of_times_make_no_other_answer),
        cmocka_unit_test(what_is_limited_otherwise_is_not_told),
        cmocka_unit_test(what_more_variables_make_quicker_is_not_told),
        cmocka_unit_test(an_operation_needs_as_many_variables_as_begin_in_its_latency),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
