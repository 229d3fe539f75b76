/* Lines that fit and yet come from farther than the level that is searched: footprints had not shown the next one. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "fake_machine.h"
#include "upper_levels.h"

enum { LEVEL = 2, LINES = 96, SHOWN_BY = 4 };

/* Cycles: of the first level, the second, the third, which is not known, and memory. */
static const double first = 5, second = 13, third = 41, memory = 243;

static void open_lab(struct fake_machine *fake)
{
    fake_machine_open(fake, NULL, NULL);
    fake->lab.witness[LEVEL - 1] = (struct hwc_witness){.kind = HWC_CLOCK, .hit_cycles = first, .miss_cycles = second};
    fake->lab.witness[LEVEL] = (struct hwc_witness){.kind = HWC_CLOCK, .hit_cycles = second, .miss_cycles = memory};
}

/* What is told of lines that take so many cycles each; *cost: what a miss of the level is known to take then. */
static int judge(struct fake_machine *fake, double cycles, double *cost)
{
    const struct hwc_conflict_plan plan = {.level = LEVEL};
    const struct hwc_conflict_test test = {.lab = &fake->lab, .plan = &plan, .count = LINES};
    struct hwc_error error;
    int status = hwc_judge_emptied(&test, LINES * (cycles - first) / (second - first), &error);

    *cost = fake->lab.witness[LEVEL].miss_cycles;
    return status;
}

static void what_they_take_is_what_a_miss_takes(void **state)
{
    struct fake_machine fake;
    double cost;

    (void)state;
    open_lab(&fake);
    assert_int_equal(judge(&fake, third, &cost), HWC_INCONCLUSIVE);
    assert_true(cost > third - 1 && cost < third + 1);
    assert_int_equal(judge(&fake, memory, &cost), HWC_INCONCLUSIVE); /* others put them out: a miss takes no longer */
    assert_true(cost < third + 1);
    fake_machine_close(&fake);
}

static void what_the_level_serves_tells_nothing_of_its_misses(void **state)
{
    struct fake_machine fake;
    double cost;

    (void)state;
    open_lab(&fake);
    assert_int_equal(judge(&fake, second, &cost), HWC_OK);
    assert_true(cost == memory);
    assert_int_equal(judge(&fake, first + (SHOWN_BY - 1) * (second - first), &cost), HWC_OK); /* some were disturbed */
    assert_true(cost == memory);
    assert_int_equal(judge(&fake, first, &cost), HWC_INCONCLUSIVE); /* the level above keeps them */
    assert_true(cost == memory);
    fake_machine_close(&fake);
}

static void a_counter_tells_no_cycles(void **state)
{
    struct fake_machine fake;
    double cost;

    (void)state;
    open_lab(&fake);
    fake.lab.witness[LEVEL].kind = HWC_COUNTER;
    assert_int_equal(judge(&fake, third, &cost), HWC_INCONCLUSIVE);
    assert_true(cost == memory);
    fake_machine_close(&fake);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_they_take_is_what_a_miss_takes),
        cmocka_unit_test(what_the_level_serves_tells_nothing_of_its_misses),
        cmocka_unit_test(a_counter_tells_no_cycles),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
