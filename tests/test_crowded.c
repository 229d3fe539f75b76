/* Lines of one set that lie at random over the sets of a level below: those that it does not hold are left out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "crowded.h"
#include "fake_machine.h"

enum { PAGE = 4096, KINDS = 64, LINES = 24, HIT = 20, MISS = 40, SLOWER = 200 };

/* A level of so many ways, of which a page's lines lie in the sets of its kind, and who makes one sample slow, now and
 * then: the n-th of so many; 0 = nobody. */
struct below {
    size_t ways;
    unsigned kind[LINES];
    unsigned slow_one_of;
};

static unsigned kind_at(const struct below *below, const struct hwc_walk *walk, size_t i)
{
    return below->kind[walk->offsets[i] / PAGE];
}

static size_t of_kind(const struct below *below, const struct hwc_walk *walk, unsigned kind)
{
    size_t count = 0;

    for (size_t i = 0; i < walk->count; i++)
        count += kind_at(below, walk, i) == kind;
    return count;
}

/* More lines than there are ways, in turn: each was put out by the others. */
static double time_pass(const struct below *below, const struct hwc_walk *walk)
{
    double cycles = 0;

    for (size_t i = 0; i < walk->count; i++)
        cycles += of_kind(below, walk, kind_at(below, walk, i)) > below->ways ? MISS : HIT;
    return cycles;
}

static void play(void *context, unsigned n, const struct hwc_experiment *experiment, struct hwc_sample *sample)
{
    const struct below *below = context;
    double slower = below->slow_one_of > 0 && n % below->slow_one_of == 0 ? SLOWER : 0;

    *sample = (struct hwc_sample){0};
    for (unsigned i = 0; i < experiment->steps; i++)
        if (experiment->step[i].kind == HWC_MEASURE)
            sample->reading[sample->readings++].cycles =
                (time_pass(below, experiment->step[i].walk) + slower) * experiment->step[i].passes;
}

static void leave_out(struct below *below, struct hwc_set *set)
{
    const struct hwc_arena arena = {.bytes = UINT64_C(1) * LINES * PAGE};
    struct fake_machine fake;
    struct hwc_error error;

    *set = (struct hwc_set){.lines = LINES};
    for (size_t i = 0; i < LINES; i++)
        set->line[i] = i * PAGE;
    fake_machine_open(&fake, play, below);
    assert_int_equal(hwc_leave_out_crowded(&fake.lab, &arena, set, &error), HWC_OK);
    fake_machine_close(&fake);
}

static double usual(struct below *below, const struct hwc_set *set)
{
    struct hwc_walk walk;
    struct hwc_error error;
    double cycles;

    hwc_walk_init(&walk);
    for (size_t i = 0; i < set->lines; i++)
        assert_int_equal(hwc_walk_append(&walk, set->line[i], &error), HWC_OK);
    cycles = time_pass(below, &walk) / (double)walk.count;
    hwc_walk_free(&walk);
    return cycles;
}

/* Each page is of a kind of its own, but for these. */
static struct below level_of(size_t ways, unsigned alike, unsigned alike_too)
{
    struct below below = {.ways = ways};

    for (unsigned i = 0; i < LINES; i++)
        below.kind[i] = i < alike ? KINDS : i < alike + alike_too ? KINDS + 1 : i;
    return below;
}

static void all_stay_where_all_are_held(void **state)
{
    struct below below = level_of(2, 2, 2);
    struct hwc_set set;

    (void)state;
    leave_out(&below, &set);
    assert_int_equal(set.lines, LINES);
}

static void of_too_many_those_stay_that_are_held(void **state)
{
    struct below below = level_of(2, 3, 4);
    struct hwc_set set;

    (void)state;
    leave_out(&below, &set);
    assert_int_equal(set.lines, LINES - 1 - 2);
    assert_true(usual(&below, &set) == HIT);
}

static void slow_moments_leave_nothing_out(void **state)
{
    struct below below = level_of(2, 0, 0);
    struct hwc_set set;

    (void)state;
    below.slow_one_of = 5;
    leave_out(&below, &set);
    assert_int_equal(set.lines, LINES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_stay_where_all_are_held),
        cmocka_unit_test(of_too_many_those_stay_that_are_held),
        cmocka_unit_test(slow_moments_leave_nothing_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
