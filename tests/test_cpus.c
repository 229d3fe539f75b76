/* Probes that have CPUs work at the same time, on machines whose CPUs the test places. */
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

enum { MOST = 128 };

/* One test runs at a time. */
static struct {
    unsigned cpus, own;
    unsigned core[MOST], documented[MOST], socket[MOST];
    bool undocumented;
    bool crowds_slow; /* more than two others slow a CPU, whoever they are */
    bool silent;      /* nobody else is seen to run */
    int deaf;         /* a CPU that does not return the ball; -1 = none */
    int status;       /* of all that is asked */
    unsigned last;    /* beyond so many, nothing is answered; 0 = all is */
    bool moves;       /* rounds take turns of being near and far */
    unsigned asked, left;
} machine_state;

static unsigned count_cpus(struct hwc_machine *machine)
{
    (void)machine;
    return machine_state.cpus;
}

static unsigned own_cpu(struct hwc_machine *machine)
{
    (void)machine;
    return machine_state.own;
}

/* The system counts otherwise. */
static int number_of(struct hwc_machine *machine, unsigned cpu)
{
    (void)machine;
    return (int)cpu + 100;
}

/* A core that begins six additions in a cycle. */
static int beside(struct hwc_machine *machine, unsigned cpu, const bool *others, struct hwc_abreast *result,
                  struct hwc_error *error)
{
    const double alone = 10.0 / 6;
    unsigned set = 0, sharing = 0;

    (void)machine;
    machine_state.asked++;
    if (machine_state.status != HWC_OK)
        return hwc_fail(error, machine_state.status, "no thread can run there");
    if (machine_state.last > 0 && machine_state.asked > machine_state.last)
        return hwc_fail(error, HWC_INCONCLUSIVE, "that took too long");
    for (unsigned i = 0; i < machine_state.cpus; i++) {
        set += others[i];
        sharing += others[i] && machine_state.core[i] == machine_state.core[cpu];
    }
    if (machine_state.crowds_slow && set > 2)
        sharing++;
    *result = (struct hwc_abreast){alone, alone * (1 + sharing), machine_state.silent ? 0 : 100};
    return HWC_OK;
}

static double distance(unsigned cpu, unsigned other)
{
    return machine_state.core[cpu] == machine_state.core[other]       ? 8
           : machine_state.socket[cpu] == machine_state.socket[other] ? 30
                                                                      : 120;
}

static int bounce(struct hwc_machine *machine, unsigned cpu, unsigned other, struct hwc_bounce *result,
                  struct hwc_error *error)
{
    double far = machine_state.moves && machine_state.asked % 2 == 1 ? 5 : 1;

    (void)machine;
    machine_state.asked++;
    if (machine_state.status != HWC_OK)
        return hwc_fail(error, machine_state.status, "no thread can run there");
    if ((int)cpu == machine_state.deaf || (int)other == machine_state.deaf)
        return hwc_fail(error, HWC_INCONCLUSIVE, "the other CPU did not answer in time");
    *result = (struct hwc_bounce){distance(cpu, other) * far - 1, distance(cpu, other) * far};
    return HWC_OK;
}

static int documented_core(struct hwc_machine *machine, unsigned cpu)
{
    (void)machine;
    return machine_state.undocumented ? -1 : (int)machine_state.documented[cpu];
}

static void leave(struct hwc_machine *machine)
{
    (void)machine;
    machine_state.left++;
}

static const struct hwc_cpus cpus = {.count = count_cpus, .own = own_cpu, .number = number_of, .beside = beside,
                                     .bounce = bounce, .documented_core = documented_core, .leave = leave};

static void place(unsigned sockets, unsigned cores, unsigned threads)
{
    memset(&machine_state, 0, sizeof machine_state);
    machine_state.deaf = -1;
    machine_state.cpus = sockets * cores * threads;
    for (unsigned i = 0; i < machine_state.cpus; i++) {
        machine_state.core[i] = machine_state.documented[i] = i % (sockets * cores);
        machine_state.socket[i] = machine_state.core[i] / cores;
    }
}

