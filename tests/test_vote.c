#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "vote.h"

static void fill(struct hwc_ballot *ballots, const int *values, unsigned votes)
{
    memset(ballots, 0, votes * sizeof *ballots);
    for (unsigned i = 0; i < votes; i++) {
        ballots[i].cast[0] = values[i] >= 0;
        ballots[i].value[0] = values[i];
        if (values[i] < 0)
            snprintf(ballots[i].reason, sizeof ballots[i].reason, "no evidence");
    }
}

static void most_common_value_wins_with_its_agreement(void **state)
{
    struct hwc_ballot ballots[8];
    struct hwc_result result;

    (void)state;
    fill(ballots, (const int[]){64, 64, 32, 64, 64, 64, 128, 64}, 8);
    result = hwc_count_votes(ballots, 8, 0);
    assert_true(result.decided);
    assert_int_equal(result.value, 64);
    assert_int_equal(result.alike, 6);
}

static void five_of_eight_decide_nothing(void **state)
{
    struct hwc_ballot ballots[8];
    struct hwc_result result;

    (void)state;
    fill(ballots, (const int[]){64, 64, 32, 64, 64, 32, 32, 64}, 8);
    result = hwc_count_votes(ballots, 8, 0);
    assert_false(result.decided);
    assert_non_null(strstr(result.reason, "5 of 8"));
}

static void abstentions_give_their_reason(void **state)
{
    struct hwc_ballot ballots[8];
    struct hwc_result result;

    (void)state;
    fill(ballots, (const int[]){-1, -1, -1, 64, -1, -1, -1, -1}, 8);
    result = hwc_count_votes(ballots, 8, 0);
    assert_false(result.decided);
    assert_string_equal(result.reason, "no evidence");
}

static void abstentions_do_not_speak_for_another_value(void **state)
{
    struct hwc_ballot ballots[8];
    struct hwc_result result;

    (void)state;
    fill(ballots, (const int[]){16, -1, 16, 16, -1, -1, 16, -1}, 8);
    result = hwc_count_votes(ballots, 8, 0);
    assert_true(result.decided);
    assert_int_equal(result.alike, 4);
    fill(ballots, (const int[]){16, -1, 16, 16, -1, -1, -1, -1}, 8);
    assert_false(hwc_count_votes(ballots, 8, 0).decided);
    fill(ballots, (const int[]){16, -1, 16, 16, -1, 8, 16, 8}, 8);
    assert_false(hwc_count_votes(ballots, 8, 0).decided);
}

/* A one-sided question: others can only lessen the values. */
static void fill_one_sided(struct hwc_ballot *ballots, const int *values, const bool *showed, unsigned votes)
{
    fill(ballots, values, votes);
    for (unsigned i = 0; i < votes; i++) {
        ballots[i].effect[0] = HWC_OTHERS_MAY_LESSEN;
        ballots[i].others_showed = ballots[i].others_seen = showed[i];
    }
}

static void what_others_lessen_does_not_speak_against_more(void **state)
{
    struct hwc_ballot ballots[8];
    struct hwc_result result;

    (void)state;
    fill_one_sided(ballots, (const int[]){16, 15, 16, 15, 15, 16, 14, 15}, (const bool[8]){0}, 8);
    result = hwc_count_votes(ballots, 8, 0);
    assert_true(result.decided);
    assert_int_equal(result.value, 16);
    assert_int_equal(result.alike, 3);
    fill_one_sided(ballots, (const int[]){16, 15, 15, 15, 15, 15, 14, 15}, (const bool[8]){0}, 8);
    result = hwc_count_votes(ballots, 8, 0);
    assert_true(result.decided);
    assert_int_equal(result.value, 15); /* one that is larger may be a mistake */
    fill_one_sided(ballots, (const int[]){16, 15, 15, 15, 15, 16, 14, 15}, (const bool[8]){0}, 8);
    assert_false(hwc_count_votes(ballots, 8, 0).decided);
    fill_one_sided(ballots, (const int[]){16, 15, 15, 14, 15, 16, 14, 14}, (const bool[8]){0}, 8);
    assert_false(hwc_count_votes(ballots, 8, 0).decided);
}

