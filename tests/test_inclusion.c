/* Inclusion from late readings: every kind is told from its shares, and chance or contradiction tells nothing. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "inclusion_evidence.h"
#include "random.h"

static const uint64_t seed = 20261125;

static struct hwc_late late(unsigned late, unsigned plays)
{
    return (struct hwc_late){late, plays};
}

static struct hwc_late_pair pair(unsigned with, unsigned without, unsigned plays)
{
    return (struct hwc_late_pair){late(with, plays), late(without, plays)};
}

enum { LINES = 24 };

/* Of each of so many lines that crowd a set, late in as many plays as are given; two lines are late so often. */
static struct hwc_inclusion_evidence crowded(unsigned with, unsigned without)
{
    return (struct hwc_inclusion_evidence){.crowded = pair(with, without, 12 * LINES),
                                           .lines = LINES,
                                           .full = true,
                                           .overfull = late(12, 12)};
}

static struct hwc_inclusion_evidence nine(void)
{
    struct hwc_inclusion_evidence evidence = crowded(8 * 12, 0);

    evidence.absent = pair(12, 0, 12);
    evidence.held = late(0, 12);
    return evidence;
}

static enum hwc_inclusion judged(struct hwc_inclusion_evidence evidence)
{
    return hwc_judge_inclusion(&evidence);
}

static void each_kind_is_told(void **state)
{
    const struct hwc_inclusion_evidence taken = {.taken = pair(32, 0, 32), .emptied = late(12, 12)};

    (void)state;
    assert_string_equal(hwc_inclusion_name(judged(taken)), "inclusive");
    assert_string_equal(hwc_inclusion_name(judged(nine())), "nine");
    assert_string_equal(hwc_inclusion_name(judged(crowded(0, 0))), "exclusive");
}

static void controls_count(void **state)
{
    /* A level above that loses the line anyway, one that never holds it, and a set that never overflows. */
    const struct hwc_inclusion_evidence lost = {.taken = pair(31, 30, 32), .emptied = late(12, 12)};
    const struct hwc_inclusion_evidence of_other_sets = {.taken = pair(32, 0, 32), .emptied = late(1, 12)};
    struct hwc_inclusion_evidence never_held = nine(), never_overfull = crowded(0, 0), by_turns = of_other_sets;

    (void)state;
    by_turns.emptied = late(12, 12);
    assert_int_equal(judged(by_turns), HWC_INCLUSIVE);
    by_turns.turned = late(12, 12); /* as under first in first out */
    assert_int_equal(judged(by_turns), HWC_INCLUSION_OPEN);
    never_held.held = late(11, 12);
    never_overfull.overfull = late(0, 12);
    assert_int_equal(judged(lost), HWC_INCLUSION_OPEN);
    assert_int_equal(judged(of_other_sets), HWC_INCLUSION_OPEN);
    assert_int_equal(judged(never_held), HWC_INCLUSION_OPEN);
    assert_int_equal(judged(never_overfull), HWC_INCLUSION_OPEN);
}

/* Lines of a set of two ways may be too many for a set of four of the next level, which is inclusive and puts the line
 * out of both. What this level evicts is still there. */
static void what_the_next_level_puts_out_tells_nothing(void **state)
{
    struct hwc_inclusion_evidence evidence = {.taken = pair(32, 0, 32), .emptied = late(12, 12)};

    (void)state;
    evidence.beyond_next = late(12, 12);
    assert_true(hwc_may_be_next(&evidence));
    assert_int_equal(judged(evidence), HWC_INCLUSION_OPEN);
    evidence.beyond_next = late(1, 12);
    assert_int_equal(judged(evidence), HWC_INCLUSIVE);
}

/* One line that goes each time, whichever it is, and the level is not exclusive; as many that are late anyway tell
 * nothing against it. Fewer lines than both levels have ways may stay anywhere. */
static void lines_that_go_are_counted(void **state)
{
    struct hwc_inclusion_evidence one_goes = crowded(12, 0), noise = crowded(12, 12), few = crowded(0, 0);

    (void)state;
    few.full = false;
    assert_true(hwc_some_go(&one_goes) && !hwc_all_stay(&one_goes));
    assert_true(hwc_all_stay(&noise) && !hwc_some_go(&noise));
    assert_false(hwc_all_stay(&few));
}