static void never_played(void *context, unsigned n, const struct hwc_experiment *experiment, struct hwc_sample *sample)
{
    (void)context, (void)n, (void)experiment, (void)sample;
}

static struct hwc_notes notes;

static const struct hwc_profile *profile_of(const struct hwc_probe *probe, int expected)
{
    static struct hwc_profile profile;
    struct fake_machine fake;
    struct hwc_error error = {0};

    hwc_profile_close(&profile);
    memset(&profile, 0, sizeof profile);
    fake_machine_open(&fake, never_played, NULL);
    fake.base.cycles_per_ns = 2;
    fake.base.cpus = machine_state.cpus > 1 ? &cpus : NULL;
    fake.base.alone_reason = machine_state.cpus > 1 ? NULL : "this process may use one CPU only";
    assert_int_equal(probe->run(&fake.lab, &profile, &error), expected);
    notes = fake.lab.notes;
    fake_machine_close(&fake);
    return &profile;
}

static void assert_core(unsigned threads, unsigned cores)
{
    const struct hwc_finding *core = profile_of(&hwc_probe_smt, HWC_OK)->core.finding;

    assert_true(core[HWC_CORE_SMT].known && core[HWC_CORE_PARALLEL_THREADS].known);
    assert_int_equal(core[HWC_CORE_SMT].value, threads);
    assert_int_equal(core[HWC_CORE_PARALLEL_THREADS].value, cores);
    assert_int_equal(machine_state.left, 1);
}

static void threads_of_a_core_are_counted(void **state)
{
    static const unsigned machines[][3] = {{1, 2, 1}, {1, 1, 2}, {1, 4, 2}, {2, 4, 1}, {2, 4, 2}, {2, 32, 2}, {1, 4, 4}};

    (void)state;
    for (size_t i = 0; i < sizeof machines / sizeof machines[0]; i++) {
        place(machines[i][0], machines[i][1], machines[i][2]);
        assert_core(machines[i][2], machines[i][0] * machines[i][1]);
    }
}

static void pairs_stand_in_a_matrix_beside_what_is_documented(void **state)
{
    const struct hwc_matrix *matrix;

    (void)state;
    place(1, 2, 2);
    matrix = hwc_matrix_find(&profile_of(&hwc_probe_smt, HWC_OK)->matrices, "same_core");
    assert_non_null(matrix);
    assert_string_equal(matrix->label[3], "103");
    assert_true(isnan(*hwc_matrix_at(matrix, 0, 0)));
    assert_true(*hwc_matrix_at(matrix, 0, 1) == 0 && *hwc_matrix_at(matrix, 0, 2) == 1);
    assert_true(matrix->documented[1] == 0 && matrix->documented[2] == 1);
    assert_string_equal(notes.text[0], "CPUs that share a core: 100+102, 101+103");
    assert_int_equal(notes.count, 1);
}

/* Of many CPUs not every pair is asked: what several do at once bounds what each does, and a thread of a core that is
 * known is asked no more. */
static void the_matrix_of_many_cpus_has_what_was_asked(void **state)
{
    const struct hwc_matrix *matrix;

    (void)state;
    place(2, 32, 2);
    matrix = hwc_matrix_find(&profile_of(&hwc_probe_smt, HWC_OK)->matrices, "same_core");
    for (unsigned i = 0; i < machine_state.cpus; i++)
        for (unsigned k = 0; k < machine_state.cpus; k++)
            if (!isnan(*hwc_matrix_at(matrix, i, k)))
                assert_true(*hwc_matrix_at(matrix, i, k) == (machine_state.core[i] == machine_state.core[k]));
    for (unsigned k = 1; k < machine_state.cpus; k++)
        assert_false(isnan(*hwc_matrix_at(matrix, 0, k)) || isnan(*hwc_matrix_at(matrix, k, 0)));
}

/* A virtual machine may be told that each CPU is a core. */
static void siblings_that_the_system_hides_are_found(void **state)
{
    const struct hwc_finding *core;

    (void)state;
    place(1, 2, 2);
    for (unsigned i = 0; i < machine_state.cpus; i++)
        machine_state.documented[i] = i;
    assert_core(2, 2);
    core = profile_of(&hwc_probe_smt, HWC_OK)->core.finding;
    assert_true(core[HWC_CORE_SMT].has_documented && core[HWC_CORE_SMT].documented == 1);
    assert_true(core[HWC_CORE_PARALLEL_THREADS].documented == 4);
    assert_non_null(strstr(notes.text[1], "by how they slow each other they have 2"));
}

