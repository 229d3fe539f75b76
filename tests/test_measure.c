/* Measuring and repeating, on a machine whose samples are written here:
 * disturbed samples are left out, the cost of counting is subtracted, and a vote
 * counts every ballot. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#include <cmocka.h>

#include "fake_machine.h"
#include "finding.h"
#include "kept_arena.h"
#include "poll.h"
#include "sampler.h"
#include "steady_state.h"

/* The first few samples are disturbed, with readings that must not be used. */
static void disturb_first(void *context, unsigned n, const struct hwc_experiment *experiment,
                          struct hwc_sample *sample)
{
    const unsigned *disturbed = context;

    (void)experiment;
    sample->disturbed = n < *disturbed;
    sample->reading[0] = (struct hwc_reading){.cycles = sample->disturbed ? 1 : 100};
}

static struct hwc_experiment of_one_pass(const struct hwc_walk *walk)
{
    return (struct hwc_experiment){.event = HWC_NO_EVENT, .steps = 1, .step = {{HWC_MEASURE, walk, 1}}};
}

static void disturbed_samples_are_taken_again(void **state)
{
    struct hwc_walk walk = {.count = 10};
    struct hwc_experiment experiment = of_one_pass(&walk);
    unsigned disturbed = 3;
    struct fake_machine fake;
    struct hwc_sample sample;
    struct hwc_error error;

    (void)state;
    fake_machine_open(&fake, disturb_first, &disturbed);
    assert_int_equal(hwc_lab_sample(&fake.lab, &experiment, &sample, &error), HWC_OK);
    assert_false(sample.disturbed);
    assert_true(sample.reading[0].cycles == 100);
    assert_int_equal(fake.lab.samples_disturbed, 3);
    assert_int_equal(fake.lab.references, 40);
    fake_machine_close(&fake);
}

static void a_machine_that_disturbs_everything_is_not_asked_for_ever(void **state)
{
    struct hwc_walk walk = {.count = 10};
    struct hwc_experiment experiment = of_one_pass(&walk);
    unsigned disturbed = UINT32_MAX;
    struct fake_machine fake;
    struct hwc_sample sample;
    struct hwc_error error;

    (void)state;
    fake_machine_open(&fake, disturb_first, &disturbed);
    assert_int_equal(hwc_lab_sample(&fake.lab, &experiment, &sample, &error), HWC_OK);
    assert_true(sample.disturbed);
    assert_true(fake.plays < 10);
    fake.plays = 0;
    walk.count = 1000000; /* so long that a context switch hardly matters */
    assert_int_equal(hwc_lab_sample(&fake.lab, &experiment, &sample, &error), HWC_OK);
    assert_int_equal(fake.plays, 1);
    fake_machine_close(&fake);
}

#define OVERHEAD 17.0
#define MISSES 3.0
#define CYCLES 1000.0

/* Starting and reading cost the same, however many passes there are; now and then a reading is too high. */
static void count_with_overhead(void *context, unsigned n, const struct hwc_experiment *experiment,
                                struct hwc_sample *sample)
{
    unsigned reading = 0;

    (void)context;
    for (unsigned i = 0; i < experiment->steps; i++) {
        double passes = experiment->step[i].passes;
        if (experiment->step[i].kind != HWC_MEASURE)
            continue;
        sample->reading[reading++] = (struct hwc_reading){.counted = true,
                                                          .count = MISSES * passes + OVERHEAD + (n % 3 == 0 ? 40 : 0),
                                                          .cycles = CYCLES * passes + 10 * OVERHEAD + (n % 2) * 500};
    }
}

/* A walk of nine loads on a machine that plays so. Returns how often it played. */
static unsigned measure_steady(fake_play play, struct hwc_steady *steady)
{
    struct hwc_walk walk;
    struct hwc_arena arena = {.bytes = 4096};
    struct fake_machine fake;
    struct hwc_error error;

    hwc_walk_init(&walk);
    assert_int_equal(hwc_walk_sequence(&walk, 0, 64, 9, &error), HWC_OK);
    fake_machine_open(&fake, play, NULL);
    assert_int_equal(hwc_measure_steady(&fake.lab, &arena, &walk, HWC_L1D_LOAD_MISS, 8, steady, &error), HWC_OK);
    fake_machine_close(&fake);
    hwc_walk_free(&walk);
    return fake.plays;
}

