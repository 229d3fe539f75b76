/* Policy inference on modelled sets, by exact counts and by noisy times, from an empty set, a full one or in the steady
 * state. A policy that does not behave as the set does is never named. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "played_set.h"

#define SEED 20261123

static struct hwc_candidates candidates;
static struct hwc_random random_numbers;

static void set_up(struct played *played, const struct hwc_policy *policy, unsigned ways, enum hwc_set_start start)
{
    unsigned lines = ways + (start == HWC_STEADY ? ways / 2 + 2 : 3);

    *played = (struct played){.policy = *policy};
    hwc_policy_prepare(&played->policy, ways);
    played->set = (struct hwc_set_instrument){
        .ways = ways,
        .lines = lines,
        .fillers = start == HWC_FROM_FULL ? ways : 0,
        .visits = ways < 6 ? 24 : ways < 20 ? 4 * ways : 80,
        .start = start,
        .counts_filling = start == HWC_FROM_FULL && ways % 2 == 0,
        .shows_chance = true,
        .play = play_modelled_set,
    };
    hwc_random_seed(&played->random, hwc_random_next(&random_numbers));
}

static int infer(struct played *played, bool *left)
{
    struct hwc_error error;
    bool refuted;

    played->set.context = played;
    hwc_set_model_init(&played->model, &played->policy, played->set.ways, played->set.holds_victims);
    return hwc_infer_policy(&played->set, &candidates, &random_numbers, left, &refuted, &error);
}

#define VOTES 4

/* The candidate that a vote of several inferences names; -1 = none. */
static int64_t vote(struct played *played)
{
    struct hwc_ballot ballots[VOTES] = {0};
    struct hwc_approvals approvals = {0};
    bool left[HWC_MOST_CANDIDATES];
    struct hwc_result result;

    for (unsigned i = 0; i < VOTES; i++) {
        ballots[i].cast[0] = infer(played, left) == HWC_OK;
        if (ballots[i].cast[0])
            ballots[i].value[0] = hwc_approve(&approvals, &candidates, left);
    }
    result = hwc_count_votes(ballots, VOTES, 0);
    hwc_decide_by_approval(&candidates, &approvals, &result);
    return result.decided ? result.value : -1;
}

#define FRESH 40

/* On how many of FRESH new sequences do the set and the candidate miss equally often? Both begin from an empty set with
 * no history or, if the set cannot be emptied, from a full one. */
static unsigned alike(const struct played *played, const struct hwc_candidate *candidate)
{
    struct hwc_set_instrument set = played->set;
    unsigned count = 0;

    if (set.start == HWC_STEADY)
        set.start = HWC_FROM_FULL;
    for (int i = 0; i < FRESH; i++) {
        struct hwc_random chance = random_numbers;
        struct hwc_sequence sequence;
        unsigned misses[2];
        hwc_draw_sequence(&set, &random_numbers, &sequence);
        for (int k = 0; k < 2; k++) {
            struct hwc_set_model model;
            hwc_set_model_init(&model, k == 0 ? &played->policy : &candidate->policy, set.ways, set.holds_victims);
            hwc_set_model_play(&model, sequence.before, sequence.befores, &chance);
            misses[k] = hwc_set_model_play(&model, sequence.visit, sequence.visits, &chance);
        }
        count += misses[0] == misses[1];
    }
    return count;
}

static const char *name_of(int64_t value)
{
    return value < 0 ? "nothing" : value == HWC_BY_CHANCE ? "random" : candidates.item[value].name;
}

static const unsigned some_ways[] = {2, 4, 6, 12};
#define SOME_WAYS (sizeof some_ways / sizeof some_ways[0])
/* Votes take several times as long, so they leave out the most ways. */
#define VOTED_WAYS (SOME_WAYS - 1)

/* All simple candidates are tested, and a random one in OF_FAMILY of the large QLRU family. */
#define OF_FAMILY 61

static bool is_among_some(size_t i)
{
    return !candidates.item[i].needs_empty || hwc_random_below(&random_numbers, OF_FAMILY) == 0;
}

static void seed(void)
{
    print_message("seed %d\n", SEED);
    hwc_random_seed(&random_numbers, SEED);
}

/* The truth must be left, and every other candidate that is left must behave as it does. */
static void check_left(const struct played *played, size_t truth, const bool *left)
{
    if (!left[truth])
        fail_msg("%s, %u ways: ruled out", candidates.item[truth].name, played->set.ways);
    for (size_t i = 0; i < candidates.count; i++)
        if (left[i] && alike(played, &candidates.item[i]) < FRESH - 2)
            fail_msg("%s, %u ways: %s is not told apart", candidates.item[truth].name, played->set.ways,
                     candidates.item[i].name);
}

static void candidates_are_found_by_counts(void **state)
{
    (void)state;
    seed();
    for (size_t w = 0; w < SOME_WAYS; w++) {
        hwc_list_candidates(&candidates, some_ways[w], false);
        for (size_t i = 0; i < candidates.count; i++) {
            bool left[HWC_MOST_CANDIDATES];
            struct played played;
            if (!is_among_some(i))
                continue;
            set_up(&played, &candidates.item[i].policy, some_ways[w], HWC_FROM_EMPTY);
            if (infer(&played, left) != HWC_OK)
                fail_msg("%s, %u ways: undecided after %u plays", candidates.item[i].name, some_ways[w], played.plays);
            check_left(&played, i, left);
        }
    }
}