static void what_is_documented_is_no_input(void **state)
{
    const struct hwc_finding *core;

    (void)state;
    place(1, 4, 1);
    for (unsigned i = 0; i < machine_state.cpus; i++)
        machine_state.documented[i] = i / 2;
    assert_core(1, 4);
    machine_state.undocumented = true;
    core = profile_of(&hwc_probe_smt, HWC_OK)->core.finding;
    assert_true(core[HWC_CORE_SMT].known && !core[HWC_CORE_SMT].has_documented);
    assert_int_equal(notes.count, 0);
}

static void assert_unknown(const struct hwc_finding *finding, enum hwc_why why, const char *words)
{
    assert_true(finding->asked && !finding->known);
    assert_int_equal(finding->why, why);
    assert_non_null(strstr(finding->reason, words));
}

static void what_cannot_be_seen_is_not_said(void **state)
{
    const struct hwc_finding *core;

    (void)state;
    place(1, 4, 1);
    machine_state.silent = true;
    core = profile_of(&hwc_probe_smt, HWC_OK)->core.finding;
    assert_unknown(&core[HWC_CORE_SMT], HWC_WHY_INCONCLUSIVE, "did not run");
    assert_unknown(&core[HWC_CORE_PARALLEL_THREADS], HWC_WHY_INCONCLUSIVE, "not known");
    place(1, 4, 1);
    machine_state.crowds_slow = true;
    core = profile_of(&hwc_probe_smt, HWC_OK)->core.finding;
    assert_true(core[HWC_CORE_SMT].known);
    assert_unknown(&core[HWC_CORE_PARALLEL_THREADS], HWC_WHY_INCONCLUSIVE, "CPU 100 is slowed");
}

/* That cores were found stands, though how all of them run at once was not seen. */
static void what_was_found_before_a_failure_is_kept(void **state)
{
    const struct hwc_finding *core;

    (void)state;
    place(1, 4, 2);
    assert_core(2, 4);
    machine_state.last = machine_state.asked - 1;
    machine_state.asked = 0;
    core = profile_of(&hwc_probe_smt, HWC_OK)->core.finding;
    assert_true(core[HWC_CORE_SMT].known && core[HWC_CORE_SMT].value == 2 && core[HWC_CORE_SMT].has_documented);
    assert_unknown(&core[HWC_CORE_PARALLEL_THREADS], HWC_WHY_INCONCLUSIVE, "too long");
    assert_string_equal(notes.text[0], "CPUs that share a core: 100+104, 101+105, 102+106, 103+107");
}

static void without_another_cpu_the_reason_is_said(void **state)
{
    const struct hwc_finding *core;

    (void)state;
    place(1, 1, 1);
    core = profile_of(&hwc_probe_smt, HWC_OK)->core.finding;
    assert_unknown(&core[HWC_CORE_SMT], HWC_WHY_UNAVAILABLE, "one CPU only");
    core = profile_of(&hwc_probe_core_to_core, HWC_OK)->core.finding;
    assert_unknown(&core[HWC_CORE_NEAREST_CPU], HWC_WHY_UNAVAILABLE, "one CPU only");
}

static void failures_end_the_probe_and_not_the_run(void **state)
{
    static const struct {
        const struct hwc_probe *probe;
        enum hwc_field_id field;
    } asked[] = {{&hwc_probe_smt, HWC_CORE_PARALLEL_THREADS}, {&hwc_probe_core_to_core, HWC_CORE_NEAREST_CPU}};

    (void)state;
    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++) {
        place(1, 4, 2);
        machine_state.status = HWC_UNAVAILABLE;
        assert_unknown(&profile_of(asked[i].probe, HWC_OK)->core.finding[asked[i].field], HWC_WHY_UNAVAILABLE,
                       "no thread");
        machine_state.status = HWC_INTERRUPTED;
        profile_of(asked[i].probe, HWC_INTERRUPTED);
        assert_int_equal(machine_state.left, 2);
    }
}

