/* The eviction test: touch a line, go through the others, and time the line once
 * more (Liu et al., S&P 2015; Vila et al., S&P 2019).
 *
 * The others are not timed: the core overlaps their loads, and one miss among
 * thousands of references stands out. The line's translation is no part of it:
 * another line of its page is visited just before. What reading the clock takes
 * is no part of it either: a second reading finds the line in the first level.
 *
 * What can fool it: a policy that keeps the one line for longer than the
 * others'; so these are gone through several times. */
#include <math.h>

#include "meter.h"
#include "sampler.h"

static const struct {
    uint32_t passes;
    double evicted;
    unsigned readings;
    uint64_t mate_cell; /* bytes */
    double readings_to_average;
    double farther; /* misses */
} policy = {
    /* One line more than fits is evicted in each pass under LRU. A random policy of many ways misses about 0.12 (ways
     * + 1) times in a pass, and each miss evicts one of so many: eight passes evict it in six cases of ten. Half of
     * that is the threshold. */
    .passes = 8,
    .evicted = 0.3,
    .readings = 12, /* for each sample that AMP would take */
    .mate_cell = 56, /* another cell of another line of the page */
    /* What a reading of the first level takes is the same for all lines: the mean of many. */
    .readings_to_average = 512,
    /* A line that a farther level serves, or an interrupt: no hit of this level, and no miss that the next one
     * serves. So it is until lines that came anew have settled in the levels below. */
    .farther = 2,
};

static double mean_of_first(struct hwc_lab *lab, double reading)
{
    struct hwc_mean *mean = &lab->first_again;

    mean->readings = fmin(mean->readings + 1, policy.readings_to_average);
    mean->value += (reading - mean->value) / mean->readings;
    return mean->value;
}

struct eviction {
    struct hwc_meter *meter;
    struct hwc_experiment experiment;
    size_t others; /* lines at the beginning of the meter's walk; the rest are evictors */
};

static int draw(void *context, double *misses, bool *disturbed, struct hwc_error *error)
{
    const struct eviction *eviction = context;
    struct hwc_lab *lab = eviction->meter->lab;
    const struct hwc_witness *witness = eviction->meter->witness;
    struct hwc_sample sample;
    double excess;

    /* Another order for each reading: what a policy makes of one it may not make of the next. */
    hwc_random_shuffle(&lab->random, eviction->meter->walk.offsets, eviction->others);
    hwc_walk_touch(&eviction->meter->walk);
    TRY(hwc_lab_sample(lab, &eviction->experiment, &sample, error));
    excess = sample.reading[0].cycles - mean_of_first(lab, sample.reading[1].cycles) + lab->witness[1].hit_cycles -
             witness->hit_cycles;
    *misses = excess / (witness->miss_cycles - witness->hit_cycles);
    *disturbed = sample.disturbed || fabs(*misses) > policy.farther;
    return HWC_OK;
}

/* Once, unread: the question before may have left the line elsewhere. */
static int settle(const struct eviction *eviction, struct hwc_error *error)
{
    struct hwc_sample ignored;

    return hwc_lab_sample(eviction->meter->lab, &eviction->experiment, &ignored, error);
}

static int test(struct hwc_meter *meter, const struct hwc_question *question, const struct hwc_walk *line,
                const struct hwc_walk *mate, struct hwc_estimate *estimate, enum hwc_side *side,
                struct hwc_error *error)
{
    const struct hwc_sequential_test one_miss = {
        .threshold = policy.evicted,
        .unit = 1,
        .resolution = meter->lab->machine->step_cycles / (meter->witness->miss_cycles - meter->witness->hit_cycles),
        .most = policy.readings * question->samples};
    struct eviction eviction = {.meter = meter,
                                .others = question->count - 1,
                                .experiment = {.arena = question->arena,
                                               .event = HWC_NO_EVENT,
                                               .apart = true,
                                               .steps = 5,
                                               .step = {{HWC_RUN, line, 1},
                                                        {HWC_RUN, &meter->walk, policy.passes},
                                                        {HWC_RUN, mate, 1},
                                                        {HWC_MEASURE, line, 1},
                                                        {HWC_MEASURE, line, 1}}}};

    TRY(settle(&eviction, error));
    return hwc_test_sequentially(&one_miss, draw, &eviction, estimate, side, error);
}

static int lay_out(struct hwc_meter *meter, const struct hwc_question *question, struct hwc_walk *line,
                   struct hwc_walk *mate, struct hwc_error *error)
{
    uint64_t last = question->lines[question->count - 1];

    TRY(hwc_meter_lay_out(meter, question, question->count - 1, error));
    TRY(hwc_walk_append(line, last, error));
    return hwc_walk_append(mate, (last ^ meter->lab->machine->page_bytes / 2) + policy.mate_cell, error);
}

static int ask(struct hwc_meter *meter, const struct hwc_question *question, struct hwc_estimate *estimate,
               enum hwc_side *side, struct hwc_error *error)
{
    struct hwc_walk line, mate;
    int status;

    hwc_walk_init(&line);
    hwc_walk_init(&mate);
    meter->walk.strands = true; /* it is not timed */
    status = lay_out(meter, question, &line, &mate, error);
    *estimate = (struct hwc_estimate){0};
    *side = HWC_BELOW; /* where there are no others */
    if (status == HWC_OK && meter->walk.count > 0)
        status = test(meter, question, &line, &mate, estimate, side, error);
    hwc_walk_free(&line);
    hwc_walk_free(&mate);
    return status;
}

const struct hwc_meter_ops hwc_meter_eviction = {.name = "eviction", .of_last = true, .ask = ask};
