/* The sequential tests (src/infer/sequential.h, late.h): on readings drawn from known
 * distributions they are hardly ever wrong, and say when they cannot decide. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <math.h>

#include <cmocka.h>

#include "late.h"
#include "least.h"
#include "random.h"
#include "sequential.h"

#define SEED 20261123
#define ROUNDS 2000
/* The risk of repeated looks adds up: where a single look errs in one of a thousand tests, up to twenty may. */
#define MOST_WRONG 0.02

struct source {
    struct hwc_random random;
    double mean, deviation; /* of the readings; deviation < 0: a share `mean` of readings is 1, the rest 0 */
    double interrupted;     /* the share of readings that are 100 too high */
    double disturbed;       /* the share that is marked disturbed and lies on the opposite side */
    unsigned drawn;
};

static int draw(void *context, double *reading, bool *disturbed, struct hwc_error *error)
{
    struct source *source = context;

    (void)error;
    source->drawn++;
    *disturbed = hwc_random_unit(&source->random) < source->disturbed;
    if (source->deviation < 0)
        *reading = hwc_random_unit(&source->random) < source->mean ? 1 : 0;
    else
        *reading = source->mean + source->deviation * hwc_random_normal(&source->random);
    if (hwc_random_unit(&source->random) < source->interrupted)
        *reading += 100;
    if (*disturbed)
        *reading = 1 - *reading;
    return HWC_OK;
}

struct outcome {
    unsigned below, above, straddles, drawn;
};

static struct outcome try_often(struct source *source, unsigned most)
{
    const struct hwc_sequential_test test = {.threshold = 0.5, .unit = 1, .most = most};
    struct outcome outcome = {0};

    hwc_random_seed(&source->random, SEED);
    source->drawn = 0;
    for (int i = 0; i < ROUNDS; i++) {
        struct hwc_estimate estimate;
        struct hwc_error error;
        enum hwc_side side;
        assert_int_equal(hwc_test_sequentially(&test, draw, source, &estimate, &side, &error), HWC_OK);
        outcome.below += side == HWC_BELOW;
        outcome.above += side == HWC_ABOVE;
        outcome.straddles += side == HWC_STRADDLES;
    }
    outcome.drawn = source->drawn / ROUNDS;
    return outcome;
}

static void clear_answers_come_soon_and_are_right(void **state)
{
    (void)state;
    for (int tenths = 0; tenths <= 4; tenths++)
        for (int miss = 0; miss <= 1; miss++) {
            double deviation = tenths / 10.0;
            struct source source = {.mean = miss, .deviation = deviation};
            struct outcome outcome = try_often(&source, 96);
            unsigned right = miss ? outcome.above : outcome.below, wrong = miss ? outcome.below : outcome.above;
            if (wrong > MOST_WRONG * ROUNDS || right < 0.95 * ROUNDS || outcome.drawn > 40)
                fail_msg("deviation %.1f, miss %d: %u right, %u wrong, %u readings", deviation, miss, right, wrong,
                         outcome.drawn);
        }
}

static void few_readings_alike_by_luck_do_not_decide(void **state)
{
    struct source source = {.mean = 0.3, .deviation = -1};
    struct outcome outcome = try_often(&source, 96);

    (void)state;
    if (outcome.above > MOST_WRONG * ROUNDS)
        fail_msg("a share of 0.3 was taken for more than half in %u of %d tests", outcome.above, ROUNDS);
    assert_true(outcome.drawn >= 10);
}

static void even_chances_are_no_answer(void **state)
{
    struct source source = {.mean = 0.5, .deviation = 0.5};
    struct outcome outcome = try_often(&source, 96);

    (void)state;
    if (outcome.straddles < (1 - 2 * MOST_WRONG) * ROUNDS)
        fail_msg("%u of %d straddle", outcome.straddles, ROUNDS);
}

static void interrupts_weigh_no_more_than_a_miss(void **state)
{
    struct source source = {.mean = 0, .deviation = 0.1, .interrupted = 0.1};
    struct outcome outcome = try_often(&source, 96);

    (void)state;
    assert_true(outcome.above <= MOST_WRONG * ROUNDS);
    assert_true(outcome.below >= 0.95 * ROUNDS);
}

static void disturbed_readings_are_left_out(void **state)
{
    struct source source = {.mean = 0, .deviation = 0.1, .disturbed = 0.6};
    struct outcome outcome = try_often(&source, 96);

    (void)state;
    assert_true(outcome.above <= MOST_WRONG * ROUNDS);
    assert_true(outcome.below >= 0.95 * ROUNDS);
}

static void a_source_that_is_always_disturbed_ends(void **state)
{
    struct source source = {.mean = 0, .disturbed = 1};
    struct outcome outcome = try_often(&source, 24);

    (void)state;
    assert_int_equal(outcome.straddles, ROUNDS);
    assert_int_equal(outcome.drawn, 48);
}

static void a_coarse_clock_adds_its_own_error(void **state)
{
    struct hwc_tally tally = {0};

    (void)state;
    for (int i = 0; i < 12; i++)
        hwc_tally_add(&tally, 1);
    assert_true(hwc_tally_mean(&tally, 0).error == 0);
    assert_true(fabs(hwc_tally_mean(&tally, 12).error - 1) < 1e-9); /* variance 144 / 12, over 12 readings */
}

static void students_bound_falls_to_the_normal_one(void **state)
{
    (void)state;
    for (unsigned n = 2; n < 200; n++)
        assert_true(hwc_student_bound(n) >= hwc_student_bound(n + 1));
    assert_true(hwc_student_bound(2) > 600);
    assert_true(hwc_student_bound(1000) > 3.29 && hwc_student_bound(1000) < 3.4);
}

