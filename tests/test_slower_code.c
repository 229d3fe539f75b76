/* From how many variables on code is slower: drawn times, and such as a core that renames memory gave. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "random.h"
#include "slower_code.h"

enum { SEED = 20261129, RUNS = 200, READINGS = 8, STATEMENTS = 64 };

/* Cycles of a statement with so many variables; the fewest take 1. */
typedef double (*core)(unsigned variables, struct hwc_random *random);

static unsigned statements_of(unsigned variables)
{
    return (STATEMENTS + variables - 1) / variables * variables;
}

static struct hwc_loop_size size_of(unsigned variables)
{
    return (struct hwc_loop_size){variables, statements_of(variables)};
}

static double draw(struct hwc_random *random, double most)
{
    return most * (double)hwc_random_below(random, 1000) / 1000;
}

static enum hwc_pace time_it(core cycles, unsigned variables, struct hwc_random *random)
{
    struct hwc_paced readings[READINGS];

    for (size_t i = 0; i < READINGS; i++)
        readings[i] = (struct hwc_paced){cycles(variables, random) * (1 + draw(random, 0.001)), 1 + draw(random, 0.001)};
    return hwc_pace_of(readings, READINGS, size_of(variables));
}

/* A generator of its own, and what the last search found. */
struct bench {
    struct hwc_random random;
    struct hwc_paces paces;
    unsigned timed; /* so many numbers */
};

static struct bench set_up(void)
{
    struct bench bench = {0};

    hwc_random_seed(&bench.random, SEED);
    return bench;
}

static struct hwc_fast_variables search(struct bench *bench, core cycles)
{
    unsigned next[HWC_NEXT_VARIABLES];

    bench->paces = (struct hwc_paces){0};
    bench->timed = 0;
    for (size_t count; (count = hwc_next_variables(&bench->paces, next)) > 0;)
        for (size_t i = 0; i < count; i++) {
            assert_in_range(next[i], HWC_FEWEST_VARIABLES, HWC_MOST_VARIABLES);
            assert_int_equal(bench->paces.of[next[i]], HWC_NOT_TIMED);
            bench->paces.of[next[i]] = time_it(cycles, next[i], &bench->random);
            bench->timed++;
        }
    return hwc_fast_variables(&bench->paces);
}

static unsigned registers; /* of the core that is drawn */

static double one_step(unsigned variables, struct hwc_random *random)
{
    (void)random;
    return variables > registers ? 1.3 : 1;
}

static void a_step_is_found_by_few_numbers(void **state)
{
    struct bench bench = set_up();

    (void)state;
    for (registers = 3; registers < HWC_MOST_VARIABLES; registers++) {
        struct hwc_fast_variables fast = search(&bench, one_step);
        assert_int_equal(fast.low, registers);
        assert_int_equal(fast.high, registers);
        assert_true(bench.timed <= 30);
    }
}

/* From 50 variables on, an even number makes code slower by a hundredth more each time, and an odd one does not; from
 * 64 on most do, 64 itself and some others in some timings only. */
static double by_groups(unsigned variables, struct hwc_random *random)
{
    if (variables == 64 || variables == 74)
        return hwc_random_below(random, 4) > 0 ? 1.19 : 1;
    if (variables > 64)
        return variables % 10 == 6 ? 1.002 : 1.19 + 0.002 * (variables - 65);
    return variables < 50 || variables % 2 == 1 ? 1.001 : 1.0144 + 0.01 * (variables - 50) / 2;
}

static void what_holds_for_some_numbers_only_gives_bounds(void **state)
{
    struct bench bench = set_up();

    (void)state;
    for (unsigned run = 0; run < RUNS; run++) {
        struct hwc_fast_variables fast = search(&bench, by_groups);
        assert_int_equal(fast.low, 49);
        assert_int_equal(fast.high, 51);
        assert_int_equal(bench.paces.of[50], HWC_PACE_UNSURE);
        assert_int_equal(bench.paces.of[52], HWC_SLOWER);
    }
}

