/* Whether lines that fit without evictors are of the level that was asked about (upper_levels.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "fake_machine.h"
#include "kept_arena.h"
#include "upper_levels.h"

enum { PAGE = 4096, LINE = 64, SETS = PAGE / LINE, FIRST_WAYS = 8, KEPT = 48, PAGES = 256 };
enum { FIRST = 4, SECOND = 14, THIRD = 42, MEMORY = 240 };

/* A first level, LRU, sets by the place in a page; what it misses takes this, and a page among many its translation. */
static struct {
    uint64_t line[SETS][FIRST_WAYS]; /* the last used first; 0 = none */
    double beyond, translation;
} machine;

static double reference(uint64_t offset)
{
    bool hit = fake_use(machine.line[offset / LINE % SETS], FIRST_WAYS, offset / LINE + 1);

    return (hit ? FIRST : machine.beyond) + machine.translation;
}

static void play(void *context, unsigned n, const struct hwc_experiment *experiment, struct hwc_sample *sample)
{
    (void)context, (void)n;
    fake_references(reference, experiment, sample);
}

static void know(struct hwc_lab *lab, double believed)
{
    const struct hwc_level first = {.line_bytes = LINE, .fill_bytes = LINE, .ways = FIRST_WAYS,
                                    .size_bytes = (uint64_t)FIRST_WAYS * PAGE, .period_bytes = PAGE};

    hwc_know_levels(lab, 2);
    hwc_know_level(lab, 1, &first);
    lab->witness[1] = (struct hwc_witness){.kind = HWC_CLOCK, .hit_cycles = FIRST, .miss_cycles = SECOND};
    lab->witness[2] = (struct hwc_witness){.kind = HWC_CLOCK, .hit_cycles = SECOND, .miss_cycles = believed};
}

/* Kept lines at one place of their pages take `beyond` cycles. *miss: what a miss is believed to take then. */
static int ask(double beyond, double translation, double *miss)
{
    struct fake_machine fake;
    struct hwc_conflict_test test;
    struct hwc_arena arena;
    struct hwc_error error = {0};
    int status;

    memset(&machine, 0, sizeof machine);
    machine.beyond = beyond;
    machine.translation = translation;
    fake_machine_open(&fake, play, NULL);
    know(&fake.lab, MEMORY);
    assert_int_equal(hwc_borrow_arena(&fake.lab, UINT64_C(1) * PAGES * PAGE, HWC_LARGE_PAGES, &arena, &error), HWC_OK);
    const struct hwc_conflict_plan plan = {.level = 2, .arena = &arena, .stride = PAGE, .candidates = PAGES};
    assert_int_equal(hwc_open_conflict_test(&test, &fake.lab, &plan, &error), HWC_OK);
    for (test.count = 0; test.count < KEPT; test.count++)
        test.kept[test.count] = test.base + test.count * PAGE;
    status = hwc_check_near(&test, &error);
    *miss = fake.lab.witness[2].miss_cycles;
    if (status != HWC_OK)
        print_message("%s; a miss takes %.1f\n", error.message, *miss);
    hwc_close_conflict_test(&test);
    hwc_return_arena(&fake.lab, &arena);
    fake_machine_close(&fake);
    return status;
}

static void lines_of_the_level_are_near(void **state)
{
    double miss;

    (void)state;
    assert_int_equal(ask(SECOND, 0, &miss), HWC_OK);
    assert_float_equal(miss, MEMORY, 0);
}

static void those_of_a_farther_level_tell_what_a_miss_takes(void **state)
{
    double miss;

    (void)state;
    assert_int_equal(ask(THIRD, 0, &miss), HWC_INCONCLUSIVE);
    assert_float_equal(miss, THIRD, 1);
    assert_int_equal(ask(THIRD, 25, &miss), HWC_INCONCLUSIVE);
    assert_float_equal(miss, THIRD, 1);
}

static void translation_is_no_level(void **state)
{
    double miss;

    (void)state;
    assert_int_equal(ask(SECOND, 40, &miss), HWC_OK);
    assert_float_equal(miss, MEMORY, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_of_the_level_are_near),
        cmocka_unit_test(those_of_a_farther_level_tell_what_a_miss_takes),
        cmocka_unit_test(translation_is_no_level),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
