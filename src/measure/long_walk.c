#include "long_walk.h"

#include "least.h"
#include "sampler.h"

static const struct {
    size_t very_long, part; /* references */
    unsigned most_passes;
    double alike;
} policy = {
    /* Where loads overlap, a pass over a few hundred thousand lines takes a millisecond or two. The mean of four parts is
     * within a percent of that of all, whichever of the references miss. */
    .very_long = 1 << 16,
    .part = 4096,
    .most_passes = 8,
    .alike = 0.005,
};

bool hwc_is_very_long(size_t lines)
{
    return lines > policy.very_long;
}

enum { QUARTERS = HWC_MAX_READINGS };

/* The beginning of each quarter, in cells of its own, and the rest. */
struct parts {
    struct hwc_walk begin[QUARTERS], rest[QUARTERS];
};

/* Some of a walk's references; they stay the walk's. */
static struct hwc_walk some_of(const struct hwc_walk *walk, size_t first, size_t end)
{
    struct hwc_walk some = *walk;

    some.offsets += first;
    some.count = some.capacity = end - first;
    hwc_walk_touch(&some);
    return some;
}

static int divide(const struct hwc_walk *walk, struct parts *parts, struct hwc_error *error)
{
    for (size_t i = 0; i < QUARTERS; i++) {
        size_t first = walk->count * i / QUARTERS, end = walk->count * (i + 1) / QUARTERS;
        struct hwc_walk begin = some_of(walk, first, first + policy.part);
        parts->rest[i] = some_of(walk, first + policy.part, end);
        parts->rest[i].independent = true; /* it is not timed */
        TRY(hwc_walk_beside(&parts->begin[i], &begin, error));
    }
    return HWC_OK;
}

static void plan_pass(const struct hwc_arena *arena, const struct parts *parts, struct hwc_experiment *pass)
{
    *pass = (struct hwc_experiment){.arena = arena, .event = HWC_NO_EVENT, .apart = true};
    for (unsigned i = 0; i < QUARTERS; i++) {
        pass->step[pass->steps++] = (struct hwc_step){HWC_MEASURE, &parts->begin[i], 1};
        pass->step[pass->steps++] = (struct hwc_step){HWC_RUN, &parts->rest[i], 1};
    }
}

static int time_passes(struct hwc_lab *lab, const struct hwc_experiment *pass, struct hwc_least *least,
                       struct hwc_error *error)
{
    struct hwc_sample sample;

    TRY(hwc_lab_sample(lab, pass, &sample, error)); /* warms */
    do {
        double cycles = 0;
        TRY(hwc_lab_sample(lab, pass, &sample, error));
        for (unsigned i = 0; i < sample.readings; i++)
            cycles += sample.reading[i].cycles;
        hwc_least_add(least, cycles);
    } while (lab->machine->interference && least->taken < policy.most_passes &&
             !hwc_least_settled(least, policy.alike * least->value));
    return HWC_OK;
}

int hwc_time_by_parts(struct hwc_lab *lab, const struct hwc_arena *arena, const struct hwc_walk *walk, double *cycles,
                      struct hwc_error *error)
{
    struct hwc_least least = {0};
    struct hwc_experiment pass;
    struct parts parts;
    int status;

    for (unsigned i = 0; i < QUARTERS; i++)
        hwc_walk_init(&parts.begin[i]);
    status = divide(walk, &parts, error);
    if (status == HWC_OK) {
        plan_pass(arena, &parts, &pass);
        status = time_passes(lab, &pass, &least, error);
    }
    for (unsigned i = 0; i < QUARTERS; i++)
        hwc_walk_free(&parts.begin[i]);
    *cycles = least.value * (double)walk->count / (double)(QUARTERS * policy.part);
    return status;
}
