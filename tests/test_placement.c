/* The CPUs that a process may use, beside the one that it was told to measure on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "placement.h"

static struct native_placement placed_on(int cpu)
{
    struct native_placement placement = {.cpu = cpu};

    CPU_ZERO(&placement.before);
    CPU_SET(3, &placement.before);
    CPU_SET(6, &placement.before);
    return placement;
}

static void the_cpu_that_measures_is_one_of_them(void **state)
{
    const struct native_placement placement = placed_on(6);

    (void)state;
    assert_int_equal(native_count_others(&placement), 1);
    assert_int_equal(native_other_allowed(&placement, 1), 3);
    assert_int_equal(native_other_allowed(&placement, 2), -1);
    assert_int_equal(native_allowed(&placement, 0), 3);
    assert_int_equal(native_allowed(&placement, 1), 6);
    assert_int_equal(native_allowed(&placement, 2), -1);
}

/* --cpu may name one that the process was not started on. */
static void also_if_it_was_not_at_first(void **state)
{
    const struct native_placement placement = placed_on(4);

    (void)state;
    assert_int_equal(native_count_others(&placement), 2);
    assert_int_equal(native_other_allowed(&placement, 2), 6);
    assert_int_equal(native_allowed(&placement, 0), 3);
    assert_int_equal(native_allowed(&placement, 1), 4);
    assert_int_equal(native_allowed(&placement, 2), 6);
    assert_int_equal(native_allowed(&placement, 3), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cpu_that_measures_is_one_of_them),
        cmocka_unit_test(also_if_it_was_not_at_first),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
