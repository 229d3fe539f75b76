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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(most_common_value_wins_with_its_agreement),
        cmocka_unit_test(five_of_eight_decide_nothing),
        cmocka_unit_test(abstentions_give_their_reason),
        cmocka_unit_test(abstentions_do_not_speak_for_another_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
