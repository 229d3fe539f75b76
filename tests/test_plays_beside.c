/* How many visits to a set miss, from readings some of which others disturb (hwc_weigh_plays). */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "plays_beside.h"
#include "random.h"

#define SEED 20261123

enum { PLAYS = 48, ROUNDS = 500 };

/* Readings, in misses: hits, noise, the share that others disturb, the misses of lines that fit, and of the visits. */
struct manner {
    double hits, noise, disturbed, always;
    unsigned misses;
};

static double read(struct hwc_random *random, const struct manner *manner, double misses)
{
    double added = hwc_random_unit(random) < manner->disturbed ? 1 + (double)hwc_random_below(random, 12) : 0;

    return manner->hits + misses + added + manner->noise * hwc_random_normal(random);
}

static struct hwc_plays play(struct hwc_random *random, const struct manner *manner)
{
    struct hwc_plays plays = {.count = PLAYS};

    for (unsigned i = 0; i <= PLAYS; i++)
        plays.fitting[i] = read(random, manner, manner->always);
    for (unsigned i = 0; i < PLAYS; i++) {
        plays.visits[i] = read(random, manner, manner->misses);
        plays.few[i] = read(random, manner, 0);
    }
    return plays;
}

static struct manner draw(struct hwc_random *random)
{
    return (struct manner){.hits = 20 + (double)hwc_random_below(random, 60),
                           .noise = hwc_random_below(random, 3) == 0 ? 0 : 0.6 * hwc_random_unit(random),
                           .disturbed = 0.3 * hwc_random_unit(random),
                           .misses = (unsigned)hwc_random_below(random, 30)};
}

static void the_answer_is_within_its_error(void **state)
{
    unsigned wrong = 0, none = 0;
    struct hwc_random random;

    (void)state;
    hwc_random_seed(&random, SEED);
    for (int round = 0; round < ROUNDS; round++) {
        struct manner manner = draw(&random);
        struct hwc_plays plays = play(&random, &manner);
        struct hwc_answer answer;
        if (hwc_weigh_plays(&plays, 0, &answer) == 0)
            none++;
        else
            wrong += fabs(answer.misses - manner.misses) > fmax(HWC_HALF_A_MISS, HWC_ERRORS * answer.error);
    }
    if (wrong > ROUNDS / 50 || none > ROUNDS / 50)
        fail_msg("seed %d: of %d answers %u were wrong, %u were none", SEED, ROUNDS, wrong, none);
}

/* Something else uses the set: how many more misses visits have than lines that fit does not show the policy. */
static void where_lines_that_fit_are_missed_there_is_no_answer(void **state)
{
    unsigned given = 0;
    struct hwc_random random;

    (void)state;
    hwc_random_seed(&random, SEED);
    for (int round = 0; round < ROUNDS; round++) {
        struct manner manner = draw(&random);
        struct hwc_plays plays;
        struct hwc_answer answer;
        manner.always = 1 + (double)hwc_random_below(&random, 5);
        plays = play(&random, &manner);
        given += hwc_weigh_plays(&plays, 0, &answer) >= PLAYS / 2;
    }
    if (given > ROUNDS / 50)
        fail_msg("seed %d: %u answers of %d rest on a set that is shared", SEED, given, ROUNDS);
}

/* Where every set is shared, the difference is the best answer to be had. */
static void where_all_sets_are_shared_the_difference_counts(void **state)
{
    const struct manner manner = {.hits = 50, .noise = 0.3, .always = 4, .misses = 11};
    struct hwc_random random;
    struct hwc_plays plays;
    struct hwc_answer answer;

    (void)state;
    hwc_random_seed(&random, SEED);
    plays = play(&random, &manner);
    plays.shared = true;
    assert_true(hwc_weigh_plays(&plays, 0, &answer) >= PLAYS / 2);
    assert_true(fabs(answer.misses - 7) <= fmax(HWC_HALF_A_MISS, HWC_ERRORS * answer.error));
}

/* Lines that always miss are told from lines that are disturbed now and then, and from those of which a random policy
 * keeps all in half of the plays. */
static void lines_that_never_all_stay_are_recognised(void **state)
{
    unsigned missed = 0, overlooked = 0, sometimes = 0;
    struct hwc_random random;

    (void)state;
    hwc_random_seed(&random, SEED);
    for (int round = 0; round < ROUNDS; round++) {
        struct manner manner = draw(&random);
        struct hwc_plays plays = play(&random, &manner);
        missed += hwc_fitting_lines_miss(&plays, 0);
        for (unsigned i = 0; i < PLAYS; i += 2)
            plays.fitting[i] += 1 + (double)hwc_random_below(&random, 4);
        sometimes += hwc_fitting_lines_miss(&plays, 0);
        manner.always = 2 + (double)hwc_random_below(&random, 5);
        plays = play(&random, &manner);
        overlooked += !hwc_fitting_lines_miss(&plays, 0);
    }
    if (missed > ROUNDS / 100 || sometimes > ROUNDS / 100 || overlooked > ROUNDS / 50)
        fail_msg("seed %d: of %d sets %u were taken for shared, %u where a random policy keeps all lines at times; and of "
                 "%d shared ones %u were not", SEED, ROUNDS, missed, sometimes, ROUNDS, overlooked);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_answer_is_within_its_error),
        cmocka_unit_test(where_lines_that_fit_are_missed_there_is_no_answer),
        cmocka_unit_test(where_all_sets_are_shared_the_difference_counts),
        cmocka_unit_test(lines_that_never_all_stay_are_recognised),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
