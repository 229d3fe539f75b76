/* Two looks at a latency: what they say together. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "random.h"
#include "two_latencies.h"

static struct hwc_finding value(double cycles)
{
    return (struct hwc_finding){.asked = true, .known = true, .value = cycles, .votes = 8, .alike = 8};
}

static struct hwc_finding between(double low, double high)
{
    struct hwc_finding finding;

    hwc_finding_between(&finding, low, high, "bounded");
    return finding;
}

static struct hwc_finding nothing(void)
{
    struct hwc_finding finding = {0};

    hwc_finding_unknown(&finding, HWC_WHY_UNDECIDED, "not steady");
    return finding;
}

static struct hwc_finding joined(struct hwc_finding first, struct hwc_finding second)
{
    hwc_join_latencies(&first, &second);
    return first;
}

static void is_value(struct hwc_finding finding, double cycles)
{
    assert_true(finding.known);
    assert_true(finding.value == cycles);
}

static void is_between(struct hwc_finding finding, double low, double high)
{
    assert_false(finding.known);
    assert_true(finding.has_interval);
    assert_float_equal(finding.low, low, 0.011);
    assert_float_equal(finding.high, high, 0.011);
}

static void is_nothing(struct hwc_finding finding)
{
    assert_true(finding.asked);
    assert_false(finding.known || finding.has_interval);
    assert_int_not_equal(finding.reason[0], '\0');
}

static void looks_that_agree_are_the_first(void **state)
{
    (void)state;
    is_value(joined(value(14), value(14.9)), 14);
    is_value(joined(value(14), between(12, 15)), 14);
    is_between(joined(between(12, 15), between(11, 16)), 12, 15);
}

static void the_closer_one_counts(void **state)
{
    (void)state;
    is_value(joined(between(12, 15), value(14)), 14);
    is_between(joined(between(11, 16), between(12, 15)), 12, 15);
}

static void one_that_tells_is_enough(void **state)
{
    struct hwc_finding never = {0};

    (void)state;
    is_value(joined(nothing(), value(14)), 14);
    is_between(joined(nothing(), between(12, 15)), 12, 15);
    is_value(joined(value(14), nothing()), 14);
    is_nothing(joined(nothing(), nothing()));
    assert_false(joined(never, value(14)).asked); /* the budget was spent before */
}

/* A chain of a moment in which others worked, or whose translation took longer when it was taken off. */
static void looks_that_differ_bound_it(void **state)
{
    (void)state;
    is_between(joined(value(12.49), value(8.48)), 8.06, 13.11);
    is_between(joined(value(8.48), value(12.49)), 8.06, 13.11);
    is_between(joined(between(45, 60), value(35)), 33.25, 60);
    is_between(joined(value(60), between(35, 50)), 35, 63);
}

static void looks_that_have_nothing_in_common_tell_nothing(void **state)
{
    (void)state;
    is_nothing(joined(value(70), value(12)));
    is_nothing(joined(value(70), value(0)));
}

static struct hwc_finding lesser(struct hwc_finding first, struct hwc_finding second)
{
    hwc_lesser_latency(&first, &second);
    return first;
}

/* A virtual Zen 3's memory beside others: 430 cycles, and 628 a quarter of a minute later. */
static void of_what_others_only_add_to_the_lesser_counts(void **state)
{
    (void)state;
    is_value(lesser(value(628), value(431)), 431);
    is_value(lesser(value(431), value(628)), 431);
    is_value(lesser(value(431), value(425)), 431);
    is_value(lesser(nothing(), value(431)), 431);
    is_between(lesser(value(628), between(400, 450)), 400, 659.4);
}

/* Whatever the looks, if the truth is what one of them says: a value is that of one, and bounds hold it. */
static void what_one_of_them_says_is_never_excluded(void **state)
{
    const uint64_t seed = 20261201;
    struct hwc_random random;

    (void)state;
    print_message("seed %llu\n", (unsigned long long)seed);
    hwc_random_seed(&random, seed);
    for (int i = 0; i < 10000; i++) {
        double truth = 3 + 300 * hwc_random_unit(&random), other = 3 + 300 * hwc_random_unit(&random);
        bool is_first = hwc_random_below(&random, 2) == 0;
        struct hwc_finding right = value(truth), wrong = value(other);
        struct hwc_finding both = is_first ? joined(right, wrong) : joined(wrong, right);
        if (both.known)
            assert_true(both.value / truth < 1.11 && truth / both.value < 1.11);
        else if (both.has_interval)
            assert_true(both.low <= truth && truth <= both.high);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(looks_that_agree_are_the_first),
        cmocka_unit_test(the_closer_one_counts),
        cmocka_unit_test(one_that_tells_is_enough),
        cmocka_unit_test(looks_that_differ_bound_it),
        cmocka_unit_test(looks_that_have_nothing_in_common_tell_nothing),
        cmocka_unit_test(of_what_others_only_add_to_the_lesser_counts),
        cmocka_unit_test(what_one_of_them_says_is_never_excluded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
