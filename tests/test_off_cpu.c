/* The time off the CPU: a nap is, and work is not, however busy the machine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "off_cpu.h"
#include "seconds.h"

static void a_nap_is_off_the_cpu(void **state)
{
    const struct timespec nap = {.tv_nsec = 20000000};
    struct native_off_cpu off = native_off_cpu_begin();

    (void)state;
    nanosleep(&nap, NULL);
    assert_true(native_off_cpu_since(&off) > 0.019);
}

static void work_is_not(void **state)
{
    const double work = 0.005;
    double begun = hwc_seconds(CLOCK_MONOTONIC), first = hwc_seconds(CLOCK_THREAD_CPUTIME_ID), seconds;
    struct native_off_cpu off = native_off_cpu_begin();

    (void)state;
    while (hwc_seconds(CLOCK_THREAD_CPUTIME_ID) - first < work)
        ;
    seconds = native_off_cpu_since(&off);
    assert_true(seconds >= 0);
    assert_true(seconds < hwc_seconds(CLOCK_MONOTONIC) - begun - 0.8 * work);
}

static void asked_again_it_begins_anew(void **state)
{
    const struct timespec nap = {.tv_nsec = 20000000};
    struct native_off_cpu off = native_off_cpu_begin();
    double begun;

    (void)state;
    nanosleep(&nap, NULL);
    (void)native_off_cpu_since(&off);
    begun = hwc_seconds(CLOCK_MONOTONIC);
    assert_true(native_off_cpu_since(&off) <= hwc_seconds(CLOCK_MONOTONIC) - begun + 0.001);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_nap_is_off_the_cpu),
        cmocka_unit_test(work_is_not),
        cmocka_unit_test(asked_again_it_begins_anew),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
