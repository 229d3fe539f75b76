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

static void each_kind_is_told(void **state)
{
    const struct hwc_inclusion_evidence taken = {.taken = pair(32, 0, 32), .emptied = late(12, 12)};
    const struct hwc_inclusion_evidence absent = {
        .taken = pair(0, 0, 32), .absent = pair(12, 0, 12), .held = late(0, 12)};
    const struct hwc_inclusion_evidence stack = {.taken = pair(0, 0, 32),
                                                 .absent = pair(0, 0, 12),
                                                 .held = late(0, 12),
                                                 .crowded = pair(12, 0, 12)};

    (void)state;
    assert_string_equal(hwc_inclusion_name(hwc_judge_inclusion(&taken)), "inclusive");
    assert_string_equal(hwc_inclusion_name(hwc_judge_inclusion(&absent)), "nine");
    assert_string_equal(hwc_inclusion_name(hwc_judge_inclusion(&stack)), "exclusive");
}

static void controls_count(void **state)
{
    /* A level above that loses the line anyway, one that never holds it, and lines that never all stay. */
    const struct hwc_inclusion_evidence lost = {.taken = pair(31, 30, 32), .emptied = late(12, 12)};
    const struct hwc_inclusion_evidence of_other_sets = {.taken = pair(32, 0, 32), .emptied = late(1, 12)};
    const struct hwc_inclusion_evidence never_held = {
        .taken = pair(0, 0, 32), .absent = pair(12, 0, 12), .held = late(11, 12)};
    const struct hwc_inclusion_evidence crowded_anyway = {.taken = pair(0, 0, 32), .crowded = pair(12, 9, 12)};

    (void)state;
    assert_int_equal(hwc_judge_inclusion(&lost), HWC_INCLUSION_OPEN);
    assert_int_equal(hwc_judge_inclusion(&of_other_sets), HWC_INCLUSION_OPEN);
    assert_int_equal(hwc_judge_inclusion(&never_held), HWC_INCLUSION_OPEN);
    assert_int_equal(hwc_judge_inclusion(&crowded_anyway), HWC_INCLUSION_OPEN);
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
    const struct hwc_inclusion_evidence both = {
        .taken = pair(32, 0, 32), .emptied = late(12, 12), .absent = pair(12, 0, 12), .held = late(0, 12)};

    (void)state;
    assert_int_equal(hwc_judge_inclusion(&both), HWC_INCLUSION_OPEN);
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
        cmocka_unit_test(each_kind_is_told),       cmocka_unit_test(controls_count),
        cmocka_unit_test(what_was_not_played_tells_nothing), cmocka_unit_test(contradictions_stay_open),
        cmocka_unit_test(chance_alone_is_no_difference),     cmocka_unit_test(a_difference_is_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
