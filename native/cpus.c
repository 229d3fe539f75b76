/* What CPUs do at the same time: one measures, and a crew's members are at work on the others. */
#include <stdlib.h>

#include "cpu_file.h"
#include "kernels.h"
#include "native_machine.h"
#include "seconds.h"
#include "statistics.h"

enum { ROUNDS = 16, LOOKS = 12, BLOCKS = 16, TRIPS = 32, TRIES_PER_LOOK = 4096 };

/* Seconds that a thread of another CPU may take to begin, or to answer: whoever else is at work there has his turn. */
static const double patience = 0.05;

static unsigned count_cpus(struct hwc_machine *base)
{
    return native_count_others(&native_self(base)->placement) + 1;
}

static int number_of(struct hwc_machine *base, unsigned cpu)
{
    return native_allowed(&native_self(base)->placement, cpu);
}

static unsigned own_cpu(struct hwc_machine *base)
{
    unsigned cpu = 0;

    while (number_of(base, cpu) >= 0 && number_of(base, cpu) != native_self(base)->placement.cpu)
        cpu++;
    return cpu;
}

static int open_crew(struct native_machine *machine, struct hwc_error *error)
{
    int numbers[CPU_SETSIZE];
    unsigned count = count_cpus(&machine->base);

    for (unsigned i = 0; i < count; i++)
        numbers[i] = number_of(&machine->base, i);
    return native_crew_open(&machine->crew, numbers, count, error);
}

/* Threads on all CPUs, and this one there where it is to measure. */
static int muster(struct native_machine *machine, unsigned cpu, struct hwc_error *error)
{
    int number = number_of(&machine->base, cpu), fault;

    if (machine->crew.count == 0)
        TRY(open_crew(machine, error));
    fault = native_go_to(number);
    return fault == 0 ? HWC_OK : hwc_fail(error, HWC_UNAVAILABLE, "no thread can run on CPU %d", number);
}

/* What the others had done at some time. */
struct progress {
    uint32_t turns[CPU_SETSIZE];
};

static void look_around(const struct native_crew *crew, const bool *others, struct progress *progress)
{
    for (unsigned i = 0; i < crew->count; i++)
        if (others[i])
            progress->turns[i] = native_member_turns(crew, i);
}

static bool all_ran(const struct native_crew *crew, const bool *others, const struct progress *before)
{
    for (unsigned i = 0; i < crew->count; i++)
        if (others[i] && native_member_turns(crew, i) == before->turns[i])
            return false;
    return true;
}

/* Give an order and wait until all follow it. */
static bool begin(struct native_crew *crew, const bool *others, enum native_task task)
{
    double until = hwc_seconds(CLOCK_MONOTONIC) + patience;
    const struct progress none = {{0}};
    bool follow = false;

    native_crew_order(crew, others, task);
    while (!follow && hwc_seconds(CLOCK_MONOTONIC) < until)
        follow = all_ran(crew, others, &none);
    return follow;
}

static uint64_t ticks_of(void (*work)(uint64_t), uint64_t count)
{
    uint64_t begun = native_ticks();

    work(count);
    return native_ticks() - begun;
}

/* Ten chains in one, while all the others were at work. */
struct looks {
    double value[ROUNDS * LOOKS];
    unsigned count;
};

static void look(const struct native_machine *machine, const bool *others, struct looks *looks)
{
    uint64_t additions = machine->clock.pulse_additions;

    for (int i = 0; i < LOOKS; i++) {
        struct progress before;
        uint64_t chain, chains;
        look_around(&machine->crew, others, &before);
        chain = ticks_of(native_add_chain, additions);
        chains = ticks_of(native_fill_core, additions);
        if (chain > 0 && all_ran(&machine->crew, others, &before))
            looks->value[looks->count++] = (double)chains / (double)chain;
    }
}

/* In turn, so that whatever comes and goes meets both. */
static int look_at_both(struct native_machine *machine, const bool *others, struct looks *rest, struct looks *busy,
                        struct hwc_error *error)
{
    for (int round = 0; round < ROUNDS; round++) {
        if (hwc_must_stop(&machine->base))
            return hwc_fail(error, HWC_INTERRUPTED, "interrupted");
        if (!begin(&machine->crew, others, NATIVE_REST))
            break;
        look(machine, others, rest);
        if (!begin(&machine->crew, others, NATIVE_FILL))
            break;
        look(machine, others, busy);
    }
    return HWC_OK;
}

