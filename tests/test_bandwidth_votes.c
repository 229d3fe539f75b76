/* Bandwidth where the votes agree, and where they do not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "fake_machine.h"
#include "knowledge.h"
#include "profile.h"
#include "table.h"

/* Each vote takes three samples of each of three kinds of stream. */
enum { SAMPLES_OF_VOTE = 9 };

static const struct hwc_level first = {.size_bytes = 32768, .effective_bytes = 32768, .ways = 8, .line_bytes = 64,
                                       .fill_bytes = 64, .rough_low = 16384, .rough_high = 49152};

/* Cycles of the votes on memory, by turns; each pass of them over the range. */
struct memory {
    double cycles[2];
};

static void take(void *context, unsigned n, const struct hwc_experiment *experiment, struct hwc_sample *sample)
{
    const struct memory *memory = context;

    sample->reading[0].cycles = memory->cycles[n / SAMPLES_OF_VOTE % 2] * experiment->step[1].passes;
}

static void measure(struct memory *memory, struct hwc_profile *profile)
{
    struct hwc_knowledge known = {.levels = 1};
    struct fake_machine fake;
    struct hwc_error error = {0};

    known.level[1] = first;
    fake_machine_open(&fake, take, memory);
    fake.base.cycles_per_ns = 1;
    *(struct hwc_knowledge *)(uintptr_t)fake.lab.known = known;
    assert_int_equal(hwc_probe_bandwidth.run(&fake.lab, profile, &error), HWC_OK); /* no cache in the profile: memory alone */
    fake_machine_close(&fake);
}

static void steady_votes_give_a_value(void **state)
{
    struct hwc_profile *profile = calloc(1, sizeof *profile);
    struct memory memory = {.cycles = {64 << 20, 1.01 * (64 << 20)}}; /* a byte a cycle, at 1 GHz */
    const struct hwc_finding *read = &profile->memory.finding[HWC_MEMORY_BANDWIDTH];

    (void)state;
    measure(&memory, profile);
    assert_true(read->known && read->alike == 8);
    assert_true(read->value > 990 && read->value < 1000);
    free(profile);
}

static void votes_that_differ_are_bounds(void **state)
{
    struct hwc_profile *profile = calloc(1, sizeof *profile);
    struct memory memory = {.cycles = {64 << 20, 2 * (64 << 20)}};
    const struct hwc_finding *read = &profile->memory.finding[HWC_MEMORY_BANDWIDTH];

    (void)state;
    measure(&memory, profile);
    assert_false(read->known);
    assert_true(read->has_interval);
    assert_true(read->low == 500 && read->high == 1000);
    free(profile);
}

static void bounds_too_far_apart_are_none(void **state)
{
    struct hwc_profile *profile = calloc(1, sizeof *profile);
    struct memory memory = {.cycles = {64 << 20, 10.0 * (64 << 20)}};
    const struct hwc_finding *read = &profile->memory.finding[HWC_MEMORY_BANDWIDTH];

    (void)state;
    measure(&memory, profile);
    assert_false(read->known || read->has_interval);
    free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steady_votes_give_a_value),
        cmocka_unit_test(votes_that_differ_are_bounds),
        cmocka_unit_test(bounds_too_far_apart_are_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
