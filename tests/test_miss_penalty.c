/* What a miss adds, by two latencies (miss_penalty.h). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "miss_penalty.h"

static struct hwc_finding *latency(struct hwc_profile *profile, unsigned level)
{
    return &profile->cache[level - 1].finding[HWC_CACHE_LATENCY];
}

static const struct hwc_finding *penalty(const struct hwc_profile *profile, unsigned level)
{
    return &profile->cache[level - 1].finding[HWC_CACHE_MISS_PENALTY];
}

static void know(struct hwc_profile *profile, unsigned level, double cycles, double stray)
{
    hwc_finding_cycles(latency(profile, level), cycles);
    latency(profile, level)->stray = stray;
}

static void a_penalty_is_what_two_latencies_differ_by(void **state)
{
    struct hwc_profile profile = {.caches = 2};

    (void)state;
    know(&profile, 1, 4, 0);
    know(&profile, 2, 14, 0.1);
    hwc_report_penalties(0.03, &profile);
    assert_true(penalty(&profile, 1)->known && penalty(&profile, 1)->value == 10);
    assert_false(penalty(&profile, 2)->known || penalty(&profile, 2)->has_interval);
}

static void the_nearer_two_latencies_are_the_less_is_known_of_what_they_differ_by(void **state)
{
    struct hwc_profile profile = {.caches = 2};

    (void)state;
    know(&profile, 1, 5, 0);
    know(&profile, 2, 10, 0.5);
    hwc_report_penalties(0, &profile);
    assert_true(penalty(&profile, 1)->known);
    hwc_report_penalties(0.03, &profile);
    assert_false(penalty(&profile, 1)->known);
    assert_true(penalty(&profile, 1)->has_interval);
    assert_true(fabs(penalty(&profile, 1)->low - 4.05) < 1e-9 && fabs(penalty(&profile, 1)->high - 5.95) < 1e-9);
    profile = (struct hwc_profile){.caches = 2};
    know(&profile, 1, 5, 0);
    know(&profile, 2, 5.5, 0);
    hwc_report_penalties(0.03, &profile);
    assert_false(penalty(&profile, 1)->known || penalty(&profile, 1)->has_interval);
    assert_int_equal(penalty(&profile, 1)->why, HWC_WHY_INCONCLUSIVE);
}

static void bounds_of_latencies_bound_what_they_differ_by(void **state)
{
    struct hwc_profile profile = {.caches = 3};

    (void)state;
    know(&profile, 1, 4, 0);
    hwc_finding_between(latency(&profile, 2), 12, 16, "bounded");
    hwc_finding_because(latency(&profile, 3), hwc_inconclusive("it is not told"));
    hwc_report_penalties(0, &profile);
    assert_true(penalty(&profile, 1)->low == 8 && penalty(&profile, 1)->high == 12);
    assert_false(penalty(&profile, 2)->has_interval);
    assert_int_equal(penalty(&profile, 2)->why, HWC_WHY_DEPENDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_penalty_is_what_two_latencies_differ_by),
        cmocka_unit_test(the_nearer_two_latencies_are_the_less_is_known_of_what_they_differ_by),
        cmocka_unit_test(bounds_of_latencies_bound_what_they_differ_by),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
