/* What a tick is worth between two pulses. */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>

#include <cmocka.h>

#include "clock.h"

static const struct native_clock calibrated = {.cycles_per_tick = 1.5};

static void assert_between(double before, double after, double cycles_per_tick, bool steady)
{
    bool found;

    assert_true(fabs(native_clock_between(&calibrated, before, after, &found) - cycles_per_tick) < 1e-9);
    assert_int_equal(found, steady);
}

static void a_tick_is_worth_less_when_pulses_take_longer(void **state)
{
    (void)state;
    assert_between(1.25, 1.25, 1.2, true);
    assert_between(0.75, 0.75, 2.0, true);
}

static void less_than_a_frequency_step_is_noise(void **state)
{
    (void)state;
    assert_between(1.01, 1.0, 1.5, true);
    assert_between(0.99, 0.99, 1.5, true);
}

static void pulses_that_differ_are_not_steady(void **state)
{
    (void)state;
    assert_between(1.0, 1.25, 1.5, false);
    assert_between(1.25, 1.0, 1.5, false);
}

/* On any machine: the calibrated clock's own pulse takes about as long as it was calibrated, at its quickest. */
static void a_pulse_is_near_one(void **state)
{
    struct native_clock clock;
    double least = INFINITY;

    (void)state;
    native_clock_calibrate(&clock);
    for (int i = 0; i < 1000; i++)
        least = fmin(least, native_clock_pulse(&clock));
    assert_true(least > 0.3 && least < 1.5);
    assert_true(clock.cycles_per_tick > 0 && clock.ticks_per_ns > 0 && clock.pulse_loads > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tick_is_worth_less_when_pulses_take_longer),
        cmocka_unit_test(less_than_a_frequency_step_is_noise),
        cmocka_unit_test(pulses_that_differ_are_not_steady),
        cmocka_unit_test(a_pulse_is_near_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