static int beside(struct hwc_machine *base, unsigned cpu, const bool *others, struct hwc_abreast *result,
                  struct hwc_error *error)
{
    struct native_machine *machine = native_self(base);
    struct looks rest = {.count = 0}, busy = {.count = 0};
    int status;

    *result = (struct hwc_abreast){0};
    TRY(muster(machine, cpu, error));
    status = look_at_both(machine, others, &rest, &busy, error);
    native_crew_order(&machine->crew, NULL, NATIVE_SLEEP);
    if (status != HWC_OK || rest.count == 0 || busy.count == 0)
        return status;
    *result = (struct hwc_abreast){.rest = hwc_median(rest.value, rest.count),
                                  .busy = hwc_median(busy.value, busy.count),
                                  .looks = rest.count < busy.count ? rest.count : busy.count};
    return HWC_OK;
}

/* Take the ball when the other CPU has returned it. */
static bool take(_Atomic uint64_t *ball, uint64_t *value)
{
    double until = 0;

    for (uint64_t tries = 1; !native_take_ball(ball, *value); tries++) {
        if (tries % TRIES_PER_LOOK != 0)
            continue;
        if (until == 0)
            until = hwc_seconds(CLOCK_MONOTONIC) + patience;
        else if (hwc_seconds(CLOCK_MONOTONIC) > until)
            return false;
    }
    *value += 2;
    return true;
}

/* Nanoseconds from one CPU to the other: half of a round trip. */
static bool time_block(const struct native_machine *machine, uint64_t *value, double *ns)
{
    _Atomic uint64_t *ball = &machine->crew.ball->value;
    bool answers = take(ball, value);
    uint64_t begun = native_ticks();

    for (int trip = 0; trip < TRIPS && answers; trip++)
        answers = take(ball, value);
    *ns = (double)(native_ticks() - begun) / machine->clock.ticks_per_ns / (2 * TRIPS);
    return answers;
}

static int time_blocks(struct native_machine *machine, const bool *others, double ns[BLOCKS], struct hwc_error *error)
{
    uint64_t value = 0;
    bool answers;

    atomic_store(&machine->crew.ball->value, value);
    answers = begin(&machine->crew, others, NATIVE_BOUNCE);
    for (int i = 0; i < BLOCKS && answers; i++) {
        if (hwc_must_stop(&machine->base))
            return hwc_fail(error, HWC_INTERRUPTED, "interrupted");
        answers = time_block(machine, &value, &ns[i]);
    }
    return answers ? HWC_OK : hwc_fail(error, HWC_INCONCLUSIVE, "the other CPU did not answer in time");
}

static int bounce(struct hwc_machine *base, unsigned cpu, unsigned other, struct hwc_bounce *result,
                  struct hwc_error *error)
{
    struct native_machine *machine = native_self(base);
    bool others[CPU_SETSIZE] = {false};
    double ns[BLOCKS] = {0};
    int status;

    others[other] = true;
    TRY(muster(machine, cpu, error));
    status = time_blocks(machine, others, ns, error);
    native_crew_order(&machine->crew, NULL, NATIVE_SLEEP);
    TRY(status);
    result->median = hwc_median(ns, BLOCKS);
    result->least = ns[0]; /* the median sorted them */
    return HWC_OK;
}

static int documented_core(struct hwc_machine *base, unsigned cpu)
{
    static const char *const names[] = {"topology/core_cpus_list", "topology/thread_siblings_list"};
    char text[512];

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (native_read_cpu_file(number_of(base, cpu), names[i], text, sizeof text) && text[0] >= '0' && text[0] <= '9')
            return (int)strtol(text, NULL, 10);
    return -1;
}

static void leave(struct hwc_machine *base)
{
    struct native_machine *machine = native_self(base);

    native_crew_close(&machine->crew);
    native_repin(&machine->placement);
}

const struct hwc_cpus native_cpus = {
    .count = count_cpus,
    .own = own_cpu,
    .number = number_of,
    .beside = beside,
    .bounce = bounce,
    .documented_core = documented_core,
    .leave = leave,
};
