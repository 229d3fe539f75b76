/* What readings have in common to which others only add, for a while. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "common_least.h"

enum { ENOUGH = 3 };

static const double within = 0.1;

static void moods_of_others_do_not_speak_against_the_least(void **state)
{
    const double readings[] = {43.3, 33.4, 48.3, 33.0, 49.1, 33.2};
    struct hwc_common_least found;

    (void)state;
    assert_false(hwc_find_common_least(readings, 5, within, ENOUGH, &found));
    assert_true(hwc_find_common_least(readings, 6, within, ENOUGH, &found));
    assert_true(found.value == 33.2);
    assert_int_equal(found.alike, 3);
    assert_int_equal(found.lesser, 0);
}

static void one_alone_may_be_less(void **state)
{
    const double readings[] = {33.4, 20, 34, 33, 21};
    struct hwc_common_least found;

    (void)state;
    assert_true(hwc_find_common_least(readings, 4, within, ENOUGH, &found));
    assert_true(found.value == 33.4);
    assert_int_equal(found.lesser, 1);
    assert_false(hwc_find_common_least(readings, 5, within, ENOUGH, &found));
}

static void few_readings_have_nothing_in_common(void **state)
{
    const double readings[] = {33.4, 33.4};
    struct hwc_common_least found;

    (void)state;
    assert_false(hwc_find_common_least(readings, 2, within, ENOUGH, &found));
    assert_false(hwc_find_common_least(readings, 0, within, ENOUGH, &found));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moods_of_others_do_not_speak_against_the_least),
        cmocka_unit_test(one_alone_may_be_less),
        cmocka_unit_test(few_readings_have_nothing_in_common),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
