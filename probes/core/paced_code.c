#include "paced_code.h"

#include <math.h>

/* So many readings of each; more where they do not agree. */
enum { FEW = 3, MANY = 8 };

struct readings {
    struct hwc_paced reading[MANY];
    size_t count;
    struct hwc_loop_size size;
};

/* INFINITY = it came to nothing. */
static int time_once(struct hwc_machine *machine, unsigned handle, double *cycles, struct hwc_error *error)
{
    int status = machine->core->time(machine, handle, cycles, error);

    if (!hwc_came_to_nothing(status))
        return status;
    *cycles = INFINITY;
    return HWC_OK;
}

static bool wants_more(const struct readings *of, size_t pass)
{
    return pass < FEW || of->count < FEW || !hwc_paces_agree(of->reading, of->count, of->size);
}

/* *fewest: the time of the fewest variables, from before; then from after it. */
static int pass_once(struct hwc_machine *machine, unsigned handle, const struct hwc_paced_code *code, size_t count,
                     size_t pass, struct readings *readings, double *fewest, struct hwc_error *error)
{
    double cycles[HWC_NEXT_VARIABLES], after;

    for (size_t i = 0; i < count; i++) {
        cycles[i] = INFINITY;
        if (wants_more(&readings[i], pass))
            TRY(time_once(machine, code[i].handle, &cycles[i], error));
    }
    TRY(time_once(machine, handle, &after, error));
    for (size_t i = 0; i < count; i++)
        if (isfinite(cycles[i]) && isfinite(fmin(*fewest, after)))
            readings[i].reading[readings[i].count++] = (struct hwc_paced){cycles[i], fmin(*fewest, after)};
    *fewest = after;
    return HWC_OK;
}

static bool any_wants_more(const struct readings *readings, size_t count, size_t pass)
{
    for (size_t i = 0; i < count; i++)
        if (wants_more(&readings[i], pass))
            return true;
    return false;
}

int hwc_time_paces(struct hwc_machine *machine, unsigned fewest, const struct hwc_paced_code *code, size_t count,
                   struct hwc_paces *paces, struct hwc_error *error)
{
    struct readings readings[HWC_NEXT_VARIABLES] = {0};
    double before;
    bool any = false;

    for (size_t i = 0; i < count; i++)
        readings[i].size = (struct hwc_loop_size){code[i].variables,
                                                  machine->core->code(machine, code[i].handle)->statements};
    TRY(time_once(machine, fewest, &before, error));
    for (size_t pass = 0; pass < MANY && any_wants_more(readings, count, pass); pass++)
        TRY(pass_once(machine, fewest, code, count, pass, readings, &before, error));
    for (size_t i = 0; i < count; i++) {
        const struct readings *of = &readings[i];
        any = any || of->count > 0;
        paces->of[code[i].variables] = of->count > 0 ? hwc_pace_of(of->reading, of->count, of->size) : HWC_PACE_UNSURE;
    }
    return any ? HWC_OK : error->status;
}
