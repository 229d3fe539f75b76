/* Which level serves loads, where the sampling of some footprint fails. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "fake_machine.h"
#include "profile.h"
#include "table.h"

/* One test runs at a time. */
static struct {
    unsigned asked, good; /* so many footprints are sampled, and then it fails */
    int failure;
} sampler;

static int served(struct hwc_machine *machine, const struct hwc_experiment *experiment, struct hwc_served *loads,
                  struct hwc_error *error)
{
    (void)machine, (void)experiment;
    if (sampler.asked++ >= sampler.good)
        return hwc_fail(error, sampler.failure, "the sampler has failed");
    *loads = (struct hwc_served){.by = "a test"};
    loads->loads[HWC_SERVED_L1] = 1000;
    return HWC_OK;
}

static void never_played(void *context, unsigned n, const struct hwc_experiment *experiment, struct hwc_sample *sample)
{
    (void)context, (void)n, (void)experiment, (void)sample;
    fail_msg("loads are sampled, not timed");
}

static const struct hwc_curve *curve_of(unsigned good, int failure, struct hwc_profile *profile,
                                        struct fake_machine *fake)
{
    struct hwc_error error = {0};
    static struct hwc_machine_ops ops;

    sampler.asked = 0;
    sampler.good = good;
    sampler.failure = failure;
    memset(profile, 0, sizeof *profile);
    fake_machine_open(fake, never_played, NULL);
    ops = *fake->base.ops;
    ops.served = served;
    fake->base.ops = &ops;
    assert_int_equal(hwc_probe_data_source.run(&fake->lab, profile, &error), HWC_OK);
    assert_int_equal(profile->curves.count, 1);
    return profile->curves.curve[0];
}

static void what_was_sampled_before_a_failure_is_kept(void **state)
{
    static struct hwc_profile profile;
    static const int failures[] = {HWC_UNAVAILABLE, HWC_INCONCLUSIVE, HWC_NO_MEMORY};
    struct fake_machine fake;

    (void)state;
    for (size_t i = 0; i < sizeof failures / sizeof failures[0]; i++) {
        const struct hwc_curve *curve = curve_of(3, failures[i], &profile, &fake);
        assert_int_equal(curve->count, 1);
        assert_int_equal(curve->series[0]->points, 3);
        assert_int_equal(fake.lab.notes.count, 1);
        hwc_profile_close(&profile);
        fake_machine_close(&fake);
    }
}

static void a_failure_of_the_first_is_the_reason(void **state)
{
    static struct hwc_profile profile;
    struct fake_machine fake;
    const struct hwc_curve *curve;

    (void)state;
    curve = curve_of(0, HWC_NO_MEMORY, &profile, &fake);
    assert_int_equal(curve->count, 0);
    assert_int_equal(curve->read, 1);
    assert_string_equal(curve->read_off[0].reason, "the sampler has failed");
    hwc_profile_close(&profile);
    fake_machine_close(&fake);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_sampled_before_a_failure_is_kept),
        cmocka_unit_test(a_failure_of_the_first_is_the_reason),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
