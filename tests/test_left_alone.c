/* Lines that fit are left alone: are they still there? By a clock of fine and of coarse steps. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "fake_machine.h"
#include "left_alone.h"
#include "random.h"

enum { LINES = 10, HIT = 4, MISS = 14 };

/* How many lines go meanwhile, the clock's step, and how many samples of eight an interrupt spoils. */
struct neighbour {
    unsigned takes;
    double step;
    unsigned interrupted;
    struct hwc_random random;
};

static double read_clock(struct neighbour *neighbour, double cycles)
{
    double phase = (double)hwc_random_below(&neighbour->random, 1000) / 1000 * neighbour->step;

    return neighbour->step > 0 ? floor((phase + cycles) / neighbour->step) * neighbour->step : cycles;
}

static void play(void *context, unsigned n, const struct hwc_experiment *experiment, struct hwc_sample *sample)
{
    struct neighbour *neighbour = context;
    unsigned lost = n % 8 < neighbour->interrupted ? LINES : neighbour->takes;

    assert_int_equal(experiment->step[0].walk->count, LINES);
    assert_int_not_equal(experiment->step[1].walk->offsets[0] % 4096, experiment->step[0].walk->offsets[0] % 4096);
    *sample = (struct hwc_sample){.readings = 2};
    sample->reading[0].cycles = read_clock(neighbour, LINES * HIT + lost * (MISS - HIT));
    sample->reading[1].cycles = read_clock(neighbour, LINES * HIT);
}

static bool stay(unsigned takes, double step, unsigned interrupted)
{
    struct neighbour neighbour = {.takes = takes, .step = step, .interrupted = interrupted};
    const struct hwc_arena arena = {.bytes = 1 << 20};
    struct fake_machine fake;
    struct hwc_error error;
    bool found = false;

    hwc_random_seed(&neighbour.random, 7);
    fake_machine_open(&fake, play, &neighbour);
    fake.base.step_cycles = step;
    fake.lab.witness[1] = (struct hwc_witness){.hit_cycles = HIT, .miss_cycles = MISS};
    assert_int_equal(hwc_ask_whether_lines_stay(&fake.lab, &arena, 128, 4096, LINES, &found, &error), HWC_OK);
    fake_machine_close(&fake);
    return found;
}

static void lines_stay_where_nobody_takes_them(void **state)
{
    (void)state;
    assert_true(stay(0, 0, 0));
    assert_true(stay(0, 33, 0));
}

static void an_interrupt_is_nobody(void **state)
{
    (void)state;
    assert_true(stay(0, 0, 2));
    assert_true(stay(0, 33, 2));
}

static void who_takes_some_shows(void **state)
{
    (void)state;
    for (unsigned takes = 3; takes <= LINES; takes++) {
        assert_false(stay(takes, 0, 0));
        assert_false(stay(takes, 33, 1));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_stay_where_nobody_takes_them),
        cmocka_unit_test(an_interrupt_is_nobody),
        cmocka_unit_test(who_takes_some_shows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
