/* Probes of the core on a drawn one: what it takes for a body tells what it is. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fake_machine.h"
#include "probe.h"
#include "table.h"

struct core {
    double width, decoded;       /* instructions a cycle, and from behind the micro-op cache */
    size_t entries, code_bytes;  /* of that, and of the first level of code */
    double load, forward, gather; /* cycles */
    size_t renamed;              /* pairs of a store and a load that are known */
    bool eliminates, translates;
    double off;                  /* all times are longer by this factor */
    unsigned last;               /* of the experiments before the probe has had its time; 0 = it has all it needs */
    struct hwc_lab *lab;
};

static size_t bytes_of(enum hwc_op op)
{
    static const unsigned char bytes[HWC_OPS] = {[HWC_OP_NOTHING] = 1, [HWC_OP_MOVE] = 3, [HWC_OP_NOTHING_5] = 5,
                                                 [HWC_OP_NOTHING_6] = 6, [HWC_OP_INT_LONG] = 7, [HWC_OP_NOTHING_8] = 8};

    return bytes[op] > 0 ? bytes[op] : 4;
}

/* Of an instruction that waits for the one before; 0 = it waits for nothing. */
static double latency_of(const struct core *core, enum hwc_op op, size_t count)
{
    switch (op) {
    case HWC_OP_ADD_CHAIN:
        return 1;
    case HWC_OP_VECTOR_CHAIN:
        return 2;
    case HWC_OP_MOVE_CHAIN:
    case HWC_OP_MOVE_VECTOR:
        return core->eliminates ? 0 : 1;
    case HWC_OP_LOAD_CHAIN:
        return core->load;
    case HWC_OP_LOAD_CHAIN_VECTOR:
        return core->load + 3;
    case HWC_OP_TO_VECTOR:
    case HWC_OP_FROM_VECTOR:
        return 3;
    case HWC_OP_FORWARD:
        return count <= core->renamed ? 0.5 : core->forward;
    case HWC_OP_FORWARD_ALIKE:
        return core->renamed > 0 ? 0.5 : core->forward;
    case HWC_OP_FORWARD_VECTOR:
        return core->forward + 2;
    case HWC_OP_GATHER:
        return core->gather; /* no chain, but as long */
    case HWC_OP_GATHER_WIDE:
        return 2 * core->gather;
    default:
        return 0;
    }
}

static double rate_of(const struct core *core, size_t count, size_t bytes)
{
    if (bytes > core->code_bytes)
        return core->decoded / 2;
    return count > core->entries ? core->decoded : core->width;
}

static double cycles_of(const struct core *core, const struct hwc_stretch *stretch)
{
    double chain = 0;
    size_t bytes = 0;

    for (size_t i = 0; i < stretch->count; i++) {
        chain += latency_of(core, stretch->kind[i % stretch->kinds], stretch->count);
        bytes += bytes_of(stretch->kind[i % stretch->kinds]);
    }
    return fmax(chain, (double)stretch->count / rate_of(core, stretch->count, bytes)) + 0.5; /* the loop's own */
}

static void play(void *context, unsigned n, const struct hwc_experiment *experiment, struct hwc_sample *sample)
{
    const struct core *core = context;
    const struct hwc_step *last = &experiment->step[experiment->steps - 1];
    const struct hwc_stretch *stretch = &last->walk->body->stretch[0];
    bool fresh = experiment->steps == 1;

    if (core->last > 0 && n == core->last)
        core->lab->started -= 60;
    sample->reading[0].cycles = core->off * last->passes * cycles_of(core, stretch) +
                                (fresh && core->translates ? 200.0 * (double)stretch->count : 0);
}

static struct hwc_notes notes; /* of the last run */

static struct hwc_finding *run(const struct core *core, const struct hwc_probe *probe, struct hwc_profile *profile)
{
    struct core own = *core;
    struct fake_machine fake;
    struct hwc_error error;

    fake_machine_open(&fake, play, &own);
    own.lab = &fake.lab;
    assert_int_equal(probe->run(&fake.lab, profile, &error), HWC_OK);
    notes = fake.lab.notes;
    fake_machine_close(&fake);
    return profile->core.finding;
}

static struct hwc_profile *profile_for(void)
{
    struct hwc_profile *profile = calloc(1, sizeof *profile);

    assert_non_null(profile);
    return profile;
}

static const struct core wide = {.width = 8, .decoded = 4, .entries = 4000, .code_bytes = 32768, .load = 4,
                                 .forward = 7, .gather = 6, .renamed = 16, .eliminates = true, .off = 1};
static const struct core narrow = {.width = 2, .decoded = 2, .entries = 0, .code_bytes = 32768, .load = 3,
                                   .forward = 5, .gather = 20, .renamed = 0, .eliminates = false, .off = 1.03};

static void assert_near(const struct hwc_finding *finding, double value)
{
    assert_true(finding->known);
    assert_true(fabs(finding->value - value) <= 0.02 * value);
}

static void widths_and_moves_are_the_cores(void **state)
{
    const struct core *const cores[] = {&wide, &narrow};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct hwc_profile *profile = profile_for();
        const struct hwc_finding *found = run(cores[i], &hwc_probe_front_end, profile);
        assert_true(found[HWC_CORE_FETCH_WIDTH].known && found[HWC_CORE_FETCH_WIDTH].value == cores[i]->width);
        assert_true(found[HWC_CORE_RENAME_WIDTH].known && found[HWC_CORE_RENAME_WIDTH].value == cores[i]->width);
        assert_true(found[HWC_CORE_MOVE_ELIMINATION].known && found[HWC_CORE_VECTOR_MOVE_ELIMINATION].known);
        assert_int_equal(found[HWC_CORE_MOVE_ELIMINATION].value != 0, cores[i]->eliminates);
        assert_int_equal(found[HWC_CORE_VECTOR_MOVE_ELIMINATION].value != 0, cores[i]->eliminates);
        hwc_profile_free(profile);
    }
}

