/* Probes of the core, on a core whose code and times the test sets. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "fake_machine.h"
#include "profile.h"
#include "table.h"

static const struct hwc_scalable scalable;

static const struct hwc_core_type types[] = {
    {.name = "i32", .element = "int"},
    {.name = "i64", .element = "long"},
    {.name = "f32", .element = "float", .floating = true, .root = "sqrtf"},
    {.name = "f64", .element = "double", .floating = true, .root = "sqrt"},
    {.name = "f32x4", .element = "float", .lanes = 4, .floating = true, .extension = "sse2", .root = "root"},
    {.name = "f32x8", .element = "float", .lanes = 8, .floating = true, .extension = "avx2", .root = "root"},
    {.name = "f32xN", .element = "float", .scalable = &scalable, .floating = true, .extension = "sve"},
};

static const unsigned type_count = sizeof types / sizeof types[0];

enum { MOST_CODES = 512, REGISTERS = 14, STATEMENTS = 64 };

/* What the core makes of code. One test runs at a time. */
static struct {
    unsigned prepared;    /* calls */
    bool no_assembly;     /* nothing can be read off it */
    const char *broken;   /* a type whose code ends when it is tried out; NULL = none */
    bool refused;         /* because the CPU does not know it */
    int time_status;      /* of all times */
    double cycles;
    unsigned jumps; /* in every loop */
    unsigned bursts; /* times that another thread still makes a chain longer */
    bool fails; /* every fifth time */
    unsigned first_wavers; /* so many spilled variables cost nothing in every second timing */
    unsigned timings, timed[MOST_CODES];
    double mixed; /* times as long does a statement take where two operations take turns; 0 = 1 */
    unsigned codes;
    struct hwc_nano nano[MOST_CODES];
    struct hwc_nano_code code[MOST_CODES];
} core_state;

static int prepare(struct hwc_machine *machine, const struct hwc_nano *nanos, unsigned count, unsigned *handles,
                   struct hwc_error *error)
{
    (void)machine, (void)error;
    core_state.prepared++;
    for (unsigned i = 0; i < count; i++) {
        bool broken = false;
        for (unsigned s = 0; s < nanos[i].statements && core_state.broken != NULL; s++)
            broken = broken || strcmp(core_state.broken, nanos[i].statement[s].type->name) == 0;
        assert_true(core_state.codes < MOST_CODES);
        handles[i] = core_state.codes++;
        core_state.nano[handles[i]] = nanos[i];
        core_state.code[handles[i]] = (struct hwc_nano_code){
            .runs = !broken, .refused = broken && core_state.refused,
            .reason = broken ? "it ended by signal 11" : "", .assembled = !core_state.no_assembly,
            .statements = STATEMENTS, .instructions = STATEMENTS + 4, .jumps = core_state.jumps,
            .spills = nanos[i].variables > REGISTERS ? nanos[i].variables - REGISTERS : 0};
    }
    return HWC_OK;
}

static const struct hwc_nano_code *code_of(struct hwc_machine *machine, unsigned handle)
{
    (void)machine;
    return &core_state.code[handle];
}

static int time_code(struct hwc_machine *machine, unsigned handle, double *cycles, struct hwc_error *error)
{
    (void)machine;
    if (core_state.time_status != HWC_OK)
        return hwc_fail(error, core_state.time_status, "no time");
    core_state.timings++;
    if (core_state.fails && core_state.timings % 5 == 0)
        return hwc_fail(error, HWC_INCONCLUSIVE, "others work on this core");
    *cycles = core_state.cycles * (core_state.code[handle].spills > 0 ? 2 : 1);
    if (core_state.code[handle].spills <= core_state.first_wavers && core_state.timed[handle]++ % 2 == 0)
        *cycles = core_state.cycles;
    if (core_state.bursts > 0) {
        core_state.bursts--;
        *cycles *= 1.13;
    }
    if (core_state.nano[handle].statements > 1 && core_state.mixed > 0)
        *cycles *= core_state.mixed;
    return HWC_OK;
}

static bool documents(const char *extension, bool *known)
{
    (void)extension;
    *known = false;
    return false;
}

static struct hwc_vector_bits vector_bits(void)
{
    return (struct hwc_vector_bits){.executed = 256, .documented = 512};
}

static const struct hwc_core core = {.types = types, .type_count = &type_count, .prepare = prepare, .code = code_of,
                                     .time = time_code, .documents = documents, .vector_bits = vector_bits};

