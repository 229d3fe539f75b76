/* Which prefetchers are at work, where not all levels are known (prefetchers.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "fake_machine.h"
#include "profile.h"
#include "table.h"

enum { HIT = 4, SECOND = 14, MEMORY = 300, MEBI = 1 << 20 };

/* The line that was not asked for takes that long, and again when it was. */
static double unasked;

static void play(void *context, unsigned n, const struct hwc_experiment *experiment, struct hwc_sample *sample)
{
    bool trial = sample->readings == 2;

    (void)context, (void)n, (void)experiment;
    for (unsigned i = 0; i < sample->readings; i++)
        sample->reading[i].cycles = trial && i == 0 ? unasked : HIT;
}

/* A first level and, where footprints show it, memory behind it. */
static void know(struct hwc_lab *lab, bool memory)
{
    struct hwc_drawn_curve curve = {.points = 1, .bytes = {4.0 * MEBI}};
    struct hwc_levels_fit fit = {.levels = 1, .level = {{.capacity = 32768, .low = 32768, .high = 32768}},
                                 .memory = {MEMORY, MEMORY, MEMORY}, .told = 1};

    hwc_know_levels(lab, 1);
    hwc_know_level(lab, 1, &(struct hwc_level){.line_bytes = 64, .fill_bytes = 64, .ways = 8, .size_bytes = 32768,
                                                .period_bytes = 4096});
    lab->witness[1] = (struct hwc_witness){.kind = HWC_CLOCK, .hit_cycles = HIT, .miss_cycles = memory ? MEMORY : SECOND};
    hwc_know_flushed_cycles(lab, MEMORY);
    if (memory)
        hwc_know_seen(lab, &curve, &fit);
}

static void ask(double cycles, bool memory, struct hwc_finding *stream)
{
    struct hwc_profile profile = {0};
    struct fake_machine fake;
    struct hwc_error error;

    unasked = cycles;
    fake_machine_open(&fake, play, NULL);
    fake.base.flushes = true;
    know(&fake.lab, memory);
    assert_int_equal(hwc_probe_prefetchers.run(&fake.lab, &profile, &error), HWC_OK);
    *stream = profile.core.finding[HWC_CORE_PREFETCH_STREAM];
    print_message("%s%s\n", stream->text, stream->reason);
    fake_machine_close(&fake);
}

static void none_is_told_where_memory_is_behind_the_last_level(void **state)
{
    struct hwc_finding stream;

    (void)state;
    ask(MEMORY, true, &stream);
    assert_true(stream.known);
    assert_string_equal(stream.text, "none");
}

/* The second level brings lines in, and nobody knows of it. */
static void nothing_is_told_where_another_level_may_lie_behind(void **state)
{
    struct hwc_finding stream;

    (void)state;
    ask(SECOND, false, &stream);
    assert_false(stream.known);
    assert_true(strstr(stream.reason, "another may lie beyond") != NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(none_is_told_where_memory_is_behind_the_last_level),
        cmocka_unit_test(nothing_is_told_where_another_level_may_lie_behind),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