static void ballots_beside_others_alone_decide_nothing(void **state)
{
    const bool all[8] = {1, 1, 1, 1, 1, 1, 1, 1}, but_one[8] = {1, 1, 1, 1, 0, 1, 1, 1};
    const bool but_two[8] = {0, 1, 1, 1, 0, 1, 1, 1};
    struct hwc_ballot ballots[8];
    struct hwc_result result;

    (void)state;
    fill_one_sided(ballots, (const int[]){10, 10, 10, -1, 10, 10, 10, 10}, all, 8);
    result = hwc_count_votes(ballots, 8, 0);
    assert_false(result.decided);
    assert_true(result.at_least && result.value == 10);
    assert_non_null(strstr(result.reason, "others work on this core all the time"));
    fill_one_sided(ballots, (const int[]){10, 10, 10, -1, 10, 10, 10, 10}, but_one, 8);
    assert_true(hwc_count_votes(ballots, 8, 0).at_least); /* one may have overlooked them */
    fill_one_sided(ballots, (const int[]){10, 10, 10, -1, 10, 10, 10, 10}, but_two, 8);
    result = hwc_count_votes(ballots, 8, 0);
    assert_true(result.decided && !result.at_least);
    fill_one_sided(ballots, (const int[]){10, 9, 8, -1, 7, 6, 5, 4}, all, 8);
    assert_false(hwc_count_votes(ballots, 8, 0).at_least); /* no two are alike */
    fill_one_sided(ballots, (const int[]){10, 10, 10, -1, 12, 10, 10, 10}, but_one, 8);
    assert_false(hwc_count_votes(ballots, 8, 0).decided); /* those alike are beside others, the quiet one is not alike */
    fill_one_sided(ballots, (const int[]){10, 10, 10, -1, 10, 10, 10, 10}, all, 8);
    for (int i = 0; i < 8; i++)
        ballots[i].others_seen = false; /* samples were disturbed, and left out: nobody holds a part in those that stay */
    assert_true(hwc_count_votes(ballots, 8, 0).decided);
}

/* L2 of a Zen 5 guest beside a busy thread: 15 ways were told, of 16. */
static void where_many_saw_less_one_that_saw_more_is_no_mistake(void **state)
{
    struct hwc_ballot ballots[8] = {0};
    struct hwc_result result;

    (void)state;
    fill_one_sided(ballots, (const int[]){15, 14, 15, 16, 13, 15, 14, -1}, (const bool[8]){0}, 8);
    result = hwc_count_votes(ballots, 8, 0);
    assert_false(result.decided);
    assert_true(hwc_is_open(ballots, 8, 24, 0));
    fill_one_sided(ballots, (const int[]){15, 14, 15, 14, 13, 15, 14, -1}, (const bool[8]){0}, 8);
    result = hwc_count_votes(ballots, 8, 0);
    assert_true(result.decided);
    assert_int_equal(result.value, 15);
}