/* Every turn of a loop takes ten cycles, whatever is in it. */
static void always_ten(void *context, unsigned n, const struct hwc_experiment *experiment, struct hwc_sample *sample)
{
    (void)context, (void)n;
    sample->reading[0].cycles = 10 * (double)experiment->step[experiment->steps - 1].passes;
}

static struct hwc_profile *profile_of(const struct hwc_probe *probe, int expected, const char *core_reason)
{
    static struct hwc_profile profile;
    struct fake_machine fake;
    struct hwc_error error = {0};

    hwc_profile_close(&profile);
    memset(&profile, 0, sizeof profile);
    core_state.codes = core_state.prepared = 0;
    core_state.cycles = 1;
    fake_machine_open(&fake, always_ten, NULL);
    fake.base.core = core_reason == NULL ? &core : NULL;
    fake.base.core_reason = core_reason;
    assert_int_equal(probe->run(&fake.lab, &profile, &error), expected);
    fake_machine_close(&fake);
    return &profile;
}

static const struct hwc_finding *finding_of(const struct hwc_probe *probe, enum hwc_field_id field)
{
    return &profile_of(probe, HWC_OK, NULL)->core.finding[field];
}

static int reset(void **state)
{
    (void)state;
    memset(&core_state, 0, sizeof core_state);
    return 0;
}

static void what_runs_exists(void **state)
{
    (void)state;
    assert_true(finding_of(&hwc_probe_extensions, HWC_CORE_HAS_FMA)->known);
    assert_int_equal(core_state.prepared, 1);
    assert_true(finding_of(&hwc_probe_extensions, HWC_CORE_HAS_AVX2)->value != 0);
    assert_true(finding_of(&hwc_probe_extensions, HWC_CORE_HARDWARE_FLOAT)->value != 0);
}

/* A product and a sum run everywhere; that they are one instruction is read off the assembly. */
static void without_assembly_nothing_is_said_of_fused_operations(void **state)
{
    const struct hwc_finding *finding;

    (void)state;
    core_state.no_assembly = true;
    finding = finding_of(&hwc_probe_extensions, HWC_CORE_HAS_FMA);
    assert_true(finding->asked && !finding->known);
    assert_non_null(strstr(finding->reason, "assembly"));
}

/* Code may end for other reasons than that the CPU does not know it. */
static void only_what_the_cpu_refuses_does_not_exist(void **state)
{
    const struct hwc_finding *finding;

    (void)state;
    core_state.broken = "f32x8";
    finding = finding_of(&hwc_probe_extensions, HWC_CORE_HAS_AVX2);
    assert_true(finding->asked && !finding->known);
    assert_non_null(strstr(finding->reason, "signal 11"));
    core_state.refused = true;
    finding = finding_of(&hwc_probe_extensions, HWC_CORE_HAS_AVX2);
    assert_true(finding->known && finding->value == 0);
}

static void a_fault_of_timing_is_returned_as_it_is(void **state)
{
    (void)state;
    core_state.time_status = HWC_SYSTEM;
    profile_of(&hwc_probe_registers, HWC_SYSTEM, NULL);
    core_state.time_status = HWC_INTERRUPTED;
    profile_of(&hwc_probe_registers, HWC_INTERRUPTED, NULL);
}

/* A jump that is foreseen breaks the chain: what follows does not wait. */
static void what_the_compiler_makes_a_jump_of_has_no_times(void **state)
{
    const unsigned jumps[] = {1, STATEMENTS + 1}; /* the loop's own; one of each statement, too */

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const struct hwc_profile *profile;
        core_state.jumps = jumps[i];
        profile = profile_of(&hwc_probe_instructions, HWC_OK, NULL);
        assert_true(profile->instructions > 0);
        for (unsigned k = 0; k < profile->instructions; k++) {
            const struct hwc_finding *found = profile->instruction[k].finding;
            assert_true(found[HWC_INSTRUCTION_THROUGHPUT].known == (i == 0));
            assert_true(i == 0 || !found[HWC_INSTRUCTION_LATENCY].known);
            assert_true(found[HWC_INSTRUCTION_EXISTS].known);
        }
    }
}