static void latencies_are_a_symmetric_matrix(void **state)
{
    const struct hwc_profile *profile;
    const struct hwc_matrix *matrix;

    (void)state;
    place(2, 4, 2);
    profile = profile_of(&hwc_probe_core_to_core, HWC_OK);
    matrix = hwc_matrix_find(&profile->matrices, "core_to_core");
    assert_string_equal(matrix->unit, "ns");
    for (unsigned i = 0; i < machine_state.cpus; i++)
        for (unsigned k = 0; k < machine_state.cpus; k++)
            if (i != k) {
                assert_true(*hwc_matrix_at(matrix, i, k) == distance(i, k));
                assert_true(matrix->least[i * matrix->count + k] == distance(i, k) - 1);
            }
    assert_true(profile->core.finding[HWC_CORE_NEAREST_CPU].value == 16);
    assert_true(profile->core.finding[HWC_CORE_NEAREST_CPU].nanoseconds == 8);
    assert_true(profile->core.finding[HWC_CORE_FARTHEST_CPU].value == 240);
    assert_int_equal(machine_state.left, 1);
}

static void of_one_pair_there_is_no_farthest(void **state)
{
    const struct hwc_finding *core;

    (void)state;
    place(1, 2, 1);
    core = profile_of(&hwc_probe_core_to_core, HWC_OK)->core.finding;
    assert_true(core[HWC_CORE_NEAREST_CPU].known && !core[HWC_CORE_FARTHEST_CPU].asked);
}

static void who_does_not_answer_is_left_out(void **state)
{
    const struct hwc_matrix *matrix;

    (void)state;
    place(1, 4, 1);
    machine_state.deaf = 3;
    matrix = hwc_matrix_find(&profile_of(&hwc_probe_core_to_core, HWC_OK)->matrices, "core_to_core");
    for (unsigned i = 0; i < machine_state.cpus; i++)
        for (unsigned k = 0; k < machine_state.cpus; k++)
            if (i == k || i == 3 || k == 3)
                assert_true(isnan(*hwc_matrix_at(matrix, i, k)));
            else
                assert_true(*hwc_matrix_at(matrix, i, k) == 30);
    assert_non_null(strstr(notes.text[0], "3 of 6 pairs"));
    place(1, 2, 1);
    machine_state.deaf = 1;
    assert_unknown(&profile_of(&hwc_probe_core_to_core, HWC_OK)->core.finding[HWC_CORE_NEAREST_CPU],
                   HWC_WHY_INCONCLUSIVE, "no other CPU answered");
}

static void rounds_that_disagree_are_bounds(void **state)
{
    const struct hwc_finding *nearest;

    (void)state;
    place(1, 2, 1);
    machine_state.moves = true;
    nearest = &profile_of(&hwc_probe_core_to_core, HWC_OK)->core.finding[HWC_CORE_NEAREST_CPU];
    assert_unknown(nearest, HWC_WHY_INCONCLUSIVE, "disagree");
    assert_true(nearest->has_interval && nearest->low == 60 && nearest->high == 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_of_a_core_are_counted),
        cmocka_unit_test(pairs_stand_in_a_matrix_beside_what_is_documented),
        cmocka_unit_test(the_matrix_of_many_cpus_has_what_was_asked),
        cmocka_unit_test(siblings_that_the_system_hides_are_found),
        cmocka_unit_test(what_is_documented_is_no_input),
        cmocka_unit_test(what_cannot_be_seen_is_not_said),
        cmocka_unit_test(what_was_found_before_a_failure_is_kept),
        cmocka_unit_test(without_another_cpu_the_reason_is_said),
        cmocka_unit_test(failures_end_the_probe_and_not_the_run),
        cmocka_unit_test(latencies_are_a_symmetric_matrix),
        cmocka_unit_test(of_one_pair_there_is_no_farthest),
        cmocka_unit_test(who_does_not_answer_is_left_out),
        cmocka_unit_test(rounds_that_disagree_are_bounds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