static void the_least_stands_when_a_second_reading_agrees(void **state)
{
    static const double readings[] = {9, 7, 12, 7.3};
    struct hwc_least least = {0};

    (void)state;
    for (int i = 0; i < 3; i++) {
        hwc_least_add(&least, readings[i]);
        assert_false(hwc_least_settled(&least, 0.5));
    }
    hwc_least_add(&least, readings[3]);
    assert_true(hwc_least_settled(&least, 0.5));
    assert_true(least.value == 7);
}

/* A line that others put out in a share of the readings, and the lines asked about in another share. */
static struct outcome try_late_in(double by_others, double by_lines, double least, unsigned most)
{
    struct outcome outcome = {0};
    struct hwc_random random;

    hwc_random_seed(&random, SEED);
    for (int i = 0; i < ROUNDS; i++) {
        struct hwc_late_pair pair = {0};
        enum hwc_side side = HWC_STRADDLES;
        for (; side == HWC_STRADDLES && pair.with.plays < most; side = hwc_side_of_late(&pair, least, 1000)) {
            double late = 1 - (1 - by_others) * (1 - by_lines);
            pair.with.late += hwc_random_unit(&random) < late;
            pair.with.plays++;
            if (pair.with.late == 0)
                continue;
            pair.without.late += hwc_random_unit(&random) < by_others;
            pair.without.plays++;
        }
        outcome.below += side == HWC_BELOW;
        outcome.above += side == HWC_ABOVE;
        outcome.straddles += side == HWC_STRADDLES;
        outcome.drawn += pair.with.plays;
    }
    outcome.drawn /= ROUNDS;
    return outcome;
}

static struct outcome try_late(double by_others, double by_lines, unsigned most)
{
    return try_late_in(by_others, by_lines, 0, most);
}

static void what_others_do_does_not_count(void **state)
{
    static const double by_others[] = {0, 0.02, 0.2, 0.5, 0.7, 0.95};

    (void)state;
    for (size_t i = 0; i < sizeof by_others / sizeof *by_others; i++) {
        struct outcome stays = try_late(by_others[i], 0, 400);
        if (stays.above > 0.003 * ROUNDS || stays.below < 0.7 * ROUNDS)
            fail_msg("seed %d, others %.2f: %u above, %u below", SEED, by_others[i], stays.above, stays.below);
    }
}

static void lines_that_evict_show_beside_others(void **state)
{
    static const double cases[][2] = {{0, 1}, {0, 0.4}, {0.05, 0.9}, {0.3, 0.9}, {0.5, 0.9}, {0.3, 0.6}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct outcome goes = try_late(cases[i][0], cases[i][1], 400);
        if (goes.below > 0.003 * ROUNDS || goes.above < 0.95 * ROUNDS)
            fail_msg("seed %d, others %.2f, lines %.2f: %u below, %u above", SEED, cases[i][0], cases[i][1], goes.below,
                     goes.above);
    }
    assert_true(try_late(0, 1, 400).drawn <= 12);
    assert_true(try_late(0, 0, 400).drawn <= 32);
}

static void a_small_difference_stays_open(void **state)
{
    struct outcome close = try_late(0.3, 0.15, 100);

    (void)state;
    assert_true(close.straddles > 0.5 * ROUNDS);
}

/* Who is expected in half of the readings at least, is not there if late in a third, and sooner missed. */
static void less_than_expected_is_not_there(void **state)
{
    static const double seldom[] = {0, 0.02, 0.1, 0.2, 0.3};

    (void)state;
    for (size_t i = 0; i < sizeof seldom / sizeof *seldom; i++) {
        struct outcome stays = try_late_in(0, seldom[i], 0.5, 400);
        if (stays.above > 0.003 * ROUNDS || stays.below < 0.95 * ROUNDS)
            fail_msg("seed %d, lines %.2f: %u above, %u below", SEED, seldom[i], stays.above, stays.below);
    }
    assert_true(try_late_in(0, 0.95, 0.5, 400).above >= 0.99 * ROUNDS);
    assert_true(try_late_in(0.3, 0.9, 0.5, 400).above >= 0.95 * ROUNDS);
    assert_true(try_late_in(0.7, 0, 0.5, 400).above <= 0.003 * ROUNDS); /* others' doing */
    assert_true(try_late_in(0, 0, 0.5, 400).drawn < 0.5 * try_late(0, 0, 400).drawn);
}

/* None late of some is no proof that none ever is. */
static void a_chance_is_never_certain(void **state)
{
    (void)state;
    assert_true(hwc_chance_of(0, 24) > 0 && hwc_chance_of(0, 24) < 0.05);
    assert_true(hwc_chance_of(24, 24) < 1 && hwc_chance_of(24, 24) > 0.95);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clear_answers_come_soon_and_are_right),
        cmocka_unit_test(few_readings_alike_by_luck_do_not_decide),
        cmocka_unit_test(even_chances_are_no_answer),
        cmocka_unit_test(interrupts_weigh_no_more_than_a_miss),
        cmocka_unit_test(disturbed_readings_are_left_out),
        cmocka_unit_test(a_source_that_is_always_disturbed_ends),
        cmocka_unit_test(a_coarse_clock_adds_its_own_error),
        cmocka_unit_test(students_bound_falls_to_the_normal_one),
        cmocka_unit_test(what_others_do_does_not_count),
        cmocka_unit_test(lines_that_evict_show_beside_others),
        cmocka_unit_test(a_small_difference_stays_open),
        cmocka_unit_test(less_than_expected_is_not_there),
        cmocka_unit_test(a_chance_is_never_certain),
        cmocka_unit_test(the_least_stands_when_a_second_reading_agrees),
    };

    printf("seed %d\n", SEED);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