/* However far the clock's cycles are off. */
static void latencies_are_the_cores(void **state)
{
    const struct core *const cores[] = {&wide, &narrow};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct hwc_profile *profile = profile_for();
        const struct hwc_finding *found = run(cores[i], &hwc_probe_load_latency, profile);
        const struct hwc_finding *vector = &found[HWC_CORE_VECTOR_LOAD_TO_USE];
        assert_near(&found[HWC_CORE_LOAD_TO_USE], cores[i]->load);
        assert_near(&found[HWC_CORE_STORE_FORWARDING], cores[i]->forward);
        assert_near(&found[HWC_CORE_VECTOR_STORE_FORWARDING], cores[i]->forward + 2);
        assert_true(found[HWC_CORE_MEMORY_RENAMING].known);
        assert_int_equal(found[HWC_CORE_MEMORY_RENAMING].value != 0, cores[i]->renamed > 0);
        assert_true(vector->has_interval && vector->low <= cores[i]->load + 3 && cores[i]->load + 3 <= vector->high);
        hwc_profile_free(profile);
    }
}

static void gathers_are_the_cores(void **state)
{
    struct hwc_profile *profile = profile_for();
    const struct hwc_finding *found = run(&wide, &hwc_probe_gather, profile);

    (void)state;
    assert_near(&found[HWC_CORE_GATHER], wide.gather);
    assert_near(&found[HWC_CORE_GATHER_WIDE], 2 * wide.gather);
    hwc_profile_free(profile);
}

static void code_at_full_rate_is_the_cores(void **state)
{
    struct hwc_profile *profile = profile_for();
    const struct hwc_finding *code = &run(&wide, &hwc_probe_full_rate, profile)[HWC_CORE_FULL_RATE_CODE];

    (void)state;
    assert_true(code->has_interval && code->low <= (double)wide.entries && (double)wide.entries < code->high);
    assert_true(code->high <= 1.03 * code->low);
    hwc_profile_free(profile);
}

/* Its first level of code makes a step, and it has no micro-op cache. */
static void a_core_without_a_micro_op_cache_has_none(void **state)
{
    struct hwc_profile *profile = profile_for();
    const struct hwc_finding *code = &run(&narrow, &hwc_probe_full_rate, profile)[HWC_CORE_FULL_RATE_CODE];

    (void)state;
    assert_true(code->asked && !code->known && !code->has_interval);
    assert_non_null(strstr(code->reason, "first level"));
    hwc_profile_free(profile);
}

static void translated_code_is_not_timed(void **state)
{
    static const struct hwc_probe *const probes[] = {&hwc_probe_front_end,    &hwc_probe_full_rate,
                                                     &hwc_probe_load_latency, &hwc_probe_gather,
                                                     &hwc_probe_branches,     &hwc_probe_out_of_order};
    struct core translated = wide;

    (void)state;
    translated.translates = true;
    for (size_t i = 0; i < sizeof probes / sizeof probes[0]; i++) {
        struct hwc_profile *profile = profile_for();
        const struct hwc_finding *found = run(&translated, probes[i], profile);
        for (int k = 0; k < HWC_MAX_NEEDS && probes[i]->provides[k] != HWC_NO_FIELD; k++) {
            assert_false(found[probes[i]->provides[k]].known);
            assert_non_null(strstr(found[probes[i]->provides[k]].reason, "translated"));
        }
        hwc_profile_free(profile);
    }
}

/* Instructions of a byte do not fill the first level; without a micro-op cache, they do not become slower. */
static void only_code_that_becomes_slower_is_noted(void **state)
{
    struct core fast = narrow;
    struct hwc_profile *profile = profile_for();
    const char *listed;

    (void)state;
    run(&narrow, &hwc_probe_full_rate, profile);
    assert_int_equal(notes.count, 1);
    listed = strchr(notes.text[0], ':');
    assert_non_null(listed);
    assert_true(listed[2] >= '1' && listed[2] <= '9');
    fast.code_bytes = 1 << 20;
    run(&fast, &hwc_probe_full_rate, profile);
    assert_int_equal(notes.count, 0);
    hwc_profile_free(profile);
}

/* The loops without moves, and with them, come first. */
static void what_was_found_in_time_is_kept(void **state)
{
    struct core slow = wide;
    struct hwc_profile *profile = profile_for();
    const struct hwc_finding *found;

    (void)state;
    slow.last = 200;
    found = run(&slow, &hwc_probe_front_end, profile);
    assert_true(found[HWC_CORE_MOVE_ELIMINATION].known && found[HWC_CORE_VECTOR_MOVE_ELIMINATION].known);
    assert_true(found[HWC_CORE_FETCH_WIDTH].asked && !found[HWC_CORE_FETCH_WIDTH].known);
    assert_non_null(strstr(found[HWC_CORE_RENAME_WIDTH].reason, "another thread"));
    hwc_profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(widths_and_moves_are_the_cores),
        cmocka_unit_test(latencies_are_the_cores),
        cmocka_unit_test(gathers_are_the_cores),
        cmocka_unit_test(code_at_full_rate_is_the_cores),
        cmocka_unit_test(a_core_without_a_micro_op_cache_has_none),
        cmocka_unit_test(only_code_that_becomes_slower_is_noted),
        cmocka_unit_test(what_was_found_in_time_is_kept),
        cmocka_unit_test(translated_code_is_not_timed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
