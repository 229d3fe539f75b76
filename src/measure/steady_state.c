#include "steady_state.h"

#include <math.h>

#include "least.h"

int hwc_weigh_least(struct hwc_lab *lab, const struct hwc_witness *witness, const struct hwc_experiment *experiment,
                    unsigned samples, double *least, struct hwc_error *error)
{
    struct hwc_least weighed = {0};

    for (unsigned i = 0; i < samples; i++) {
        struct hwc_sample sample;
        TRY(hwc_lab_sample(lab, experiment, &sample, error));
        hwc_least_add(&weighed, hwc_weigh_reading(witness, &sample.reading[0]));
    }
    *least = weighed.value;
    return HWC_OK;
}

static const struct {
    uint64_t references, when_disturbed;
    uint64_t warm_references;
    uint32_t least_warm_passes, most_warm_passes;
} policy = {
    /* Long enough for the clock to resolve, and for half a miss per pass to be a whole count; short enough to fit
     * between two timer ticks. Longer where the number of lines that starting a counter evicts varies by a dozen. */
    .references = 1024,
    .when_disturbed = 8192,
    .warm_references = 2048,
    .least_warm_passes = 3,
    .most_warm_passes = 12,
};

static uint32_t clamp_passes(uint64_t references, size_t per_pass, uint32_t low, uint32_t high)
{
    uint64_t passes = (references + per_pass - 1) / per_pass;

    return passes < low ? low : passes > high ? high : (uint32_t)passes;
}

/* The minima are final when another sample agrees with them: a count but for
 * `alike`, a time (of at least three) to within a tenth of a percent. If one sample
 * is asked for, it is enough to show misses, but not to show that there are
 * none. Otherwise samples are taken up to the set number, and up to three times
 * as many while no count repeats or times differ by more than 2 %. */
static bool settled(const struct hwc_least least[2], unsigned wanted, bool exact, double alike)
{
    unsigned taken = least[0].taken;
    double spread = 0;

    if (taken < 2)
        return exact && wanted == 1 && least[1].value > least[0].value;
    for (int i = 0; i < 2; i++) {
        double relative = least[i].value > 0 ? least[i].second / least[i].value - 1 : 0;
        spread = fmax(spread, !exact ? relative : hwc_least_settled(&least[i], alike) ? 0 : 1);
    }
    if (exact ? spread == 0 : taken >= 3 && spread <= 0.001)
        return true;
    if (taken < wanted)
        return false;
    return spread <= 0.02 || taken >= 3 * wanted;
}

int hwc_leave_nothing(struct hwc_lab *lab, const struct hwc_arena *arena, const struct hwc_walk *walk,
                      struct hwc_error *error)
{
    struct hwc_experiment clean = {.arena = arena, .event = HWC_NO_EVENT, .steps = 1, .step = {{HWC_FLUSH, walk, 1}}};
    struct hwc_sample ignored;

    return lab->machine->flushes ? lab->machine->ops->play(lab->machine, &clean, &ignored, error) : HWC_OK;
}

int hwc_measure_steady(struct hwc_lab *lab, const struct hwc_arena *arena, const struct hwc_walk *walk,
                       enum hwc_event event, unsigned samples, struct hwc_steady *steady, struct hwc_error *error)
{
    if (walk->count == 0)
        return hwc_fail(error, HWC_UNAVAILABLE, "a walk of no references");

    uint32_t warm = clamp_passes(policy.warm_references, walk->count, policy.least_warm_passes,
                                 policy.most_warm_passes);
    bool disturbed = event != HWC_NO_EVENT && lab->machine->counting_disturbs;
    uint32_t passes = clamp_passes(disturbed ? policy.when_disturbed : policy.references, walk->count,
                                   disturbed ? 2 : 1, 256);
    uint32_t rewarm = warm > 2 ? 2 : warm;
    struct hwc_experiment experiment = {
        .arena = arena,
        .event = event,
        .steps = 4,
        /* Reading a counter may evict the walk (PAPI's and callgrind's reading do), so each measurement starts warm. */
        .step = {{HWC_RUN, walk, warm},
                 {HWC_MEASURE, walk, passes},
                 {HWC_RUN, walk, rewarm},
                 {HWC_MEASURE, walk, 2 * passes}},
    };
    struct hwc_least count[2] = {0}, cycles[2] = {0};
    bool counted = event != HWC_NO_EVENT;
    /* Hardware counts some more or less each time: so close, both leave their difference far below a miss a pass. */
    const double alike = 0.125 * passes;

    for (;;) {
        struct hwc_sample sample;
        TRY(hwc_lab_sample(lab, &experiment, &sample, error));
        for (int i = 0; i < 2; i++) {
            hwc_least_add(&count[i], sample.reading[i].count);
            hwc_least_add(&cycles[i], sample.reading[i].cycles);
            counted = counted && sample.reading[i].counted;
        }
        if (settled(counted ? count : cycles, samples, counted, alike))
            break;
        experiment.step[0].passes = rewarm; /* still warm from the sample before */
    }
    TRY(hwc_leave_nothing(lab, arena, walk, error));
    *steady = (struct hwc_steady){
        .cycles = (cycles[1].value - cycles[0].value) / passes,
        .misses = counted ? fmax(0, (count[1].value - count[0].value) / passes) : 0,
        .counted = counted,
    };
    return HWC_OK;
}

int hwc_measure_by(struct hwc_lab *lab, const struct hwc_witness *witness, const struct hwc_arena *arena,
                   const struct hwc_walk *walk, unsigned samples, double *result, struct hwc_error *error)
{
    bool counter = witness->kind == HWC_COUNTER;
    struct hwc_steady steady = {0};
    int status =
        hwc_measure_steady(lab, arena, walk, counter ? witness->event : HWC_NO_EVENT, samples, &steady, error);

    if (status == HWC_OK && counter && !steady.counted)
        return hwc_fail(error, HWC_UNAVAILABLE, "%s stopped counting", witness->counter);
    *result = counter ? steady.misses / witness->factor : steady.cycles;
    return status;
}