/* The sets hold what the level above evicts. Two ways are left out: there nothing shows. */
static void so_are_those_that_hold_victims(void **state)
{
    (void)state;
    seed();
    for (size_t w = 1; w < SOME_WAYS; w++) {
        hwc_list_candidates(&candidates, some_ways[w], true);
        for (size_t i = 0; i < candidates.count; i++) {
            bool left[HWC_MOST_CANDIDATES];
            struct played played;
            if (!candidates.item[i].holds_victims)
                continue;
            set_up(&played, &candidates.item[i].policy, some_ways[w], HWC_FROM_EMPTY);
            played.set.holds_victims = true;
            if (infer(&played, left) == HWC_OK)
                check_left(&played, i, left);
            else
                print_message("%s, %u ways, victims: undecided\n", candidates.item[i].name, some_ways[w]);
        }
    }
}

/* A vote must name nothing but the truth or a policy that behaves alike, and one in at least this share of cases. */
static void check_votes(double error, double outliers, enum hwc_set_start start, bool keeps, double found_at_least)
{
    unsigned asked = 0, found = 0;

    for (size_t w = 0; w < VOTED_WAYS; w++) {
        hwc_list_candidates(&candidates, some_ways[w], false);
        for (size_t i = 0; i < candidates.count && !candidates.item[i].needs_empty; i++) {
            struct played played;
            int64_t value;
            set_up(&played, &candidates.item[i].policy, some_ways[w], start);
            played.error = error;
            played.outliers = outliers;
            played.keeps = keeps;
            played.set.wrong = error > 0;
            value = vote(&played);
            asked++;
            found += value >= 0;
            if (value == HWC_BY_CHANCE || (value >= 0 && alike(&played, &candidates.item[value]) < FRESH - 2))
                fail_msg("%s, %u ways: %s", candidates.item[i].name, some_ways[w], name_of(value));
            if (value < 0)
                print_message("%s, %u ways: undecided\n", candidates.item[i].name, some_ways[w]);
        }
    }
    print_message("%u of %u found\n", found, asked);
    assert_true(found >= found_at_least * asked);
}

static void simple_policies_are_found_by_times_that_err(void **state)
{
    (void)state;
    seed();
    check_votes(0.15, 0.02, HWC_FROM_EMPTY, false, 1);
    check_votes(0.4, 0.02, HWC_FROM_EMPTY, false, 0.9);
}

static void simple_policies_are_found_where_emptying_makes_them_forget_nothing(void **state)
{
    (void)state;
    seed();
    check_votes(0, 0, HWC_FROM_EMPTY, true, 0.9);
}

static void simple_policies_are_found_in_sets_that_cannot_be_emptied(void **state)
{
    (void)state;
    seed();
    check_votes(0, 0, HWC_FROM_FULL, true, 0.75);
}

static void simple_policies_are_found_by_steady_states(void **state)
{
    (void)state;
    seed();
    check_votes(0, 0, HWC_STEADY, true, 0.75);
    check_votes(0.4, 0.02, HWC_STEADY, true, 0.75);
}

static const enum hwc_set_start starts[] = {HWC_FROM_EMPTY, HWC_FROM_FULL, HWC_STEADY};
#define STARTS (sizeof starts / sizeof starts[0])

static void chance_is_found(void **state)
{
    const struct hwc_policy policy = {.kind = HWC_RANDOM};

    (void)state;
    seed();
    for (size_t s = 0; s < STARTS; s++)
        for (size_t w = 0; w < VOTED_WAYS; w += 2) {
            struct played played;
            int64_t value;
            hwc_list_candidates(&candidates, some_ways[w], false);
            set_up(&played, &policy, some_ways[w], starts[s]);
            value = vote(&played);
            if (value != HWC_BY_CHANCE)
                fail_msg("%u ways, start %zu: %s", some_ways[w], s, name_of(value));
            played.set.shows_chance = false;
            assert_int_equal(vote(&played), -1);
        }
}

/* Candidates whose misses depend on what was there before suit answers that err by some misses, and so does chance. */
static void srrip_and_chance_are_told_apart_by_times_that_err(void **state)
{
    static const char *const truth[] = {"random", "srrip"};

    (void)state;
    seed();
    hwc_list_candidates(&candidates, 16, false);
    for (unsigned i = 0; i < 4; i++) {
        const char *expected = i % 2 == 0 ? "nothing" : "srrip";
        struct hwc_policy policy;
        struct played played;
        int64_t value;
        assert_true(hwc_policy_parse(truth[i % 2], &policy));
        set_up(&played, &policy, 16, HWC_STEADY);
        played.error = 2;
        played.set.wrong = 1;
        played.set.visits = 96;
        played.set.shows_chance = false;
        value = vote(&played);
        if (strcmp(name_of(value), expected) != 0)
            fail_msg("%s: %s", truth[i % 2], name_of(value));
    }
}

