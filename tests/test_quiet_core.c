/* Who is busy beside us: wait, or go to another CPU. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <limits.h>
#include <time.h>

#include "fake_machine.h"
#include "poll.h"
#include "quiet_core.h"
#include "sampler.h"

/* A machine of two CPUs: who works on the core of this one, and may it be left? */
static struct {
    bool busy, may_leave;
    unsigned asked, moves;
    unsigned glances, paused, ends; /* others pause from one glance to before another; 0 = for good */
    long sample_ns;                 /* a sample takes */
} cpus;

static void no_play(void *context, unsigned n, const struct hwc_experiment *experiment, struct hwc_sample *sample)
{
    const struct timespec takes = {.tv_nsec = cpus.sample_ns};

    (void)context, (void)n, (void)experiment, (void)sample;
    if (cpus.sample_ns > 0)
        nanosleep(&takes, NULL);
}

static bool alone(struct hwc_machine *machine)
{
    (void)machine;
    return !cpus.busy;
}

static bool glance(struct hwc_machine *machine)
{
    unsigned now = cpus.glances++;

    (void)machine;
    return now >= cpus.paused && (cpus.ends == 0 || now < cpus.ends || now >= 2 * cpus.ends);
}

static bool move(struct hwc_machine *machine)
{
    (void)machine;
    cpus.asked++;
    if (!cpus.may_leave)
        return false;
    cpus.busy = false;
    cpus.moves++;
    return true;
}

struct bench {
    struct fake_machine fake;
    struct hwc_machine_ops ops;
};

static void open(struct bench *bench, bool busy, bool may_leave)
{
    fake_machine_open(&bench->fake, no_play, NULL);
    bench->ops = *bench->fake.base.ops;
    bench->ops.alone = alone;
    bench->ops.glance = glance;
    bench->ops.move = move;
    bench->fake.base.ops = &bench->ops;
    bench->fake.base.live = true;
    cpus.busy = busy;
    cpus.may_leave = may_leave;
    cpus.asked = cpus.moves = 0;
    cpus.glances = cpus.paused = cpus.ends = 0;
    cpus.sample_ns = 0;
}

static void stays_where_it_is_quiet(void **state)
{
    struct bench bench;

    (void)state;
    open(&bench, false, true);
    assert_true(hwc_is_alone(&bench.fake.lab, 0.1));
    assert_int_equal(cpus.asked, 0);
    fake_machine_close(&bench.fake);
}

static void leaves_who_does_not_pause(void **state)
{
    struct bench bench;

    (void)state;
    open(&bench, true, true);
    assert_true(hwc_is_alone(&bench.fake.lab, 0.5));
    assert_int_equal(cpus.moves, 1);
    assert_int_equal(bench.fake.lab.others_seen, 0);
    fake_machine_close(&bench.fake);
}

static void a_short_wait_does_not_leave(void **state)
{
    struct bench bench;

    (void)state;
    open(&bench, true, true);
    assert_false(hwc_is_alone(&bench.fake.lab, 0.005));
    assert_int_equal(cpus.asked, 0);
    fake_machine_close(&bench.fake);
}

static void looks_around_in_vain_now_and_then(void **state)
{
    struct bench bench;

    (void)state;
    open(&bench, true, false);
    assert_false(hwc_is_alone(&bench.fake.lab, 0.1));
    assert_false(hwc_move_on(&bench.fake.lab));
    assert_int_equal(cpus.asked, 1);
    bench.fake.lab.looked_around -= 1; /* a second later */
    assert_false(hwc_move_on(&bench.fake.lab));
    assert_int_equal(cpus.asked, 2);
    fake_machine_close(&bench.fake);
}

static void waits_less_after_waits_in_vain(void **state)
{
    struct bench bench;
    struct hwc_lab *lab = &bench.fake.lab;
    double begun;

    (void)state;
    open(&bench, true, false);
    assert_false(hwc_is_alone(lab, 0.02));
    begun = hwc_lab_elapsed(lab);
    for (int i = 0; i < 8; i++)
        assert_false(hwc_is_alone(lab, 0.2)); /* 0.1, 0.05, 0.025 and so on */
    assert_true(hwc_lab_elapsed(lab) - begun < 0.8);
    assert_int_equal(lab->waited_in_vain, 5);
    assert_false(hwc_is_alone(lab, 0)); /* a look is no wait */
    cpus.busy = false;
    assert_true(hwc_is_alone(lab, 0.2));
    assert_int_equal(lab->waited_in_vain, 0);
    fake_machine_close(&bench.fake);
}

