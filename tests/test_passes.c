/* Native: do passes over a short list wait for one another? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>

#include "kernels.h"

enum { LIST = 4, PASSES = 64, REPEATS = 400 };

static uint64_t cells[8 * LIST];

/* The least of many, so many calls of so many passes each. */
static double ticks_of(const struct native_order *order, uint64_t calls, uint64_t passes)
{
    double least = INFINITY;

    for (int i = 0; i < REPEATS; i++) {
        uint64_t begin = native_ticks();
        for (uint64_t k = 0; k < calls; k++)
            native_play_order((const char *)cells, order, passes);
        least = fmin(least, (double)(native_ticks() - begin));
    }
    return least;
}

/* Calls do not wait for one another, and overlap on a core with some dozens of instructions in flight. Where they do,
 * passes must not. */
static void passes_take_as_long_as_one_long_list(void **state)
{
    uint32_t visit[LIST * PASSES];
    const struct native_order once = {.visit = visit, .visits = (uint64_t)LIST * PASSES};
    const struct native_order often = {.visit = visit, .visits = LIST};
    double whole, passes, calls;

    (void)state;
    for (uint32_t i = 0; i < LIST * PASSES; i++)
        visit[i] = i % LIST * 64;
    whole = ticks_of(&once, 1, 1);
    passes = ticks_of(&often, 1, PASSES);
    calls = ticks_of(&often, PASSES, 1);
    print_message("%d passes: %.0f ticks; one long list: %.0f; so many calls: %.0f\n", PASSES, passes, whole, calls);
    assert_true(passes > 0.85 * whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(passes_take_as_long_as_one_long_list)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
