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

/* Time stamps advance by 0.007 of a pulse at once, half of the pulses are made longer by others, and one in a hundred by
 * an interrupt. */
static double pulse_at(unsigned i, double slower)
{
    const double step = 0.007, phase = fmod(i * 0.618034, 1);

    return (floor(slower / step + phase)) * step * (1 + 0.05 * (i * 7 % 10 > 4) + 0.3 * (i % 100 == 99));
}

/* A frequency that changes by a hundredth now and then: what a tick is worth follows, within what pulses vary by. */
static void a_slow_drift_is_followed(void **state)
{
    const double frequency[] = {1, 1.01, 1.02, 1.03, 0.99, 1};
    struct native_drift drift = {.given = 0};
    double worth = 1;

    (void)state;
    for (unsigned at = 0; at < sizeof frequency / sizeof frequency[0]; at++) {
        for (unsigned i = 0; i < 64; i++)
            worth /= native_drift_follow(&drift, pulse_at(i, worth / frequency[at]));
        assert_true(fabs(worth / frequency[at] - 1) <= 0.003);
    }
}

static void noise_is_no_drift(void **state)
{
    struct native_drift drift = {.given = 0};

    (void)state;
    for (unsigned i = 0; i < 1000; i++)
        assert_true(native_drift_follow(&drift, pulse_at(i, 1)) == 1);
}

static void a_load_takes_whole_cycles(void **state)
{
    (void)state;
    assert_true(native_whole_loads(5021.8, 64, 1024) == 5184); /* counted by additions that a sibling slowed by 3 % */
    assert_true(native_whole_loads(5190, 64, 1024) == 5184);
    assert_true(native_whole_loads(4650, 64, 1024) == 4650); /* neither four nor five */
}

/* The clock's own: nothing changes between the pulses of a sample, and all of it at once after it. */
static void a_drift_is_followed_between_samples(void **state)
{
    struct native_clock clock = {.cycles_per_tick = 1.5, .additions_ticks = 1000, .loads_ticks = 2000,
                                 .last_pulse = 1.02, .drifted = 1.02};

    (void)state;
    assert_true(native_clock_follow(&clock));
    assert_true(fabs(clock.cycles_per_tick * 1.02 - 1.5) < 1e-9);
    assert_true(fabs(clock.additions_ticks - 1020) < 1e-9 && fabs(clock.loads_ticks - 2040) < 1e-9);
    assert_true(fabs(clock.last_pulse - 1) < 1e-9);
    assert_false(native_clock_follow(&clock));
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
        cmocka_unit_test(a_slow_drift_is_followed),
        cmocka_unit_test(noise_is_no_drift),
        cmocka_unit_test(a_load_takes_whole_cycles),
        cmocka_unit_test(a_drift_is_followed_between_samples),
        cmocka_unit_test(a_pulse_is_near_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