static void what_counting_costs_is_taken_off(void **state)
{
    struct hwc_steady steady;

    (void)state;
    measure_steady(count_with_overhead, &steady);
    assert_true(steady.counted);
    assert_true(fabs(steady.misses - MISSES) < 1e-9);
    assert_true(fabs(steady.cycles - CYCLES) < 1e-9);
}

/* Hardware never counts the same twice, nor far from it. */
static void count_with_jitter(void *context, unsigned n, const struct hwc_experiment *experiment,
                              struct hwc_sample *sample)
{
    unsigned reading = 0;

    count_with_overhead(context, 1, experiment, sample);
    for (unsigned i = 0; i < experiment->steps; i++)
        if (experiment->step[i].kind == HWC_MEASURE)
            sample->reading[reading++].count += n * 5 % 13 + i;
}

static void counts_that_are_nearly_alike_settle(void **state)
{
    struct hwc_steady steady;

    (void)state;
    assert_true(measure_steady(count_with_jitter, &steady) <= 8);
    assert_true(fabs(steady.misses - MISSES) < 0.25);
}

/* The ballots that a test casts: a value each, 0 is an abstention. */
struct ballots {
    const int *value;
    unsigned count, cast;
};

static int cast(struct hwc_lab *lab, void *context, struct hwc_ballot *ballot, struct hwc_error *error)
{
    struct ballots *ballots = context;
    int value = ballots->value[ballots->cast++ % ballots->count];

    (void)lab;
    if (value == 0)
        return hwc_fail(error, HWC_INCONCLUSIVE, "nothing to be seen");
    ballot->cast[0] = true;
    ballot->value[0] = value;
    return HWC_OK;
}

static struct hwc_result hold_on(bool interference, struct ballots *ballots)
{
    struct hwc_result result;
    struct fake_machine fake;
    struct hwc_error error;

    fake_machine_open(&fake, NULL, NULL);
    fake.base.interference = interference;
    assert_int_equal(hwc_vote(&fake.lab, cast, ballots, 1, &result, &error), HWC_OK);
    fake_machine_close(&fake);
    return result;
}

static struct hwc_result hold(struct ballots *ballots)
{
    return hold_on(false, ballots);
}

static void eight_alike_end_a_vote(void **state)
{
    struct ballots ballots = {(const int[]){5}, 1, 0};
    struct hwc_result result = hold(&ballots);

    (void)state;
    assert_true(result.decided);
    assert_int_equal(result.value, 5);
    assert_int_equal(ballots.cast, 8);
}

static void four_alike_do_where_others_may_be_but_are_not(void **state)
{
    struct ballots ballots = {(const int[]){5}, 1, 0};
    struct hwc_result result = hold_on(true, &ballots);

    (void)state;
    assert_true(result.decided);
    assert_int_equal(result.value, 5);
    assert_int_equal(ballots.cast, 4);
}

static void five_of_eight_call_for_sixteen_more(void **state)
{
    struct ballots ballots = {(const int[]){5, 5, 5, 5, 5, 4, 3, 2, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5}, 24, 0};
    struct hwc_result result = hold(&ballots);

    (void)state;
    assert_true(result.decided);
    assert_int_equal(result.value, 5);
    assert_int_equal(ballots.cast, 12); /* nine of twelve: three quarters */
}

/* Every eighth sample is disturbed. */
static void disturb_eighth(void *context, unsigned n, const struct hwc_experiment *experiment,
                           struct hwc_sample *sample)
{
    (void)context, (void)experiment;
    sample->disturbed = n % 8 == 7;
}

