/* Candidates: what ballots leave is what is named. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "candidates.h"

static struct hwc_candidates candidates;

enum { LRU, FIFO, TREE };

/* Ballots, each a word of who is left: L, F, T. */
static struct hwc_result vote(const char *const *ballots, unsigned votes)
{
    static struct hwc_ballot cast[HWC_MAX_VOTES];

    memset(&candidates, 0, sizeof candidates);
    memset(cast, 0, sizeof cast);
    hwc_add_plain(&candidates, false);
    hwc_forget_names(&candidates);
    for (unsigned i = 0; i < votes; i++) {
        bool left[HWC_MOST_CANDIDATES] = {false};
        left[LRU] = strchr(ballots[i], 'L') != NULL;
        left[FIFO] = strchr(ballots[i], 'F') != NULL;
        left[TREE] = strchr(ballots[i], 'T') != NULL;
        hwc_cast_for_left(&candidates, left, &cast[i]);
    }
    return hwc_count_votes(cast, votes, 0);
}

static void name(struct hwc_result *result, struct hwc_finding *finding)
{
    static char alternatives[HWC_POLICY_NAMES];

    *finding = (struct hwc_finding){0};
    hwc_decide_by_approval(&candidates, result);
    if (result->decided)
        hwc_name_policy(&candidates, result, alternatives, finding);
}

static void the_first_names_what_is_not_told_apart(void **state)
{
    static const char *const ballots[] = {"LT", "LT", "L", "LT", "LT", "LT", "LT", "LT"};
    struct hwc_result result = vote(ballots, 8);
    struct hwc_finding finding;

    (void)state;
    assert_true(result.decided);
    name(&result, &finding);
    assert_string_equal(finding.text, "lru");
    assert_string_equal(finding.alternatives, "");
}

static void what_most_ballots_left_is_named_where_they_name_different_ones(void **state)
{
    static const char *const ballots[] = {"LT", "T", "FT", "LT", "T", "FT", "T", "LT"};
    struct hwc_result result = vote(ballots, 8);
    struct hwc_finding finding;

    (void)state;
    assert_false(result.decided);
    name(&result, &finding);
    assert_true(result.decided);
    assert_string_equal(finding.text, "tree-plru");
    assert_int_equal(result.alike, 8);
}

/* Most ballots leave both, and are cast for the first; the others contradict it. */
static void what_all_ballots_left_is_named_where_most_were_cast_for_another(void **state)
{
    static const char *const ballots[] = {"LT", "T", "LT", "LT", "T", "LT", "LT", "LT"};
    struct hwc_result result = vote(ballots, 8);
    struct hwc_finding finding;

    (void)state;
    assert_true(result.decided);
    name(&result, &finding);
    assert_string_equal(finding.text, "tree-plru");
    assert_int_equal(result.alike, 8);
}

static void half_of_the_ballots_is_not_most(void **state)
{
    static const char *const ballots[] = {"L", "T", "F", "L", "T", "F", "T", "LT"};
    struct hwc_result result = vote(ballots, 8);
    struct hwc_finding finding;

    (void)state;
    name(&result, &finding);
    assert_false(result.decided);
}

static void nothing_left_is_chance(void **state)
{
    static const char *const ballots[] = {"", "", "", ""};
    struct hwc_result result = vote(ballots, 4);
    struct hwc_finding finding;

    (void)state;
    name(&result, &finding);
    assert_string_equal(finding.text, "random");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_names_what_is_not_told_apart),
        cmocka_unit_test(what_most_ballots_left_is_named_where_they_name_different_ones),
        cmocka_unit_test(what_all_ballots_left_is_named_where_most_were_cast_for_another),
        cmocka_unit_test(half_of_the_ballots_is_not_most),
        cmocka_unit_test(nothing_left_is_chance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
