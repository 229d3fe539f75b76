#include "operation_time.h"

#include <math.h>

/* N grows, then B (3.3). Whole rounds behind a label are also what compilers are quickest with. */
static const struct {
    unsigned variables, per_label;
} growth[HWC_GROWTH] = {{1, 1}, {4, 1}, {6, 6}, {12, 12}, {24, 24}};

void hwc_growing_nanos(const struct hwc_timed *timed, struct hwc_nano nanos[HWC_GROWTH])
{
    for (unsigned i = 0; i < HWC_GROWTH; i++)
        nanos[i] = hwc_nano_of(timed->operation, timed->type, growth[i].variables, growth[i].per_label);
}

/* More than the statement itself has, which may be a conversion? */
static bool is_spilled(const struct hwc_nano_code *code, const struct hwc_nano_code *one)
{
    return (uint64_t)code->spills * one->statements > (uint64_t)one->spills * code->statements;
}

int hwc_time_operation(struct hwc_machine *machine, struct hwc_timed *asked, struct hwc_error *error)
{
    const struct hwc_nano_code *one = machine->core->code(machine, asked->handle[0]);

    asked->throughput = INFINITY;
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
