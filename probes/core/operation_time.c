#include "operation_time.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* N grows, then B (3.3). Whole rounds behind a label are also what compilers are quickest with. */
static const struct {
    unsigned variables, per_label;
} growth[HWC_GROWTH] = {{1, 1}, {4, 1}, {6, 6}, {12, 12}, {24, 24}};

static const struct {
    double whole;
    unsigned again;
} policy = {.whole = 0.02, /* what readings on a core of one's own vary by */
            .again = 3};

/* More than the statement itself has, which may be a conversion? */
static bool is_spilled(const struct hwc_nano_code *code, const struct hwc_nano_code *one)
{
    return (uint64_t)code->spills * one->statements > (uint64_t)one->spills * code->statements;
}

/* One that is foreseen: then nothing waits for the operation. */
static bool is_jump(const struct hwc_nano_code *code)
{
    return code->jumps > 0 && code->jumps >= code->statements;
}

static int time_operation(struct hwc_machine *machine, struct hwc_timed *asked, struct hwc_error *error)
{
    const struct hwc_nano_code *one = machine->core->code(machine, asked->handle[0]);

    asked->throughput = INFINITY;
    if (is_jump(one)) {
        hwc_error_set(&asked->error, HWC_INCONCLUSIVE, "the compiler makes a jump of it, which is foreseen");
        return HWC_OK;
    }
    for (unsigned i = 0; i < HWC_GROWTH; i++) {
        const struct hwc_nano_code *code = machine->core->code(machine, asked->handle[i]);
        double cycles;
        int status;
        if (i > 0 && (!code->runs || is_spilled(code, one)))
            continue;
        status = machine->core->time(machine, asked->handle[i], &cycles, error);
        if (status != HWC_OK && !hwc_came_to_nothing(status))
            return status;
        if (status != HWC_OK && i == 0)
            asked->error = *error;
        if (status != HWC_OK)
            continue;
        if (i == 0) {
            asked->has_latency = true;
            asked->latency = cycles;
        }
        asked->has_throughput = asked->has_throughput || i > 0;
        asked->throughput = fmin(asked->throughput, cycles);
    }
    return HWC_OK;
}

/* Operations that wait for each other take whole cycles each. */
static bool is_whole(double cycles)
{
    return fabs(cycles - round(cycles)) <= policy.whole * cycles;
}

/* All readings of a latency may have been taken within one burst of another thread, which can only add to it. */
static int time_again(struct hwc_machine *machine, struct hwc_timed *timed, struct hwc_error *error)
{
    double cycles;
    int status = machine->core->time(machine, timed->handle[0], &cycles, error);

    if (status == HWC_OK)
        timed->latency = fmin(timed->latency, cycles);
    return hwc_came_to_nothing(status) ? HWC_OK : status;
}

static int time_broken_again(struct hwc_machine *machine, struct hwc_timed *timed, unsigned count,
                             struct hwc_error *error)
{
    for (unsigned i = 0; i < count; i++)
        if (timed[i].has_latency && !is_whole(timed[i].latency))
            TRY(time_again(machine, &timed[i], error));
    return HWC_OK;
}

static int prepare(struct hwc_machine *machine, struct hwc_timed *timed, unsigned count, struct hwc_nano *nanos,
                   unsigned *handles, struct hwc_error *error)
{
    for (unsigned i = 0; i < count * HWC_GROWTH; i++)
        nanos[i] = hwc_nano_of(timed[i / HWC_GROWTH].operation, timed[i / HWC_GROWTH].type,
                               growth[i % HWC_GROWTH].variables, growth[i % HWC_GROWTH].per_label);
    TRY(machine->core->prepare(machine, nanos, count * HWC_GROWTH, handles, error));
    for (unsigned i = 0; i < count; i++)
        memcpy(timed[i].handle, &handles[(size_t)i * HWC_GROWTH], sizeof timed[i].handle);
    return HWC_OK;
}

int hwc_time_operations(struct hwc_machine *machine, struct hwc_timed *timed, unsigned count, struct hwc_error *error)
{
    struct hwc_nano *nanos = calloc((size_t)count * HWC_GROWTH + 1, sizeof *nanos);
    unsigned *handles = calloc((size_t)count * HWC_GROWTH + 1, sizeof *handles);
    int status = nanos != NULL && handles != NULL ? prepare(machine, timed, count, nanos, handles, error)
                                                  : hwc_fail(error, HWC_NO_MEMORY, "no memory for nano-benchmarks");

    free(nanos);
    free(handles);
    for (unsigned i = 0; status == HWC_OK && i < count; i++)
        status = time_operation(machine, &timed[i], error);
    for (unsigned again = 0; status == HWC_OK && again < policy.again; again++)
        status = time_broken_again(machine, timed, count, error);
    return status;
}
