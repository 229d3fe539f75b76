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

enum { BYTES = 64 << 20 }; /* of the range that is read */

/* Cycles of a pass over the range, in the votes by turns. */
static void take(void *context, unsigned n, const struct hwc_experiment *experiment, struct hwc_sample *sample)
{
    const double *cycles = context;

    sample->reading[0].cycles = cycles[n / SAMPLES_OF_VOTE % 2] * experiment->step[1].passes;
}

/* The read bandwidth of memory, at 1 GHz. */
static struct hwc_finding measure(double cycles, double other_cycles)
{
    double by_turns[] = {cycles, other_cycles};
    struct hwc_profile *profile = calloc(1, sizeof *profile);
    struct hwc_knowledge known = {.levels = 1};
    struct fake_machine fake;
    struct hwc_error error = {0};
    struct hwc_finding read;

    assert_non_null(profile);
    known.level[1] = first;
    fake_machine_open(&fake, take, by_turns);
    fake.base.cycles_per_ns = 1;
    *(struct hwc_knowledge *)(uintptr_t)fake.lab.known = known;
    assert_int_equal(hwc_probe_bandwidth.run(&fake.lab, profile, &error), HWC_OK); /* no cache in it: memory alone */
    fake_machine_close(&fake);
    read = profile->memory.finding[HWC_MEMORY_BANDWIDTH];
    free(profile);
    return read;
}

static void steady_votes_give_a_value(void **state)
{
    struct hwc_finding read = measure(BYTES, 1.01 * BYTES); /* a byte a cycle */

    (void)state;
    assert_true(read.known && read.alike == 8);
    assert_true(read.value > 990 && read.value < 1000);
}

static void votes_that_differ_are_bounds(void **state)
{
    struct hwc_finding read = measure(BYTES, 2.0 * BYTES);

    (void)state;
    assert_false(read.known);
    assert_true(read.has_interval);
    assert_true(read.low == 500 && read.high == 1000);
}

static void bounds_too_far_apart_are_none(void **state)
{
    struct hwc_finding read = measure(BYTES, 10.0 * BYTES);

    (void)state;
    assert_false(read.known || read.has_interval);
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