static int cast_with_a_sample(struct hwc_lab *lab, void *context, struct hwc_ballot *ballot, struct hwc_error *error)
{
    struct hwc_walk walk = {.count = 10};
    struct hwc_experiment experiment = of_one_pass(&walk);
    struct hwc_sample sample;

    TRY(hwc_lab_sample(lab, &experiment, &sample, error));
    return cast(lab, context, ballot, error);
}

static void the_rounds_of_a_vote_are_kept(void **state)
{
    struct ballots ballots = {(const int[]){5, 5, 4, 0, 5, 3, 2, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5}, 24, 0};
    struct hwc_finding finding = {0}, *findings[] = {&finding};
    struct hwc_witness witness = {.kind = HWC_CLOCK};
    struct fake_machine fake;
    struct hwc_result result;
    struct hwc_error error;

    (void)state;
    fake_machine_open(&fake, disturb_eighth, NULL);
    assert_int_equal(hwc_findings_by_vote(&fake.lab, cast_with_a_sample, &ballots, &witness, 1, findings, &result, &error),
                     HWC_OK);
    fake_machine_close(&fake);
    assert_true(finding.known && finding.value == 5);
    assert_int_equal(finding.rounds, 2);
    assert_int_equal(finding.round[0].cast, 7);
    assert_int_equal(finding.round[0].abstained, 1);
    assert_int_equal(finding.round[0].disturbed, 1);
    assert_int_equal(finding.round[0].value[0].votes, 4);
    assert_int_equal(finding.round[0].cast + finding.round[0].abstained + finding.round[1].cast, finding.votes);
}

static void even_votes_are_undecided_after_all(void **state)
{
    struct ballots ballots = {(const int[]){5, 4}, 2, 0};
    struct hwc_result result = hold(&ballots);

    (void)state;
    assert_false(result.decided);
    assert_true(ballots.cast <= 24);
    assert_non_null(result.reason[0] != '\0' ? result.reason : NULL);
}

static void two_alike_among_abstentions_say_little(void **state)
{
    struct ballots ballots = {(const int[]){5, 0, 0, 0}, 4, 0};
    struct hwc_result result = hold(&ballots);

    (void)state;
    assert_false(result.decided);
}

static void where_nobody_votes_it_ends_soon(void **state)
{
    struct ballots ballots = {(const int[]){0}, 1, 0};
    struct hwc_result result = hold(&ballots);

    (void)state;
    assert_false(result.decided);
    assert_int_equal(result.given, 0);
    assert_true(ballots.cast < 8);
    assert_string_equal(result.reason, "nothing to be seen");
}

/* The first ballot takes longer than the budget. */
static struct hwc_result hold_beyond_budget(struct ballots *ballots, bool interference)
{
    struct fake_machine fake;
    struct hwc_result result;
    struct hwc_error error;

    fake_machine_open(&fake, NULL, NULL);
    fake.base.interference = interference;
    fake.lab.settings.budget_seconds = 1e-9;
    assert_int_equal(hwc_vote(&fake.lab, cast, ballots, 1, &result, &error), HWC_OK);
    fake_machine_close(&fake);
    return result;
}

static void one_ballot_is_too_few_where_others_may_disturb(void **state)
{
    struct ballots beside_others = {(const int[]){5}, 1, 0}, alone = beside_others;
    struct hwc_result result = hold_beyond_budget(&beside_others, true);

    (void)state;
    assert_int_equal(beside_others.cast, 1);
    assert_false(result.decided);
    assert_string_equal(result.reason, "the budget is spent: 1 of 8 votes alike (5)");
    result = hold_beyond_budget(&alone, false);
    assert_true(result.decided);
    assert_int_equal(result.value, 5);
}

