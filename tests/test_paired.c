/* The paired meter beside others, who slow the walk and what it is compared with. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "fake_machine.h"
#include "meter.h"

enum { LINES = 9, STRIDE = 4096, PLACE = 2560, RUNS = 200, SEED = 20261129 };

static const double hit = 5, miss = 15;

struct beside {
    struct hwc_random random;
    double share, most; /* of readings that others slow, and by how much of their time at most */
    double alone;       /* cycles that a miss of a pass takes longer than a hit; 0 = the lines fit */
};

static double slowed(struct beside *beside, double cycles)
{
    if (hwc_random_unit(&beside->random) >= beside->share)
        return cycles;
    return cycles * (1 + beside->most * hwc_random_unit(&beside->random));
}

/* A turned walk of two passes, and its control, of as many references. */
static void play(void *context, unsigned n, const struct hwc_experiment *experiment, struct hwc_sample *sample)
{
    struct beside *beside = context;
    double control = (double)experiment->step[1].walk->count * experiment->step[1].passes * hit;
    double walk = experiment->step[3].passes * ((double)experiment->step[3].walk->count * hit + 2 * beside->alone);

    (void)n;
    sample->reading[0].cycles = slowed(beside, control);
    sample->reading[1].cycles = slowed(beside, walk);
}

static enum hwc_side ask(struct beside *beside)
{
    struct fake_machine fake;
    struct hwc_meter meter;
    struct hwc_error error;
    struct hwc_estimate estimate;
    const struct hwc_arena arena = {.bytes = (uint64_t)LINES * STRIDE, .page_bytes = STRIDE};
    uint64_t lines[LINES];
    const struct hwc_question question = {
        .arena = &arena, .lines = lines, .count = LINES, .threshold = 0.5, .samples = 8};
    enum hwc_side side;

    for (int i = 0; i < LINES; i++)
        lines[i] = (uint64_t)i * STRIDE + PLACE;
    fake_machine_open(&fake, play, beside);
    fake.lab.witness[1].kind = HWC_CLOCK;
    fake.lab.witness[1].hit_cycles = hit;
    fake.lab.witness[1].miss_cycles = miss;
    fake.base.own_apart = 1024;
    hwc_meter_open(&meter, &fake.lab, 1, false);
    assert_ptr_equal(meter.ops, &hwc_meter_paired);
    assert_int_equal(hwc_meter_ask(&meter, &question, &estimate, &side, &error), HWC_OK);
    hwc_meter_close(&meter);
    fake_machine_close(&fake);
    return side;
}

/* How many of the runs end on the wrong side? */
static unsigned wrong(double share, double most, double alone)
{
    struct beside beside = {.share = share, .most = most, .alone = alone};
    unsigned found = 0;

    hwc_random_seed(&beside.random, SEED);
    for (int i = 0; i < RUNS; i++)
        found += ask(&beside) == (alone > 0 ? HWC_BELOW : HWC_ABOVE);
    print_message("seed %d, %.0f %% of the readings slowed by up to %.0f %%, a miss of %.1f cycles: %u of %d wrong\n",
                  SEED, 100 * share, 100 * most, alone, found, RUNS);
    return found;
}

/* A miss that stands alone takes less than the witness's. */
static void one_line_too_many_shows(void **state)
{
    (void)state;
    for (int tenths = 0; tenths < 6; tenths++) {
        assert_int_equal(wrong(0.1 * tenths, 0.6, 10), 0);
        assert_int_equal(wrong(0.1 * tenths, 0.6, 7.5), 0);
    }
}

static void lines_that_fit_do(void **state)
{
    (void)state;
    for (int tenths = 0; tenths < 6; tenths++)
        assert_int_equal(wrong(0.1 * tenths, 0.6, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_line_too_many_shows), cmocka_unit_test(lines_that_fit_do)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
