/* Lines of code, as votes beside others tell them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include <cmocka.h>

#include "code_blocks.h"
#include "poll.h"
#include "vote.h"

enum { VOTES = 8 };

/* Is a vote for `line` kept, one of whose ballots said something else? */
static bool is_kept(int64_t line, int64_t other, bool busy)
{
    const struct hwc_lab lab = {.company = {.looks = 100, .met = busy ? 70 : 0}};
    struct hwc_ballot ballots[VOTES] = {0};
    struct hwc_finding finding = {.asked = true, .known = true, .value = (double)line};
    struct hwc_result result;

    for (int i = 0; i < VOTES; i++) {
        ballots[i].cast[0] = i < VOTES - 2; /* two came to nothing */
        ballots[i].value[0] = i == 1 ? other : line;
    }
    result = hwc_count_votes(ballots, VOTES, 0);
    result.rounds = hwc_count_rounds(ballots, VOTES, VOTES, 0, result.round);
    assert_true(result.decided);
    hwc_doubt_longer_line(&lab, &result, &finding);
    assert_int_equal(result.decided, finding.known);
    return finding.known;
}

/* On a Zen 3 beside a busy sibling five of eight votes said 128 bytes, and one 64. */
static void one_ballot_that_says_less_speaks_against_a_line_beside_others(void **state)
{
    (void)state;
    assert_false(is_kept(128, 64, true));
    assert_true(is_kept(64, 128, true));
    assert_true(is_kept(64, 64, true));
    assert_true(is_kept(128, 64, false));
}

static void the_least_of_no_values_is_none(void **state)
{
    const struct hwc_result empty = {.rounds = 1};

    (void)state;
    assert_true(hwc_least_of_rounds(&empty) == INFINITY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_ballot_that_says_less_speaks_against_a_line_beside_others),
        cmocka_unit_test(the_least_of_no_values_is_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
