/* A flush of one half of what conflicts show as a line: are both halves one line? By a clock whose references wait for
 * translations, too, and whose misses were taken for far shorter than they are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "fake_machine.h"
#include "sector_test.h"

enum { FOUND = 32, HIT = 10, MISS = 150, TRANSLATION = 10, MISTAKEN = 27 };

struct level {
    uint64_t line; /* of so many bytes */
    bool ignores_flush;
    bool keeps_nothing; /* second halves miss in any case */
};

/* How many of the measured cells lie in lines that the last flush before them took out? */
static size_t count_flushed(const struct level *level, const struct hwc_experiment *experiment)
{
    const struct hwc_walk *measured = experiment->step[experiment->steps - 1].walk, *flushed = NULL;
    size_t count = 0;

    for (size_t step = 0; step < experiment->steps; step++)
        if (experiment->step[step].kind == HWC_FLUSH)
            flushed = experiment->step[step].walk;
        else if (experiment->step[step].kind == HWC_RUN && experiment->step[step].walk->count == measured->count)
            flushed = NULL; /* a visit to one half brings both */
    for (size_t i = 0; flushed != NULL && i < measured->count; i++)
        count += measured->offsets[i] / level->line == flushed->offsets[i] / level->line;
    return count;
}

static void play(void *context, unsigned n, const struct hwc_experiment *experiment, struct hwc_sample *sample)
{
    const struct level *level = context;
    size_t references = experiment->step[experiment->steps - 1].walk->count;
    size_t missing = level->ignores_flush   ? 0
                     : level->keeps_nothing ? references
                                            : count_flushed(level, experiment);

    (void)n;
    *sample = (struct hwc_sample){.readings = 1};
    sample->reading[0].cycles = (double)(references * (HIT + TRANSLATION) + missing * (MISS - HIT));
}

static uint64_t line_of(struct level level, bool *told)
{
    struct fake_machine fake;
    struct hwc_error error;
    uint64_t line = FOUND;

    fake_machine_open(&fake, play, &level);
    fake.base.flushes = true;
    hwc_know_level(&fake.lab, 1, &(struct hwc_level){.line_bytes = 16, .fill_bytes = 16, .effective_bytes = 1 << 15});
    fake.lab.witness[2] = (struct hwc_witness){.kind = HWC_CLOCK, .hit_cycles = HIT, .miss_cycles = MISTAKEN};
    assert_int_equal(hwc_tell_line_from_fill(&fake.lab, 2, &line, told, &error), HWC_OK);
    fake_machine_close(&fake);
    return line;
}

static void a_line_that_comes_along_is_another_one(void **state)
{
    bool told = false;

    (void)state;
    assert_int_equal(line_of((struct level){.line = 16}, &told), 16);
    assert_true(told);
}

static void halves_that_go_together_are_one_line(void **state)
{
    bool told = false;

    (void)state;
    assert_int_equal(line_of((struct level){.line = 32}, &told), 32);
    assert_true(told);
}

/* Then the line stays what conflicts show. */
static void a_flush_that_does_nothing_parts_nothing(void **state)
{
    bool told;

    (void)state;
    assert_int_equal(line_of((struct level){.line = 16, .ignores_flush = true}, &told), FOUND);
    assert_int_equal(line_of((struct level){.line = 16, .keeps_nothing = true}, &told), FOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_that_comes_along_is_another_one),
        cmocka_unit_test(halves_that_go_together_are_one_line),
        cmocka_unit_test(a_flush_that_does_nothing_parts_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
