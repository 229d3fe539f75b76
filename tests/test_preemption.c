/* Watching for preemption: a thread that gives up its CPU was disturbed, and one that does not usually was not. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <sched.h>
#include <sys/resource.h>
#include <time.h>

#include <cmocka.h>

#include "preemption.h"

enum { TRIES = 1000 };

static long given_up(void)
{
    struct rusage usage = {0};

    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nvcsw;
}

/* A nap that is over before the kernel came to switch gives up nothing, and need not show. */
static void giving_up_the_cpu_shows(void **state)
{
    const struct timespec nap = {.tv_nsec = 1000};
    int seen = 0;

    (void)state;
    for (int i = 0; i < TRIES && seen < 20; i++) {
        long before = given_up();
        struct native_watch watch = native_watch_begin();
        nanosleep(&nap, NULL);
        if (given_up() == before)
            continue;
        assert_false(native_watch_undisturbed(&watch, sched_getcpu()));
        seen++;
    }
    assert_int_equal(seen, 20);
}

/* Of many short watches at least one passes undisturbed, however busy the machine. */
static void staying_on_it_shows_too(void **state)
{
    bool stayed = false;

    (void)state;
    for (int i = 0; i < TRIES && !stayed; i++) {
        int cpu = sched_getcpu();
        struct native_watch watch = native_watch_begin();
        stayed = native_watch_undisturbed(&watch, cpu);
    }
    assert_true(stayed);
}

static void another_cpu_than_the_one_expected_shows(void **state)
{
    (void)state;
    for (int i = 0; i < TRIES; i++) {
        struct native_watch watch = native_watch_begin();
        assert_false(native_watch_undisturbed(&watch, -2));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(giving_up_the_cpu_shows),
        cmocka_unit_test(staying_on_it_shows_too),
        cmocka_unit_test(another_cpu_than_the_one_expected_shows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