/* An inclusive level whose policy evicts but one of the lines that fill it, and not the first. */
static void whichever_line_is_taken(void **state)
{
    struct hwc_inclusion_evidence evidence = crowded(8 * 12, 0), noise;

    (void)state;
    evidence.taken = pair(0, 0, 32);
    evidence.emptied = late(12, 12);
    evidence.absent = pair(0, 0, 12);
    evidence.ways = 16;
    noise = evidence;
    evidence.taken_of_each = pair(12, 0, 16 * 12);
    noise.taken_of_each = pair(12, 10, 16 * 12);
    assert_string_equal(hwc_inclusion_name(judged(evidence)), "inclusive");
    assert_int_equal(judged(noise), HWC_INCLUSION_OPEN);
}

/* Where an exclusive level takes in all that leaves the level above, it may lose the line at once. */
static void an_exclusive_level_may_lose_a_victim(void **state)
{
    struct hwc_inclusion_evidence evidence = nine();

    (void)state;
    evidence.crowded.with.late = 0;
    assert_string_equal(hwc_inclusion_name(judged(evidence)), "exclusive");
    evidence.full = false; /* too few lines to crowd the set: only a line that left the level above alone tells */
    assert_int_equal(judged(evidence), HWC_INCLUSION_OPEN);
    evidence.alone = true;
    assert_string_equal(hwc_inclusion_name(judged(evidence)), "nine");
}

static void what_was_not_played_tells_nothing(void **state)
{
    const struct hwc_inclusion_evidence nothing = {0};
    const struct hwc_inclusion_evidence no_control = {.taken = {.with = late(32, 32)}};

    (void)state;
    assert_int_equal(hwc_judge_inclusion(&nothing), HWC_INCLUSION_OPEN);
    assert_int_equal(hwc_judge_inclusion(&no_control), HWC_INCLUSION_OPEN);
}

static void contradictions_stay_open(void **state)
{
    struct hwc_inclusion_evidence taken_and_absent = nine(), taken_and_all_stay = crowded(0, 0);

    (void)state;
    taken_and_absent.taken = taken_and_all_stay.taken = pair(32, 0, 32);
    taken_and_absent.emptied = taken_and_all_stay.emptied = late(12, 12);
    assert_int_equal(judged(taken_and_absent), HWC_INCLUSION_OPEN);
    assert_int_equal(judged(taken_and_all_stay), HWC_INCLUSION_OPEN);
}

static unsigned draw(struct hwc_random *random, double chance, unsigned plays)
{
    unsigned found = 0;

    for (unsigned i = 0; i < plays; i++)
        found += (double)hwc_random_below(random, 1u << 20) < chance * (1u << 20);
    return found;
}

/* Of pairs drawn with these chances, the share of those that are found to differ. */
static double share_later(struct hwc_random *random, double with, double without, unsigned plays, double by)
{
    enum { DRAWS = 4000 };
    unsigned found = 0;

    for (unsigned i = 0; i < DRAWS; i++) {
        struct hwc_late_pair drawn = pair(draw(random, with, plays), draw(random, without, plays), plays);
        found += hwc_is_later(&drawn, by);
    }
    return (double)found / DRAWS;
}

static void chance_alone_is_no_difference(void **state)
{
    struct hwc_random random;

    (void)state;
    printf("seed %llu\n", (unsigned long long)seed);
    hwc_random_seed(&random, seed);
    for (unsigned tenths = 0; tenths <= 10; tenths++)
        assert_true(share_later(&random, tenths / 10.0, tenths / 10.0, 32, HWC_TAKEN_BY) < 0.01);
}

static void a_difference_is_found(void **state)
{
    struct hwc_random random;

    (void)state;
    printf("seed %llu\n", (unsigned long long)seed);
    hwc_random_seed(&random, seed);
    assert_true(share_later(&random, 0.99, 0.01, 32, HWC_TAKEN_BY) > 0.99);
    assert_true(share_later(&random, 0.5, 0.02, 32, HWC_TAKEN_BY) > 0.95);
    assert_true(share_later(&random, 0.95, 0.05, 12, HWC_ABSENT_BY) > 0.95);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_is_told),
        cmocka_unit_test(controls_count),
        cmocka_unit_test(lines_that_go_are_counted),
        cmocka_unit_test(whichever_line_is_taken),
        cmocka_unit_test(what_the_next_level_puts_out_tells_nothing),
        cmocka_unit_test(an_exclusive_level_may_lose_a_victim),
        cmocka_unit_test(what_was_not_played_tells_nothing),
        cmocka_unit_test(contradictions_stay_open),
        cmocka_unit_test(chance_alone_is_no_difference),
        cmocka_unit_test(a_difference_is_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