/* Who cannot lessen all ballots by as much need not have been absent from any. */
static void others_who_lessen_some_ballots_may_be_there_in_all(void **state)
{
    const bool all[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    struct hwc_ballot ballots[8];
    struct hwc_result result;

    (void)state;
    fill_one_sided(ballots, (const int[]){16, 15, 16, -1, 15, 16, 14, 15}, all, 8);
    for (unsigned i = 0; i < 8; i++)
        ballots[i].effect[0] = HWC_OTHERS_MAY_LESSEN_SOME;
    result = hwc_count_votes(ballots, 8, 0);
    assert_true(result.decided);
    assert_int_equal(result.value, 16);
    ballots[0].cast[0] = false;
    assert_false(hwc_count_votes(ballots, 8, 0).value == 16);
}

/* A thread on the core's other half that goes over a large part of a level again and again holds a way of every set: of
 * the ballots that were cast in its pauses there must be some. */
static void what_is_told_beside_others_alone_is_at_least_there(void **state)
{
    const bool all[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    struct hwc_ballot ballots[8];
    struct hwc_result result;

    (void)state;
    fill_one_sided(ballots, (const int[]){7, -1, 7, 7, 8, -1, 7, -1}, all, 8);
    result = hwc_count_votes(ballots, 8, 0);
    assert_false(result.decided);
    assert_true(result.at_least);
    fill_one_sided(ballots, (const int[]){8, 8, 8, 8, 8, 8, 7, -1}, all, 8);
    ballots[3].effect[0] = HWC_OTHERS_MAY_LESSEN_SOME;
    assert_false(hwc_count_votes(ballots, 8, 0).decided); /* one of six */
    ballots[5].effect[0] = HWC_OTHERS_MAY_LESSEN_SOME;
    assert_true(hwc_count_votes(ballots, 8, 0).decided);
}

/* A ballot that saw 63 of 64 entries' pages fit, where a number that may be one off is no answer, still tells that 60 are
 * not all. */
static void what_abstaining_ballots_saw_speaks_against_less(void **state)
{
    struct hwc_ballot ballots[8];

    (void)state;
    fill_one_sided(ballots, (const int[]){60, 60, -1, 60, -1, 60, -1, -1}, (const bool[8]){0}, 8);
    assert_true(hwc_count_votes(ballots, 8, 0).decided);
    ballots[2].at_least[0] = 62;
    assert_true(hwc_count_votes(ballots, 8, 0).decided); /* may be a mistake */
    ballots[4].at_least[0] = 60;
    assert_true(hwc_count_votes(ballots, 8, 0).decided);
    ballots[6].at_least[0] = 61;
    assert_false(hwc_count_votes(ballots, 8, 0).decided);
}

static void a_vote_cut_short_needs_as_many_as_a_whole_one(void **state)
{
    struct hwc_result both_sides = {0}, one_sided = {.one_sided = true};

    (void)state;
    assert_int_equal(hwc_enough_of_whole(&both_sides, 8), 4);
    assert_int_equal(hwc_enough_of_whole(&both_sides, 5), 3);
    assert_int_equal(hwc_enough_of_whole(&one_sided, 8), 3);
    assert_int_equal(hwc_enough_of_whole(&one_sided, 12), 4);
    assert_int_equal(hwc_enough_of_whole(&one_sided, 4), 3);
}

static void one_sided_votes_stay_open_while_a_third_may_agree(void **state)
{
    struct hwc_ballot ballots[8];

    (void)state;
    fill_one_sided(ballots, (const int[]){16, 15, 14, 13, 16, 12, 11, -1}, (const bool[8]){0}, 8);
    assert_true(hwc_is_open(ballots, 8, 24, 0));
    fill_one_sided(ballots, (const int[]){16, 16, 14, 13, 16, 12, 11, -1}, (const bool[8]){0}, 8);
    assert_false(hwc_is_open(ballots, 8, 24, 0)); /* decided */
    fill_one_sided(ballots, (const int[]){-1, -1, -1, -1, -1, -1, -1, -1}, (const bool[8]){0}, 8);
    assert_false(hwc_is_open(ballots, 8, 24, 0));
}

/* Somebody is there all the time, but pauses: what is seen in a pause to be whole is not lessened. */
static void what_was_whole_in_a_pause_needs_no_quiet_ballot(void **state)
{
    const bool always[8] = {true, true, true, true, true, true, true, true};
    struct hwc_ballot ballots[8];

    (void)state;
    fill_one_sided(ballots, (const int[]){12, 12, 12, 12, 12, 12, 12, 12}, always, 8);
    ballots[0].whole = true;
    assert_false(hwc_count_votes(ballots, 8, 0).decided); /* one of eight may be mistaken */
    ballots[5].whole = true;
    assert_true(hwc_count_votes(ballots, 8, 0).decided);
    fill_one_sided(ballots, (const int[]){10, 10, 12, 12, 12, 10, 10, 10}, always, 8);
    ballots[0].whole = ballots[1].whole = true;
    assert_false(hwc_count_votes(ballots, 8, 0).decided); /* it must be those that count */
}

/* Where others work on the core, half of the ballots may all miss what they hold. */
static void abstentions_beside_others_speak_against(void **state)
{
    struct hwc_ballot ballots[8];
    struct hwc_result result;

    (void)state;
    fill(ballots, (const int[]){10, -1, 10, -1, 10, -1, 10, -1}, 8);
    assert_true(hwc_count_votes(ballots, 8, 0).decided);
    for (unsigned i = 1; i < 8; i += 2)
        ballots[i].others_showed = true;
    result = hwc_count_votes(ballots, 8, 0);
    assert_false(result.decided);
    assert_int_equal(result.spoiled, 4);
    assert_non_null(strstr(result.reason, "others work on this core"));
    fill(ballots, (const int[]){12, 12, 12, -1, 12, 12, 12, -1}, 8);
    ballots[3].others_showed = ballots[7].others_showed = true;
    assert_true(hwc_count_votes(ballots, 8, 0).decided);
}

static void every_ballot_is_in_a_round(void **state)
{
    struct hwc_round rounds[HWC_MOST_ROUNDS];
    struct hwc_ballot ballots[11];

    (void)state;
    fill(ballots, (const int[]){3, 1, -1, 1, 2, 1, 9, 8, 7, -1, 7}, 11);
    ballots[1].disturbed = 2;
    ballots[7].disturbed = 1;
    assert_int_equal(hwc_count_rounds(ballots, 11, 8, 0, rounds), 2);
    assert_int_equal(rounds[0].cast, 7);
    assert_int_equal(rounds[0].abstained, 1);
    assert_int_equal(rounds[0].disturbed, 3);
    assert_int_equal(rounds[0].values, HWC_ROUND_VALUES); /* of five distinct values */
    assert_true(rounds[0].value[0].value == 1 && rounds[0].value[0].votes == 3);
    assert_true(rounds[0].value[1].value == 3 && rounds[0].value[1].votes == 1);
    assert_int_equal(rounds[1].cast, 2);
    assert_int_equal(rounds[1].abstained, 1);
    assert_int_equal(rounds[1].disturbed, 0);
    assert_int_equal(rounds[1].values, 1);
    assert_true(rounds[1].value[0].value == 7 && rounds[1].value[0].votes == 2);
}

/* A value that is named late but often still comes first. */
static void rounds_rank_values_by_their_votes(void **state)
{
    struct hwc_round rounds[HWC_MOST_ROUNDS];
    struct hwc_ballot ballots[8];

    (void)state;
    fill(ballots, (const int[]){1, 2, 3, 4, 5, 5, 4, 5}, 8);
    assert_int_equal(hwc_count_rounds(ballots, 8, 8, 0, rounds), 1);
    assert_true(rounds[0].value[0].value == 5 && rounds[0].value[0].votes == 3);
    assert_true(rounds[0].value[1].value == 4 && rounds[0].value[1].votes == 2);
    assert_true(rounds[0].value[3].value == 2 && rounds[0].value[3].votes == 1);
}

/* A vote whose ballots are mostly abstentions would take two more rounds to say so. */
static void hopeless_votes_end_and_others_go_on(void **state)
{
    (void)state;
    assert_true(hwc_is_hopeless(1, 8, 24));
    assert_false(hwc_is_hopeless(2, 8, 24));
    assert_false(hwc_is_hopeless(5, 8, 24));
    assert_false(hwc_is_hopeless(12, 20, 24));
    assert_true(hwc_is_hopeless(8, 20, 24));
    assert_true(hwc_is_hopeless(7, 20, 24));
    assert_false(hwc_is_hopeless(0, 0, 24));
}

/* Unless others were there, who may have been in all of them. */
static void half_of_a_vote_alike_ends_it_if_nobody_was_there(void **state)
{
    struct hwc_ballot ballots[8];

    (void)state;
    fill(ballots, (const int[]){5, 5, 5, 5, 5, 5, 5, 6}, 8);
    assert_false(hwc_is_settled(ballots, 0, 8, 1));
    assert_false(hwc_is_settled(ballots, 3, 8, 1));
    assert_true(hwc_is_settled(ballots, 4, 8, 1));
    assert_true(hwc_is_settled(ballots, 6, 8, 1));
    assert_true(hwc_is_settled(ballots, 8, 8, 1)); /* seven of eight decide */
    assert_false(hwc_is_settled(ballots, 2, 4, 1)); /* half of them, but too few */
    assert_true(hwc_is_settled(ballots, 3, 4, 1));
    ballots[3].others_showed = true;
    assert_false(hwc_is_settled(ballots, 6, 8, 1));
    ballots[3].others_showed = false;
    assert_true(hwc_is_settled(ballots, 6, 8, 2)); /* all abstain on the second question */
    ballots[2].cast[1] = true;
    assert_false(hwc_is_settled(ballots, 6, 8, 2));
    fill(ballots, (const int[]){5, 5, -1, 6, 5, 6, 5, 5}, 8);
    assert_false(hwc_is_settled(ballots, 4, 8, 1));
    assert_false(hwc_is_settled(ballots, 8, 8, 1)); /* five of seven do not */
    fill(ballots, (const int[]){5, 5, -1, 5, 5, 5, 5, 5}, 8);
    assert_true(hwc_is_settled(ballots, 5, 8, 1));
    fill(ballots, (const int[]){-1, -1, -1, -1, -1, -1, -1, -1}, 8);
    assert_false(hwc_is_settled(ballots, 4, 8, 1)); /* nobody has said anything */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(most_common_value_wins_with_its_agreement),
        cmocka_unit_test(five_of_eight_decide_nothing),
        cmocka_unit_test(abstentions_give_their_reason),
        cmocka_unit_test(abstentions_do_not_speak_for_another_value),
        cmocka_unit_test(what_was_whole_in_a_pause_needs_no_quiet_ballot),
        cmocka_unit_test(what_others_lessen_does_not_speak_against_more),
        cmocka_unit_test(ballots_beside_others_alone_decide_nothing),
        cmocka_unit_test(where_many_saw_less_one_that_saw_more_is_no_mistake),
        cmocka_unit_test(others_who_lessen_some_ballots_may_be_there_in_all),
        cmocka_unit_test(what_abstaining_ballots_saw_speaks_against_less),
        cmocka_unit_test(a_vote_cut_short_needs_as_many_as_a_whole_one),
        cmocka_unit_test(one_sided_votes_stay_open_while_a_third_may_agree),
        cmocka_unit_test(what_is_told_beside_others_alone_is_at_least_there),
        cmocka_unit_test(abstentions_beside_others_speak_against),
        cmocka_unit_test(every_ballot_is_in_a_round),
        cmocka_unit_test(rounds_rank_values_by_their_votes),
        cmocka_unit_test(hopeless_votes_end_and_others_go_on),
        cmocka_unit_test(half_of_a_vote_alike_ends_it_if_nobody_was_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