static const char *const others[] = {"QLRU_H11_MR161_R1_U2", "QLRU_H00_MR081_R0_U0", "QLRU_H11_MR042_R0_U1",
                                     "QLRU_H11_M1_R0_U0",    "QLRU_H00_M1_R2_U1",    "QLRU_H21_M2_R0_U0_UMO"};
#define OTHERS (sizeof others / sizeof others[0])
#define BY_CHANCE 3 /* the first of them */

/* For a policy that is no candidate, a vote must name nothing, or a candidate that behaves as it does. */
static void check_other(const char *name, unsigned ways, enum hwc_set_start start, double error)
{
    struct hwc_policy policy;
    struct played played;
    int64_t value;

    hwc_list_candidates(&candidates, ways, false);
    assert_true(hwc_policy_parse(name, &policy));
    set_up(&played, &policy, ways, start);
    played.error = error;
    played.outliers = error > 0 ? 0.02 : 0;
    played.set.wrong = error > 0;
    value = vote(&played);
    if (value == HWC_BY_CHANCE || (value >= 0 && alike(&played, &candidates.item[value]) < FRESH - 2))
        fail_msg("%s, %u ways, start %d, error %g: %s", name, ways, (int)start, error, name_of(value));
}

/* Policies that insert at random and, where sets are not emptied, members of the QLRU family. */
static void others_are_not_taken_for_candidates(void **state)
{
    (void)state;
    seed();
    for (size_t s = 0; s < STARTS; s++)
        for (size_t w = 0; w < VOTED_WAYS; w += 2)
            for (size_t i = 0; i < (starts[s] == HWC_FROM_EMPTY ? BY_CHANCE : OTHERS); i++)
                check_other(others[i], some_ways[w], starts[s], 0);
}

static void nor_are_they_by_times_that_err(void **state)
{
    (void)state;
    seed();
    for (size_t w = 0; w < VOTED_WAYS; w += 2)
        for (size_t i = 0; i < BY_CHANCE; i++) {
            check_other(others[i], some_ways[w], HWC_FROM_EMPTY, 0.15);
            check_other(others[i], some_ways[w], HWC_FROM_EMPTY, 0.4);
        }
}

static int play_nothing(void *context, const struct hwc_sequence *sequence, unsigned plays, struct hwc_answer *answer,
                        struct hwc_error *error)
{
    (void)context;
    (void)sequence;
    (void)plays;
    (void)answer;
    return hwc_fail(error, HWC_UNAVAILABLE, "the set was never quiet");
}

static void what_cannot_be_played_is_undecided(void **state)
{
    const struct hwc_policy policy = {.kind = HWC_LRU};
    bool left[HWC_MOST_CANDIDATES], refuted = true;
    struct hwc_error error;
    struct played played;

    (void)state;
    hwc_list_candidates(&candidates, 8, false);
    set_up(&played, &policy, 8, HWC_FROM_EMPTY);
    played.set.play = play_nothing;
    assert_int_equal(hwc_infer_policy(&played.set, &candidates, &random_numbers, left, &refuted, &error), HWC_UNAVAILABLE);
    assert_false(refuted);
    assert_string_equal(error.message, "the set was never quiet");
}

/* Answers of such errors suit every candidate; that shows at once. */
static void answers_that_say_nothing_end_it_early(void **state)
{
    const struct hwc_policy policy = {.kind = HWC_LRU};
    bool left[HWC_MOST_CANDIDATES];
    struct played played;

    (void)state;
    seed();
    hwc_list_candidates(&candidates, 16, false);
    set_up(&played, &policy, 16, HWC_STEADY);
    played.error = 50;
    assert_int_equal(infer(&played, left), HWC_INCONCLUSIVE);
    assert_true(played.plays <= 2);
}

/* With one way, all policies are the same. */
static void a_set_of_one_way_says_nothing(void **state)
{
    const struct hwc_policy policy = {.kind = HWC_LRU};
    struct played played;

    (void)state;
    hwc_list_candidates(&candidates, 1, false);
    for (size_t s = 0; s < STARTS; s++) {
        set_up(&played, &policy, 1, starts[s]);
        assert_int_equal(vote(&played), -1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(candidates_are_found_by_counts),
        cmocka_unit_test(so_are_those_that_hold_victims),
        cmocka_unit_test(simple_policies_are_found_by_times_that_err),
        cmocka_unit_test(simple_policies_are_found_where_emptying_makes_them_forget_nothing),
        cmocka_unit_test(simple_policies_are_found_in_sets_that_cannot_be_emptied),
        cmocka_unit_test(simple_policies_are_found_by_steady_states),
        cmocka_unit_test(chance_is_found),
        cmocka_unit_test(srrip_and_chance_are_told_apart_by_times_that_err),
        cmocka_unit_test(others_are_not_taken_for_candidates),
        cmocka_unit_test(nor_are_they_by_times_that_err),
        cmocka_unit_test(what_cannot_be_played_is_undecided),
        cmocka_unit_test(answers_that_say_nothing_end_it_early),
        cmocka_unit_test(a_set_of_one_way_says_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