/* A look in a hundred may be mistaken. */
static void in_company_if_others_are_met_often(void **state)
{
    struct bench bench;
    struct hwc_lab *lab = &bench.fake.lab;

    (void)state;
    open(&bench, true, false);
    assert_false(hwc_in_company(lab)); /* nobody looked */
    assert_false(hwc_is_alone(lab, 0.02));
    assert_true(hwc_in_company(lab));
    assert_true(lab->company.waited >= 0.02);
    cpus.busy = false;
    for (int i = 0; i < 99; i++)
        assert_true(hwc_is_alone(lab, 0.02));
    assert_int_equal(lab->company.met, 1);
    assert_int_equal(lab->company.looks, 100);
    assert_false(hwc_in_company(lab));
    fake_machine_close(&bench.fake);
}

static void what_is_this_cpu_s_stays(void **state)
{
    struct bench bench;

    (void)state;
    open(&bench, true, true);
    bench.fake.lab.stays = true;
    assert_false(hwc_is_alone(&bench.fake.lab, 0.1));
    assert_int_equal(cpus.asked, 0);
    fake_machine_close(&bench.fake);
}

/* A vote whose ballots come to nothing while others show. */
static int measure(struct hwc_lab *lab, void *data, struct hwc_ballot *ballot, struct hwc_error *error)
{
    (void)lab, (void)data;
    if (cpus.busy)
        return hwc_fail(error, HWC_INCONCLUSIVE, "others");
    ballot->cast[0] = true;
    ballot->value[0] = 7;
    return HWC_OK;
}

static void a_vote_goes_on_elsewhere(void **state)
{
    struct hwc_result result = {0};
    struct hwc_error error;
    struct bench bench;

    (void)state;
    open(&bench, true, true);
    assert_int_equal(hwc_vote(&bench.fake.lab, measure, NULL, 1, &result, &error), HWC_OK);
    assert_int_equal(cpus.moves, 1);
    assert_true(result.decided);
    assert_int_equal(result.value, 7);
    fake_machine_close(&bench.fake);
}

static void take_sample(struct bench *bench)
{
    const struct hwc_experiment experiment = {.event = HWC_NO_EVENT};
    struct hwc_sample sample;
    struct hwc_error error;

    assert_int_equal(hwc_lab_sample(&bench->fake.lab, &experiment, &sample, &error), HWC_OK);
}

static void a_sample_waits_for_a_pause(void **state)
{
    struct bench bench;

    (void)state;
    open(&bench, true, false);
    cpus.paused = 5;
    take_sample(&bench);
    assert_int_equal(cpus.glances, 7); /* the sixth sees the pause, and one after the sample that it goes on */
    assert_int_equal(bench.fake.plays, 1);
    fake_machine_close(&bench.fake);
}

static void a_sample_is_taken_again_if_the_pause_ends(void **state)
{
    struct bench bench;

    (void)state;
    open(&bench, true, false);
    cpus.ends = 3; /* sees the pause, goes on, sees the pause, is over; and so on */
    take_sample(&bench);
    assert_int_equal(bench.fake.plays, 1);
    take_sample(&bench);
    assert_int_equal(bench.fake.plays, 3);
    assert_int_equal(bench.fake.lab.samples_disturbed, 0);
    fake_machine_close(&bench.fake);
}

/* Most pauses are short: one that has just begun may be over before a sample is. */
static void a_sample_waits_for_a_pause_that_lasts(void **state)
{
    enum { TAKES_MS = 1 };
    struct bench bench;
    struct hwc_lab *lab = &bench.fake.lab;
    double begun;

    (void)state;
    open(&bench, true, false);
    cpus.sample_ns = TAKES_MS * 1000000L;
    take_sample(&bench);
    cpus.glances = 0;
    cpus.paused = 5;
    lab->started -= 10;
    begun = hwc_lab_elapsed(lab);
    take_sample(&bench);
    assert_true(hwc_lab_elapsed(lab) - begun >= 2e-3 * TAKES_MS);
    assert_true(lab->company.waited >= 1e-3 * TAKES_MS);
    assert_int_equal(bench.fake.plays, 2);
    cpus.glances = 0;
    cpus.paused = 0;
    begun = lab->company.waited;
    take_sample(&bench); /* the pause goes on */
    assert_true(lab->company.waited <= begun && cpus.glances <= 2);
    fake_machine_close(&bench.fake);
}

static void samples_beside_others_are_counted(void **state)
{
    struct bench bench;
    struct hwc_lab *lab = &bench.fake.lab;

    (void)state;
    open(&bench, true, false);
    take_sample(&bench);
    assert_int_equal(lab->company.samples_beside, 0);
    cpus.paused = UINT_MAX;
    take_sample(&bench);
    assert_int_equal(lab->company.samples_beside, 1);
    fake_machine_close(&bench.fake);
}

