/* References drawn at random beside a thread that works on the core's other half (drawn_curve.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "drawn_curve.h"
#include "fake_machine.h"
#include "quiet_core.h"

static const uint64_t line_bytes = 64, first_bytes = UINT64_C(16) << 10, small_bytes = UINT64_C(2) << 20,
                      last_bytes = UINT64_C(16) << 20;

static struct {
    uint64_t longest_in_small, longest_in_large; /* sample, in references: of footprints of two MiB and less, and larger */
} seen;

static void play(void *context, unsigned n, const struct hwc_experiment *experiment, struct hwc_sample *sample)
{
    const struct hwc_walk *all = experiment->step[0].walk;
    uint64_t references = hwc_references_of(experiment);
    bool small = all->count * line_bytes <= small_bytes;
    uint64_t *longest = small ? &seen.longest_in_small : &seen.longest_in_large;

    (void)context, (void)n;
    if (experiment->step[0].kind == HWC_RUN && experiment->step[0].passes == 0 && references > *longest)
        *longest = references;
    for (unsigned i = 0, reading = 0; i < experiment->steps; i++)
        if (experiment->step[i].kind == HWC_MEASURE)
            sample->reading[reading++].cycles = 10.0 * (double)experiment->step[i].walk->drawn.references;
}

static void draw(bool busy, struct hwc_drawn_curve *curve)
{
    const struct hwc_drawn_range range = {
        .line_bytes = line_bytes, .first_bytes = first_bytes, .last_bytes = last_bytes};
    struct fake_machine fake;
    struct hwc_error error;

    memset(&seen, 0, sizeof seen);
    *curve = (struct hwc_drawn_curve){0};
    fake_machine_open(&fake, play, NULL);
    fake_machine_shares_core(&fake, busy);
    assert_int_equal(hwc_is_alone(&fake.lab, 0), !busy);
    assert_int_equal(hwc_measure_drawn_curve(&fake.lab, &range, curve, &error), HWC_OK);
    print_message("%zu points; samples of %llu references in small footprints, %llu in large ones\n", curve->points,
                  (unsigned long long)seen.longest_in_small, (unsigned long long)seen.longest_in_large);
    fake_machine_close(&fake);
}

static void check_cycles(const struct hwc_drawn_curve *curve)
{
    assert_true(curve->points > 20);
    for (size_t i = 0; i < curve->points; i++)
        assert_float_equal(curve->cycles[i].mean, 10, 0.01);
}

static void samples_fit_into_pauses_beside_others(void **state)
{
    struct hwc_drawn_curve curve;
    uint64_t alone_small, alone_large;

    (void)state;
    draw(false, &curve);
    check_cycles(&curve);
    alone_small = seen.longest_in_small;
    alone_large = seen.longest_in_large;
    draw(true, &curve);
    check_cycles(&curve);
    assert_true(2 * seen.longest_in_small <= alone_small);
    assert_int_equal(seen.longest_in_large, alone_large); /* what is not the core's own is hardly the other half's */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(samples_fit_into_pauses_beside_others)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