/* Little by little: by a statement's time a turn at first, and a statement's time a round later on. */
static double ramp(unsigned variables, struct hwc_random *random)
{
    (void)random;
    return variables <= 20 ? 1 : 1 + 0.006 * (variables - 20);
}

static void a_ramp_gives_bounds(void **state)
{
    struct bench bench = set_up();

    (void)state;
    for (unsigned run = 0; run < RUNS; run++) {
        struct hwc_fast_variables fast = search(&bench, ramp);
        assert_in_range(fast.low, 20, 22);
        assert_in_range(fast.high, 25, 28);
        for (unsigned n = fast.low + 1; n <= fast.high; n++)
            assert_int_not_equal(bench.paces.of[n], HWC_SLOWER);
    }
}

static double never(unsigned variables, struct hwc_random *random)
{
    (void)variables, (void)random;
    return 1;
}

static void where_nothing_is_slower_there_is_no_upper_bound(void **state)
{
    struct bench bench = set_up();
    struct hwc_fast_variables fast;

    (void)state;
    fast = search(&bench, never);
    assert_int_equal(fast.low, HWC_MOST_VARIABLES);
    assert_int_equal(fast.high, 0);
}

static double anything(unsigned variables, struct hwc_random *random)
{
    (void)variables;
    return 1 + draw(random, 1);
}

static void times_that_say_nothing_end_the_search(void **state)
{
    struct bench bench = set_up();

    (void)state;
    for (unsigned run = 0; run < RUNS; run++) {
        struct hwc_fast_variables fast = search(&bench, anything);
        assert_true(fast.low == 0 || fast.low != fast.high);
        assert_true(bench.timed == 2 || fast.low > 0);
    }
}

static enum hwc_pace pace_of(const double *cycles, const double *fewest, size_t count)
{
    struct hwc_paced readings[READINGS];

    for (size_t i = 0; i < count; i++)
        readings[i] = (struct hwc_paced){cycles[i], fewest[i]};
    return hwc_pace_of(readings, count, (struct hwc_loop_size){32, 64});
}

static void one_reading_of_many_may_be_disturbed(void **state)
{
    const double fewest[] = {1, 1, 1.001, 1, 1}, once[] = {1, 1, 1.2, 1, 1}, twice[] = {1, 1.2, 1.2, 1, 1};
    const double slow[] = {1.2, 1.2, 1.2, 1, 1.2};

    (void)state;
    assert_int_equal(pace_of(once, fewest, 5), HWC_AS_FAST);
    assert_int_equal(pace_of(once, fewest, 3), HWC_PACE_UNSURE);
    assert_int_equal(pace_of(twice, fewest, 5), HWC_PACE_UNSURE);
    assert_int_equal(pace_of(slow, fewest, 5), HWC_SLOWER);
}

/* The same times are told apart where those of the fewest variables do not vary, and are not where they do. */
static void what_times_vary_by_is_not_told(void **state)
{
    const double slower[] = {1.05, 1.05, 1.05}, as_fast[] = {1.002, 1.002, 1.002};
    const double steady[] = {1, 1, 1}, varied[] = {1, 1.03, 1.03};

    (void)state;
    assert_int_equal(pace_of(slower, steady, 3), HWC_SLOWER);
    assert_int_equal(pace_of(slower, varied, 3), HWC_PACE_UNSURE);
    assert_int_equal(pace_of(as_fast, steady, 3), HWC_AS_FAST);
    assert_int_equal(pace_of(as_fast, varied, 3), HWC_PACE_UNSURE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_is_found_by_few_numbers),
        cmocka_unit_test(what_holds_for_some_numbers_only_gives_bounds),
        cmocka_unit_test(a_ramp_gives_bounds),
        cmocka_unit_test(where_nothing_is_slower_there_is_no_upper_bound),
        cmocka_unit_test(times_that_say_nothing_end_the_search),
        cmocka_unit_test(one_reading_of_many_may_be_disturbed),
        cmocka_unit_test(what_times_vary_by_is_not_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
