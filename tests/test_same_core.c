/* Which CPUs share a core: machines with every number of threads a core, large and small; and what a look says. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "random.h"
#include "same_core.h"

enum { MOST = 256, SEED = 20261128 };

struct machine {
    unsigned cpus;
    unsigned core[MOST]; /* by CPU */
    unsigned asked;
    unsigned deaf;        /* a CPU + 1 of which nothing is ever seen; 0 = none */
    unsigned lying[2];    /* a pair of CPUs, + 1, the first of which is wrong about the other; 0 = none */
};

static int ask(void *context, unsigned cpu, const bool *others, enum hwc_same_core *answer, struct hwc_error *error)
{
    struct machine *machine = context;
    unsigned set = 0, last = 0;

    (void)error;
    machine->asked++;
    *answer = HWC_CORES_APART;
    for (unsigned other = 0; other < machine->cpus; other++) {
        if (!others[other])
            continue;
        set++;
        last = other;
        assert_int_not_equal(other, cpu);
        if (other + 1 == machine->deaf || cpu + 1 == machine->deaf) {
            *answer = HWC_CORE_UNSURE;
            return HWC_OK;
        }
        if (machine->core[other] == machine->core[cpu])
            *answer = HWC_CORE_SHARED;
    }
    assert_true(set > 0);
    if (set == 1 && cpu + 1 == machine->lying[0] && last + 1 == machine->lying[1])
        *answer = *answer == HWC_CORE_SHARED ? HWC_CORES_APART : HWC_CORE_SHARED;
    return HWC_OK;
}

static struct hwc_cores find(struct machine *machine, unsigned cpus)
{
    const struct hwc_core_asker asker = {.ask = ask, .context = machine};
    struct hwc_cores cores;
    struct hwc_error error;

    machine->asked = 0;
    machine->cpus = cpus;
    assert_int_equal(hwc_find_cores(cpus, &asker, &cores, &error), HWC_OK);
    return cores;
}

static void assert_found(struct machine *machine, unsigned cpus)
{
    struct hwc_cores cores = find(machine, cpus);

    assert_true(hwc_cores_are_sure(&cores));
    for (unsigned cpu = 0; cpu < cpus; cpu++)
        for (unsigned other = 0; other < cpus; other++)
            assert_int_equal(cores.first[cpu] == cores.first[other], machine->core[cpu] == machine->core[other]);
    hwc_cores_free(&cores);
}

/* Linux numbers siblings as neighbours, or all first threads before all second ones; a guest's may be anywhere. */
enum order { NEIGHBOURS, ROUND, ANYWHERE };

static void place(struct machine *machine, unsigned cpus, unsigned threads, enum order order)
{
    uint64_t places[MOST];
    struct hwc_random random;
    unsigned cores = cpus / threads;

    memset(machine, 0, sizeof *machine);
    hwc_random_seed(&random, SEED + cpus);
    for (unsigned i = 0; i < cpus; i++)
        places[i] = i;
    if (order == ANYWHERE)
        hwc_random_shuffle(&random, places, cpus);
    for (unsigned i = 0; i < cpus; i++)
        machine->core[i] = (unsigned)(order == NEIGHBOURS ? places[i] / threads : places[i] % cores);
}

static void every_machine_is_found(void **state)
{
    static const unsigned sizes[] = {2, 4, 8, 16, 24, 48, 64, 128, 256}, threads[] = {1, 2, 4, 8};

    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (size_t t = 0; t < sizeof threads / sizeof threads[0]; t++)
            for (int order = NEIGHBOURS; order <= ANYWHERE && threads[t] <= sizes[s]; order++) {
                struct machine machine;
                place(&machine, sizes[s], threads[t], (enum order)order);
                assert_found(&machine, sizes[s]);
            }
}

/* Two sockets of 32 cores with two threads each: 16256 questions if every pair were asked from both sides. */
static void many_cpus_take_few_questions(void **state)
{
    struct machine machine;

    (void)state;
    place(&machine, 128, 2, ROUND);
    assert_found(&machine, 128);
    assert_true(machine.asked < 1200);
    place(&machine, 128, 1, ROUND);
    assert_found(&machine, 128);
    assert_true(machine.asked < 140);
}

/* Big cores have two threads, small ones one. */
static void cores_may_have_different_numbers_of_threads(void **state)
{
    struct machine machine = {.core = {0, 0, 1, 1, 2, 3, 4, 5}};
    struct hwc_cores cores;

    (void)state;
    assert_found(&machine, 8);
    cores = find(&machine, 8);
    assert_int_equal(cores.cores, 6);
    assert_int_equal(hwc_cpus_of_core(&cores, 1), 2);
    assert_int_equal(hwc_cpus_of_core(&cores, 7), 1);
    hwc_cores_free(&cores);
}