/* The first try waits, and its pause is over before the sample is; the second one is taken at once, beside others. */
static void no_pause_is_waited_for_after_one_that_was_too_short(void **state)
{
    enum { BUSY = 100000 }; /* glances: some milliseconds, and what is rested is more than two tries take */
    struct bench bench;

    (void)state;
    open(&bench, true, false);
    bench.fake.lab.started -= 10;
    cpus.paused = BUSY;
    cpus.ends = BUSY + 1;
    take_sample(&bench);
    assert_int_equal(bench.fake.plays, 2);
    assert_int_equal(cpus.glances, BUSY + 3);
    fake_machine_close(&bench.fake);
}

static void who_was_not_met_for_long_is_looked_for_rarely(void **state)
{
    enum { SAMPLES = 400 };
    struct bench bench;

    (void)state;
    open(&bench, true, false);
    for (unsigned i = 0; i < SAMPLES; i++)
        take_sample(&bench);
    print_message("%u glances beside %u samples on a quiet core\n", cpus.glances, (unsigned)SAMPLES);
    assert_in_range(cpus.glances, SAMPLES / 8, SAMPLES / 2);
    cpus.glances = 0;
    cpus.paused = UINT_MAX; /* others come */
    for (unsigned i = 0; i < 8; i++)
        take_sample(&bench);
    assert_true(cpus.glances > 0);
    cpus.glances = 0;
    cpus.paused = 0; /* and go */
    take_sample(&bench);
    assert_int_equal(cpus.glances, 2);
    fake_machine_close(&bench.fake);
}

static void samples_are_taken_beside_who_does_not_pause(void **state)
{
    struct bench bench;

    (void)state;
    open(&bench, true, false);
    bench.fake.lab.started -= 10; /* seconds, of which some may go by waiting */
    cpus.paused = UINT_MAX;
    take_sample(&bench);
    assert_int_equal(bench.fake.plays, 1);
    assert_true(bench.fake.lab.company.waited > 0.02);
    cpus.glances = 0;
    take_sample(&bench);
    assert_int_equal(cpus.glances, 1); /* no wait at once again */
    assert_int_equal(bench.fake.plays, 2);
    fake_machine_close(&bench.fake);
}

static bool waits_after(double elapsed, double waited, double by_probe, double budget)
{
    struct bench bench;

    open(&bench, true, false);
    bench.fake.lab.started -= elapsed;
    bench.fake.lab.company.waited = waited;
    bench.fake.lab.probe_waited = waited - by_probe;
    bench.fake.lab.settings.budget_seconds = budget;
    cpus.paused = UINT_MAX;
    take_sample(&bench);
    fake_machine_close(&bench.fake);
    return cpus.glances > 1;
}

static void waits_take_no_more_than_their_part_of_the_time(void **state)
{
    (void)state;
    assert_true(waits_after(10, 6.5, 4.5, 0));
    assert_false(waits_after(10, 6.5, 5.5, 0));
    assert_false(waits_after(10, 7.5, 1, 0));
    assert_false(waits_after(20, 10.5, 1, 0));
    assert_true(waits_after(2, 0.5, 0.5, 2.5));
    assert_false(waits_after(2, 0.8, 0.8, 2.5));
}

/* By a vote as by a sample. */
static void all_waits_count(void **state)
{
    struct bench bench;
    struct hwc_lab *lab = &bench.fake.lab;
    double begun;

    (void)state;
    open(&bench, true, false);
    lab->company.waited = lab->probe_waited = 9.9;
    hwc_wait_for_others(lab, 0.2);
    assert_true(lab->company.waited >= 10);
    begun = hwc_lab_elapsed(lab);
    hwc_wait_for_others(lab, 0.9);
    assert_false(hwc_is_alone(lab, 0.9));
    assert_true(hwc_lab_elapsed(lab) - begun < 0.5);
    fake_machine_close(&bench.fake);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stays_where_it_is_quiet),       cmocka_unit_test(leaves_who_does_not_pause),
        cmocka_unit_test(a_short_wait_does_not_leave),   cmocka_unit_test(looks_around_in_vain_now_and_then),
        cmocka_unit_test(waits_less_after_waits_in_vain),
        cmocka_unit_test(in_company_if_others_are_met_often),
        cmocka_unit_test(what_is_this_cpu_s_stays),      cmocka_unit_test(a_vote_goes_on_elsewhere),
        cmocka_unit_test(a_sample_waits_for_a_pause),
        cmocka_unit_test(no_pause_is_waited_for_after_one_that_was_too_short),
        cmocka_unit_test(all_waits_count),
        cmocka_unit_test(a_sample_waits_for_a_pause_that_lasts),
        cmocka_unit_test(samples_beside_others_are_counted),
        cmocka_unit_test(a_sample_is_taken_again_if_the_pause_ends),
        cmocka_unit_test(who_was_not_met_for_long_is_looked_for_rarely),
        cmocka_unit_test(samples_are_taken_beside_who_does_not_pause),
        cmocka_unit_test(waits_take_no_more_than_their_part_of_the_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