static void an_arena_is_kept_for_the_next_of_its_kind(void **state)
{
    struct hwc_arena first = {0}, second = {0}, beside = {0}, other = {0};
    struct fake_machine fake;
    struct hwc_error error;
    void *kept;

    (void)state;
    fake_machine_open(&fake, NULL, NULL);
    assert_int_equal(hwc_borrow_arena(&fake.lab, 8192, HWC_BASE_PAGES, &first, &error), HWC_OK);
    kept = first.handle;
    assert_int_equal(hwc_borrow_arena(&fake.lab, 8192, HWC_BASE_PAGES, &beside, &error), HWC_OK);
    assert_ptr_not_equal(beside.handle, kept); /* lent, so that this one is another */
    assert_int_equal(hwc_borrow_arena(&fake.lab, 8192, HWC_BASE_PAGES, &other, &error), HWC_OK);
    hwc_return_arena(&fake.lab, &other);
    assert_null(other.handle); /* no place to keep it */
    hwc_return_arena(&fake.lab, &beside);
    hwc_return_arena(&fake.lab, &first);
    assert_int_equal(hwc_borrow_arena(&fake.lab, 8192, HWC_BASE_PAGES, &second, &error), HWC_OK);
    assert_ptr_equal(second.handle, kept);
    hwc_return_arena(&fake.lab, &second);
    assert_int_equal(hwc_borrow_arena(&fake.lab, 16384, HWC_BASE_PAGES, &other, &error), HWC_OK);
    assert_int_equal(other.bytes, 16384);
    hwc_return_arena(&fake.lab, &other);
    fake_machine_close(&fake);
}

/* Whoever borrows the arena next finds it, and other arenas take the place of one on which nothing was found. */
static void what_was_found_on_an_arena_is_kept_with_it(void **state)
{
    struct hwc_arena one = {0}, two = {0}, fresh = {.handle = &fresh};
    struct fake_machine fake;
    struct hwc_error error;

    (void)state;
    fake_machine_open(&fake, NULL, NULL);
    assert_null(hwc_found_on(&fake.lab, &fresh, HWC_FOUND_SETS));
    assert_int_equal(hwc_borrow_arena(&fake.lab, 8192, HWC_BASE_PAGES, &one, &error), HWC_OK);
    assert_non_null(hwc_found_on(&fake.lab, &one, HWC_FOUND_SETS));
    *hwc_found_on(&fake.lab, &one, HWC_FOUND_SETS) = malloc(1);
    hwc_return_arena(&fake.lab, &one);
    for (uint64_t bytes = 16384; bytes <= 65536; bytes *= 2) {
        assert_int_equal(hwc_borrow_arena(&fake.lab, bytes, HWC_BASE_PAGES, &two, &error), HWC_OK);
        assert_null(*hwc_found_on(&fake.lab, &two, HWC_FOUND_SETS));
        hwc_return_arena(&fake.lab, &two);
    }
    assert_int_equal(hwc_borrow_arena(&fake.lab, 8192, HWC_BASE_PAGES, &one, &error), HWC_OK);
    assert_non_null(*hwc_found_on(&fake.lab, &one, HWC_FOUND_SETS));
    hwc_return_arena(&fake.lab, &one);
    fake_machine_close(&fake);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(disturbed_samples_are_taken_again),
        cmocka_unit_test(a_machine_that_disturbs_everything_is_not_asked_for_ever),
        cmocka_unit_test(what_counting_costs_is_taken_off),
        cmocka_unit_test(counts_that_are_nearly_alike_settle),
        cmocka_unit_test(eight_alike_end_a_vote),
        cmocka_unit_test(four_alike_do_where_others_may_be_but_are_not),
        cmocka_unit_test(five_of_eight_call_for_sixteen_more),
        cmocka_unit_test(the_rounds_of_a_vote_are_kept),
        cmocka_unit_test(even_votes_are_undecided_after_all),
        cmocka_unit_test(two_alike_among_abstentions_say_little),
        cmocka_unit_test(where_nobody_votes_it_ends_soon),
        cmocka_unit_test(one_ballot_is_too_few_where_others_may_disturb),
        cmocka_unit_test(an_arena_is_kept_for_the_next_of_its_kind),
        cmocka_unit_test(what_was_found_on_an_arena_is_kept_with_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