static void what_was_not_seen_is_not_known(void **state)
{
    static const unsigned sizes[] = {2, 8, 64};

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct machine machine;
        struct hwc_cores cores;
        place(&machine, sizes[i], 2, NEIGHBOURS);
        machine.deaf = sizes[i];
        cores = find(&machine, sizes[i]);
        assert_false(hwc_cores_are_sure(&cores));
        assert_true(cores.unsure[sizes[i] - 1]);
        hwc_cores_free(&cores);
    }
}

static void both_sides_must_agree(void **state)
{
    for (int threads = 1; threads <= 2; threads++) {
        struct machine machine;
        struct hwc_cores cores;
        (void)state;
        place(&machine, 8, (unsigned)threads, NEIGHBOURS);
        machine.lying[0] = 3;
        machine.lying[1] = 4;
        cores = find(&machine, 8);
        assert_true(cores.unsure[2] && cores.unsure[3]);
        assert_false(cores.unsure[0]);
        hwc_cores_free(&cores);
    }
}

/* A and B, B and C, but not A and C: none is believed. */
static int ask_crookedly(void *context, unsigned cpu, const bool *others, enum hwc_same_core *answer,
                         struct hwc_error *error)
{
    (void)context, (void)error;
    *answer = (cpu == 1 || others[1]) ? HWC_CORE_SHARED : HWC_CORES_APART;
    return HWC_OK;
}

static void what_contradicts_itself_is_not_known(void **state)
{
    const struct hwc_core_asker asker = {.ask = ask_crookedly};
    struct hwc_cores cores;
    struct hwc_error error;

    (void)state;
    assert_int_equal(hwc_find_cores(3, &asker, &cores, &error), HWC_OK);
    assert_true(cores.unsure[0] && cores.unsure[2]);
    hwc_cores_free(&cores);
}

static int ask_in_vain(void *context, unsigned cpu, const bool *others, enum hwc_same_core *answer,
                       struct hwc_error *error)
{
    (void)context, (void)cpu, (void)others, (void)answer;
    return hwc_fail(error, HWC_UNAVAILABLE, "no thread");
}

static void a_failure_is_passed_on(void **state)
{
    const struct hwc_core_asker asker = {.ask = ask_in_vain};
    struct hwc_cores cores;
    struct hwc_error error;

    (void)state;
    assert_int_equal(hwc_find_cores(4, &asker, &cores, &error), HWC_UNAVAILABLE);
    hwc_cores_free(&cores);
}

/* Ten chains on cores that begin six additions in a cycle, four, two, and ten. */
static void a_look_is_judged(void **state)
{
    static const struct {
        struct hwc_abreast beside;
        enum hwc_same_core answer;
    } looks[] = {
        {{1.67, 1.68, 100}, HWC_CORES_APART}, {{1.75, 3.33, 100}, HWC_CORE_SHARED}, {{2.5, 4.6, 100}, HWC_CORE_SHARED},
        {{2.5, 2.4, 100}, HWC_CORES_APART},   {{5, 10, 100}, HWC_CORE_SHARED},
        {{1, 1, 100}, HWC_CORE_UNSURE},    /* room for another thread */
        {{1, 2, 100}, HWC_CORE_SHARED},    /* and none all the same */
        {{1.67, 3.33, 3}, HWC_CORE_UNSURE}, {{1.67, 1.67, 0}, HWC_CORE_UNSURE}, {{0, 0, 100}, HWC_CORE_UNSURE},
        {{1.67, 2.3, 100}, HWC_CORE_UNSURE}, /* a third of the time */
    };

    (void)state;
    for (size_t i = 0; i < sizeof looks / sizeof looks[0]; i++)
        assert_int_equal(hwc_judge_core(&looks[i].beside), looks[i].answer);
    assert_true(isnan(hwc_core_share(&looks[7].beside)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_machine_is_found),
        cmocka_unit_test(many_cpus_take_few_questions),
        cmocka_unit_test(cores_may_have_different_numbers_of_threads),
        cmocka_unit_test(what_was_not_seen_is_not_known),
        cmocka_unit_test(both_sides_must_agree),
        cmocka_unit_test(what_contradicts_itself_is_not_known),
        cmocka_unit_test(a_failure_is_passed_on),
        cmocka_unit_test(a_look_is_judged),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
