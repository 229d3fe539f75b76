/* Candidates: the policy that is named is one that the ballots did not rule out. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "candidates.h"

static struct hwc_candidates candidates;
static struct hwc_approvals approvals;

enum { LRU, FIFO, TREE };

#define WAYS 8

/* Each ballot is a string of the candidates that it leaves: L, F, T. */
static struct hwc_result vote(const char *const *ballots, unsigned votes)
{
    static struct hwc_ballot cast[HWC_MAX_VOTES];

    memset(&approvals, 0, sizeof approvals);
    memset(cast, 0, sizeof cast);
    hwc_list_candidates(&candidates, WAYS, false);
    for (unsigned i = 0; i < votes; i++) {
        bool left[HWC_MOST_CANDIDATES] = {false};
        left[LRU] = strchr(ballots[i], 'L') != NULL;
        left[FIFO] = strchr(ballots[i], 'F') != NULL;
        left[TREE] = strchr(ballots[i], 'T') != NULL;
        cast[i].cast[0] = true;
        cast[i].value[0] = hwc_approve(&approvals, &candidates, left);
    }
    return hwc_count_votes(cast, votes, 0);
}

struct named {
    char text[160], alternatives[HWC_POLICY_NAMES];
};

static void name(struct hwc_result *result, struct named *named)
{
    memset(named, 0, sizeof *named);
    hwc_decide_by_approval(&candidates, &approvals, result);
    if (result->decided)
        hwc_name_policy(&candidates, &approvals, result, named->text, sizeof named->text, named->alternatives);
}

static void the_first_names_what_is_not_told_apart(void **state)
{
    static const char *const ballots[] = {"LT", "LT", "L", "LT", "LT", "LT", "LT", "LT"};
    struct hwc_result result = vote(ballots, 8);
    struct named named;

    (void)state;
    assert_true(result.decided);
    name(&result, &named);
    assert_string_equal(named.text, "lru");
    assert_string_equal(named.alternatives, "");
}

/* Six of eight ballots decide, but not if three others ruled out all; five of five do, if at most one did or, by
 * counts, at most five. */
static void ballots_that_leave_nothing_speak_against_a_name(void **state)
{
    static const struct {
        const char *ballots[8];
        unsigned votes, of_none;
        bool counted, decided;
    } cases[] = {{{"L", "L", "L", "F", "L", "L", "F", "L"}, 8, 0, false, true},
                 {{"L", "L", "L", "F", "L", "L", "F", "L"}, 8, 3, false, false},
                 {{"L", "L", "LF", "L", "L"}, 5, 1, false, true},
                 {{"L", "L", "LF", "L", "L"}, 5, 2, false, false},
                 {{"L", "L", "LF", "L", "L"}, 5, 5, true, true},
                 {{"L", "L", "LF", "L", "L"}, 5, 6, true, false}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct hwc_result result = vote(cases[i].ballots, cases[i].votes);
        struct named named;
        approvals.counted = cases[i].counted;
        approvals.of_none = cases[i].of_none;
        name(&result, &named);
        assert_int_equal(result.decided, cases[i].decided);
        if (!result.decided)
            assert_non_null(strstr(result.reason, "with none that is known"));
    }
}

static void what_most_ballots_left_is_named_where_they_name_different_ones(void **state)
{
    static const char *const ballots[] = {"LT", "T", "FT", "LT", "T", "FT", "T", "LT"};
    struct hwc_result result = vote(ballots, 8);
    struct named named;

    (void)state;
    assert_false(result.decided);
    name(&result, &named);
    assert_true(result.decided);
    assert_string_equal(named.text, "tree-plru");
    assert_int_equal(result.alike, 8);
}

/* Most ballots leave both and are cast for the first; the others rule the first out. */
static void what_all_ballots_left_is_named_where_most_were_cast_for_another(void **state)
{
    static const char *const ballots[] = {"LT", "T", "LT", "LT", "T", "LT", "LT", "LT"};
    struct hwc_result result = vote(ballots, 8);
    struct named named;

    (void)state;
    assert_true(result.decided);
    name(&result, &named);
    assert_string_equal(named.text, "tree-plru");
    assert_int_equal(result.alike, 8);
}

static void half_of_the_ballots_is_not_most(void **state)
{
    static const char *const ballots[] = {"L", "T", "F", "L", "T", "F", "T", "LT"};
    struct hwc_result result = vote(ballots, 8);
    struct named named;

    (void)state;
    name(&result, &named);
    assert_false(result.decided);
}

static void nothing_left_is_chance(void **state)
{
    static const char *const ballots[] = {"", "", "", ""};
    struct hwc_result result = vote(ballots, 4);
    struct named named;

    (void)state;
    name(&result, &named);
    assert_string_equal(named.text, "random");
}

/* Each name is listed once, or once more as holding victims, and every policy suits the number of ways. */
static void candidates_are_listed_once(void **state)
{
    (void)state;
    for (unsigned ways = 2; ways <= 20; ways++) {
        hwc_list_candidates(&candidates, ways, true);
        assert_true(candidates.count > 0 && candidates.count < HWC_MOST_CANDIDATES);
        for (size_t i = 0; i < candidates.count; i++) {
            const struct hwc_candidate *one = &candidates.item[i];
            assert_true(hwc_policy_suits(&one->policy, ways));
            for (size_t k = i + 1; k < candidates.count; k++)
                if (strcmp(one->name, candidates.item[k].name) == 0 &&
                    one->holds_victims == candidates.item[k].holds_victims)
                    fail_msg("%s twice, %u ways", one->name, ways);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_names_what_is_not_told_apart),
        cmocka_unit_test(ballots_that_leave_nothing_speak_against_a_name),
        cmocka_unit_test(what_most_ballots_left_is_named_where_they_name_different_ones),
        cmocka_unit_test(what_all_ballots_left_is_named_where_most_were_cast_for_another),
        cmocka_unit_test(half_of_the_ballots_is_not_most),
        cmocka_unit_test(nothing_left_is_chance),
        cmocka_unit_test(candidates_are_listed_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
