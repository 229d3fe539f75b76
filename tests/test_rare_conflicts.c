/* Pages at random places of a level of two ways, which are played: in some arenas three of few pages meet in the same sets,
 * and in most none do. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <math.h>
#include <stdint.h>

#include <cmocka.h>

#include "levels_fit.h"
#include "random.h"
#include "undisturbed.h"

enum { MACHINES = 8, PAGE = 4096, WAYS = 2, PLACES = 128, LEVEL = PAGE * PLACES * WAYS, FIRST = 8192, POINTS = 40 };

static const double first_cycles = 5, level_cycles = 10, memory_cycles = 200;

/* Of references drawn from so many pages, of which the first level holds a part. Sets that more pages share than they have
 * ways keep as many lines as ways. */
static double time_arena(double bytes, struct hwc_random *random)
{
    unsigned pages = (unsigned)ceil(bytes / PAGE), at[PLACES] = {0};
    double kept = 0, above = fmin(FIRST / bytes, 1);

    for (unsigned i = 0; i < pages; i++)
        at[hwc_random_below(random, PLACES)]++;
    for (unsigned i = 0; i < PLACES; i++)
        kept += at[i] < WAYS ? at[i] : WAYS;
    return above * first_cycles + (1 - above) * (level_cycles + (1 - kept / pages) * (memory_cycles - level_cycles));
}

static void draw_curve(struct hwc_drawn_curve *curve, struct hwc_random *random)
{
    struct hwc_repeats repeats[POINTS];

    *curve = (struct hwc_drawn_curve){.points = POINTS, .least_ways = 4, .rivals = true};
    for (size_t point = 0; point < POINTS; point++) {
        curve->bytes[point] = 0.5 * FIRST * exp2(0.25 * (double)point);
        repeats[point].count = HWC_MOST_REPEATS;
        for (unsigned i = 0; i < HWC_MOST_REPEATS; i++)
            repeats[point].value[i] = time_arena(curve->bytes[point], random);
    }
    for (size_t point = 0; point < POINTS; point++) {
        curve->cycles[point] = hwc_undisturbed(repeats, POINTS, point);
        curve->without_bursts[point] = hwc_without_bursts(repeats, POINTS, point);
        curve->reading[point] = 0.003 * curve->cycles[point].mean;
    }
}

/* Arenas where they met are taken for disturbed ones, and without them the level seems to be smaller. If it may have few
 * ways, they count. */
static void what_few_ways_do_counts(void **state)
{
    struct hwc_random random;

    (void)state;
    hwc_random_seed(&random, 1);
    for (unsigned i = 0; i < MACHINES; i++) {
        struct hwc_drawn_curve curve;
        struct hwc_levels_fit fit;
        draw_curve(&curve, &random);
        (void)hwc_assume_ways(&curve, 1);
        assert_true(hwc_fit_levels(&curve, &fit));
        assert_int_equal(fit.levels, 2);
        assert_true(fit.level[1].low <= LEVEL && fit.level[1].high >= LEVEL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_few_ways_do_counts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
