/* A crew: what it is told it does, on its CPUs, and no longer than it is told to. */
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "crew.h"
#include "seconds.h"

enum { MEMBERS = 2 };

/* CPUs that this process may use; the last one twice, if there is one only. */
static void choose(int cpus[MEMBERS])
{
    cpu_set_t allowed;
    int found = 0;

    assert_int_equal(sched_getaffinity(0, sizeof allowed, &allowed), 0);
    for (int cpu = 0; cpu < CPU_SETSIZE && found < MEMBERS; cpu++)
        if (CPU_ISSET((size_t)cpu, &allowed))
            cpus[found++] = cpu;
    while (found < MEMBERS) {
        cpus[found] = cpus[found - 1];
        found++;
    }
}

static void open_crew(struct native_crew *crew)
{
    int cpus[MEMBERS];
    struct hwc_error error;

    choose(cpus);
    assert_int_equal(native_crew_open(crew, cpus, MEMBERS, &error), HWC_OK);
}

/* Does the member take more than so many turns within some seconds? */
static bool takes_turns(const struct native_crew *crew, unsigned member, uint32_t more)
{
    const struct timespec pause = {.tv_nsec = 100000};
    double until = hwc_seconds(CLOCK_MONOTONIC) + 5;

    while (native_member_turns(crew, member) <= more && hwc_seconds(CLOCK_MONOTONIC) < until)
        nanosleep(&pause, NULL);
    return native_member_turns(crew, member) > more;
}

static void members_work_and_sleep_as_they_are_told(void **state)
{
    static const enum native_task tasks[] = {NATIVE_REST, NATIVE_FILL, NATIVE_REST, NATIVE_BOUNCE};
    const struct timespec pause = {.tv_nsec = 20000000};
    const bool first[MEMBERS] = {true, false};
    struct native_crew crew;

    (void)state;
    open_crew(&crew);
    assert_int_equal(native_member_turns(&crew, 0), 0);
    for (size_t i = 0; i < sizeof tasks / sizeof tasks[0]; i++) {
        native_crew_order(&crew, first, tasks[i]);
        assert_true(takes_turns(&crew, 0, 0));
        assert_int_equal(native_member_turns(&crew, 1), 0);
    }
    native_crew_order(&crew, NULL, NATIVE_SLEEP);
    nanosleep(&pause, NULL);
    assert_int_equal(native_member_turns(&crew, 0), 0);
    native_crew_order(&crew, NULL, NATIVE_FILL);
    assert_true(takes_turns(&crew, 0, 10) && takes_turns(&crew, 1, 10));
    native_crew_close(&crew);
    assert_int_equal(crew.count, 0);
}

/* Turns of an order before tell nothing of this one. */
static void turns_are_of_the_last_order(void **state)
{
    const bool second[MEMBERS] = {false, true};
    struct native_crew crew;

    (void)state;
    open_crew(&crew);
    native_crew_order(&crew, second, NATIVE_FILL);
    assert_true(takes_turns(&crew, 1, 1000));
    crew.orders++; /* an order that it has not seen yet */
    assert_int_equal(native_member_turns(&crew, 1), 0);
    native_crew_close(&crew);
}

static void a_member_returns_the_ball(void **state)
{
    const bool first[MEMBERS] = {true, false};
    double until = hwc_seconds(CLOCK_MONOTONIC) + 10;
    struct native_crew crew;
    uint64_t value = 0;

    (void)state;
    open_crew(&crew);
    native_crew_order(&crew, first, NATIVE_BOUNCE);
    while (value < 20 && hwc_seconds(CLOCK_MONOTONIC) < until)
        if (native_take_ball(&crew.ball->value, value))
            value += 2;
        else
            sched_yield();
    assert_int_equal(value, 20);
    native_crew_close(&crew);
}

static void a_cpu_that_is_not_there_is_said(void **state)
{
    const int cpus[MEMBERS] = {CPU_SETSIZE - 1, CPU_SETSIZE - 2};
    struct native_crew crew;
    struct hwc_error error;

    (void)state;
    assert_int_equal(native_crew_open(&crew, cpus, MEMBERS, &error), HWC_UNAVAILABLE);
    assert_int_equal(crew.count, 0);
    native_crew_close(&crew);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_work_and_sleep_as_they_are_told),
        cmocka_unit_test(turns_are_of_the_last_order),
        cmocka_unit_test(a_member_returns_the_ball),
        cmocka_unit_test(a_cpu_that_is_not_there_is_said),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
