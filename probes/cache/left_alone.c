#include "left_alone.h"

#include "sampler.h"
#include "statistics.h"

enum { SAMPLES = 63 };

static const struct {
    uint32_t passes, loads_meanwhile;
    double lost; /* misses */
} policy = {.passes = 8, .loads_meanwhile = 2000, .lost = 1};

struct walks {
    struct hwc_walk set, elsewhere;
};

/* A line of another set, half-way to the next line. */
static int lay_out(struct walks *walks, uint64_t first, uint64_t stride, size_t lines, struct hwc_error *error)
{
    for (size_t i = 0; i < lines; i++)
        TRY(hwc_walk_append(&walks->set, first + i * stride, error));
    return hwc_walk_append(&walks->elsewhere, first + stride / 2, error);
}

/* What the first visits take longer than the next ones. Most samples: an interrupt puts lines out, too. */
static int read_lost(struct hwc_lab *lab, const struct hwc_experiment *experiment, double *cycles,
                     struct hwc_error *error)
{
    double more[SAMPLES];

    for (int i = 0; i < SAMPLES; i++) {
        struct hwc_sample sample;
        TRY(hwc_lab_sample(lab, experiment, &sample, error));
        more[i] = sample.reading[0].cycles - sample.reading[1].cycles;
    }
    *cycles = hwc_mean_near_median(more, SAMPLES, lab->machine->step_cycles + lab->witness[1].miss_cycles);
    return HWC_OK;
}

int hwc_ask_whether_lines_stay(struct hwc_lab *lab, const struct hwc_arena *arena, uint64_t first, uint64_t stride,
                               size_t lines, bool *stay, struct hwc_error *error)
{
    const struct hwc_witness *witness = &lab->witness[1];
    struct walks walks;
    const struct hwc_experiment experiment = {.arena = arena,
                                              .event = HWC_NO_EVENT,
                                              .apart = true,
                                              .steps = 4,
                                              .step = {{HWC_RUN, &walks.set, policy.passes},
                                                       {HWC_RUN, &walks.elsewhere, policy.loads_meanwhile},
                                                       {HWC_MEASURE, &walks.set, 1},
                                                       {HWC_MEASURE, &walks.set, 1}}};
    double cycles = 0;
    int status;

    hwc_walk_init(&walks.set);
    hwc_walk_init(&walks.elsewhere);
    status = lay_out(&walks, first, stride, lines, error);
    if (status == HWC_OK)
        status = read_lost(lab, &experiment, &cycles, error);
    *stay = cycles < policy.lost * hwc_added_by_miss(witness);
    hwc_walk_free(&walks.set);
    hwc_walk_free(&walks.elsewhere);
    return status;
}