/* Another thread's burst is over before what it made longer is timed again: a latency of 1.13 cycles was none. */
static void a_latency_of_broken_cycles_is_timed_again(void **state)
{
    const struct hwc_profile *profile;

    (void)state;
    core_state.bursts = 40;
    profile = profile_of(&hwc_probe_instructions, HWC_OK, NULL);
    assert_int_equal(core_state.bursts, 0);
    assert_true(profile->instructions > 8);
    for (unsigned k = 0; k < profile->instructions; k++) {
        double cycles = profile->instruction[k].finding[HWC_INSTRUCTION_LATENCY].value;
        assert_true(cycles == 1 || cycles == 0); /* none where an addition is in the statement, too */
    }
}

static void registers_are_known_without_times(void **state)
{
    const struct hwc_finding *core_findings;

    (void)state;
    core_state.time_status = HWC_UNAVAILABLE;
    core_findings = profile_of(&hwc_probe_registers, HWC_OK, NULL)->core.finding;
    assert_true(core_findings[HWC_CORE_REGISTERS_VECTOR].known);
    assert_int_equal(core_findings[HWC_CORE_REGISTERS_VECTOR].value, REGISTERS);
    assert_false(core_findings[HWC_CORE_FAST_VECTOR].known);
    assert_string_equal(core_findings[HWC_CORE_FAST_VECTOR].reason, "no time");
}

static void timings_that_come_to_nothing_are_left_out(void **state)
{
    const struct hwc_finding *found;

    (void)state;
    core_state.fails = true;
    found = profile_of(&hwc_probe_registers, HWC_OK, NULL)->core.finding;
    assert_true(found[HWC_CORE_FAST_INT].known);
    assert_int_equal(found[HWC_CORE_FAST_INT].value, REGISTERS);
}

/* The first spilled variables make code slower in some timings. */
static void what_is_slower_in_some_timings_gives_bounds(void **state)
{
    const struct hwc_finding *found;

    (void)state;
    core_state.first_wavers = 3;
    found = &profile_of(&hwc_probe_registers, HWC_OK, NULL)->core.finding[HWC_CORE_FAST_INT];
    assert_true(found->asked && !found->known && found->has_interval);
    assert_int_equal(found->low, REGISTERS);
    assert_int_equal(found->high, REGISTERS + 3);
    assert_string_equal(found->reason, "15 variables are neither surely as fast as 2 nor surely slower; 18 are slower");
}

static void the_widest_vectors_are_those_that_run(void **state)
{
    const struct hwc_finding *found;

    (void)state;
    core_state.broken = "f32x8";
    found = profile_of(&hwc_probe_registers, HWC_OK, NULL)->core.finding;
    assert_true(found[HWC_CORE_REGISTERS_VECTOR].known && found[HWC_CORE_FAST_VECTOR].known);
    assert_true(found[HWC_CORE_REGISTERS_SVE].known && !found[HWC_CORE_REGISTERS_VECTOR256].known);
}

static void the_length_of_scalable_vectors_is_what_is_executed(void **state)
{
    const struct hwc_finding *found;

    (void)state;
    found = finding_of(&hwc_probe_extensions, HWC_CORE_SVE_BITS);
    assert_true(found->known && found->value == 256 && found->has_documented && found->documented == 512);
    core_state.broken = "f32xN"; /* of another reason than that the CPU does not know it */
    found = finding_of(&hwc_probe_extensions, HWC_CORE_SVE_BITS);
    assert_true(found->asked && found->why == HWC_WHY_DEPENDS);
    core_state.refused = true;
    found = finding_of(&hwc_probe_extensions, HWC_CORE_SVE_BITS);
    assert_true(found->asked && found->why == HWC_WHY_NOTHING);
}

static void scalable_vectors_are_left_out_where_they_do_not_run(void **state)
{
    const struct hwc_finding *found;

    (void)state;
    core_state.broken = "f32xN";
    core_state.refused = true;
    found = profile_of(&hwc_probe_registers, HWC_OK, NULL)->core.finding;
    assert_true(found[HWC_CORE_REGISTERS_VECTOR].known && !found[HWC_CORE_REGISTERS_SVE].known);
    found = finding_of(&hwc_probe_extensions, HWC_CORE_HAS_SVE);
    assert_true(found->known && found->value == 0);
}

static void a_core_that_executes_nothing_says_so(void **state)
{
    static const struct {
        const struct hwc_probe *probe;
        enum hwc_field_id field;
    } asked[] = {{&hwc_probe_registers, HWC_CORE_FAST_VECTOR}, {&hwc_probe_registers, HWC_CORE_REGISTERS_VECTOR},
                 {&hwc_probe_registers, HWC_CORE_FAST_INT},    {&hwc_probe_extensions, HWC_CORE_HAS_FMA},
                 {&hwc_probe_instructions, HWC_CORE_ADD_UNITS}, {&hwc_probe_frequency, HWC_CORE_FREQUENCY},
                 {&hwc_probe_branches, HWC_CORE_RETURN_STACK}, {&hwc_probe_out_of_order, HWC_CORE_LOAD_QUEUE}};

    (void)state;
    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++) {
        const struct hwc_profile *profile = profile_of(asked[i].probe, HWC_OK, "it executes nothing");
        const struct hwc_finding *finding = &profile->core.finding[asked[i].field];
        assert_int_equal(finding->why, HWC_WHY_UNAVAILABLE);
        assert_string_equal(finding->reason, "it executes nothing");
    }
}

static void branches_that_all_take_the_same_show_no_penalty(void **state)
{
    const struct hwc_finding *found;

    (void)state;
    found = profile_of(&hwc_probe_branches, HWC_OK, NULL)->core.finding;
    assert_int_equal(found[HWC_CORE_MISPREDICTION_PENALTY].why, HWC_WHY_INCONCLUSIVE);
    assert_false(found[HWC_CORE_MISPREDICTION_PENALTY].known);
    assert_int_equal(found[HWC_CORE_RETURN_STACK].why, HWC_WHY_INCONCLUSIVE);
}

static const struct hwc_matrix *bundles(void)
{
    return hwc_matrix_find(&profile_of(&hwc_probe_bundles, HWC_OK, NULL)->matrices, "bundles");
}

static void operations_are_mixed_in_pairs(void **state)
{
    const struct hwc_matrix *matrix = bundles();

    (void)state;
    assert_non_null(matrix);
    assert_string_equal(matrix->label[3], "add f64");
    assert_true(*hwc_matrix_at(matrix, 0, 1) == 0 && *hwc_matrix_at(matrix, 1, 0) == 0);
    assert_true(isnan(*hwc_matrix_at(matrix, 0, 0)));
    core_state.mixed = 0.5;
    assert_true(*hwc_matrix_at(bundles(), 0, 1) == 1);
}

static void pairs_with_what_does_not_run_are_not_told(void **state)
{
    const struct hwc_matrix *matrix;

    (void)state;
    core_state.broken = "i64";
    matrix = bundles();
    assert_string_equal(matrix->label[0], "add i64");
    assert_true(isnan(*hwc_matrix_at(matrix, 0, matrix->count - 1)));
    assert_true(*hwc_matrix_at(matrix, matrix->count - 2, matrix->count - 1) == 0);
}

static void without_times_there_are_no_bundles(void **state)
{
    (void)state;
    core_state.time_status = HWC_UNAVAILABLE;
    assert_null(bundles());
    core_state.time_status = HWC_SYSTEM;
    profile_of(&hwc_probe_bundles, HWC_SYSTEM, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(what_runs_exists, reset),
        cmocka_unit_test_setup(without_assembly_nothing_is_said_of_fused_operations, reset),
        cmocka_unit_test_setup(only_what_the_cpu_refuses_does_not_exist, reset),
        cmocka_unit_test_setup(a_fault_of_timing_is_returned_as_it_is, reset),
        cmocka_unit_test_setup(what_the_compiler_makes_a_jump_of_has_no_times, reset),
        cmocka_unit_test_setup(a_latency_of_broken_cycles_is_timed_again, reset),
        cmocka_unit_test_setup(registers_are_known_without_times, reset),
        cmocka_unit_test_setup(timings_that_come_to_nothing_are_left_out, reset),
        cmocka_unit_test_setup(what_is_slower_in_some_timings_gives_bounds, reset),
        cmocka_unit_test_setup(the_widest_vectors_are_those_that_run, reset),
        cmocka_unit_test_setup(the_length_of_scalable_vectors_is_what_is_executed, reset),
        cmocka_unit_test_setup(scalable_vectors_are_left_out_where_they_do_not_run, reset),
        cmocka_unit_test_setup(a_core_that_executes_nothing_says_so, reset),
        cmocka_unit_test_setup(operations_are_mixed_in_pairs, reset),
        cmocka_unit_test_setup(pairs_with_what_does_not_run_are_not_told, reset),
        cmocka_unit_test_setup(without_times_there_are_no_bundles, reset),
        cmocka_unit_test_setup(branches_that_all_take_the_same_show_no_penalty, reset),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
