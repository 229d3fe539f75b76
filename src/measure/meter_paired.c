/* Paired time: a pass over the lines, compared with one over the same pages that
 * stays in the first level.
 *
 * The time of a walk changes from one millisecond to the next, with the core's
 * frequency and with what a sibling thread does; so it is compared with a control
 * that is timed in the same sample. The control visits the walk's pages, one line
 * or a few in each, spread over the sets of the first level: it needs the same
 * translations and always hits. The difference is misses. */
#include <stdlib.h>

#include "meter.h"
#include "sampler.h"
#include "statistics.h"

enum { MOST_READINGS = 512 };

static const struct {
    uint32_t warm_passes;
    size_t references;
    size_t lines;
    uint64_t spacing, block; /* bytes */
    int settling;
    unsigned readings;
    double above_if_more;
} policy = {
    .warm_passes = 4,
    .references = 512, /* in a reading */
    /* So few lines of the control, in different sets, stay in any first level; with fewer, a core might forward one
     * load's value to the next. */
    .lines = 8,
    /* The spacing is a line and a cell, so that the control's lines are spread over sets, and no two of its cells
     * coincide. The control uses the middle of every block: its lines share no set with those at the walk's place,
     * whatever the period, from a block upwards. */
    .spacing = 72,
    .block = 512,
    .settling = 3, /* the first samples, which are discarded */
    .readings = 6, /* for each sample that AMP would take */
    /* Others only add to the time of a pass, in bursts of some milliseconds. Lines that conflict miss in every pass:
     * if more than a quarter of the readings show no miss, there is none. */
    .above_if_more = 0.75,
};

static int by_page(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

    return (a > b) - (a < b);
}

/* Replace the walk's cells by the pages they lie in, each once; returns how many there are. */
static size_t keep_pages(struct hwc_walk *walk, uint64_t page)
{
    size_t kept = 0;

    for (size_t i = 0; i < walk->count; i++)
        walk->offsets[i] -= walk->offsets[i] % page;
    qsort(walk->offsets, walk->count, sizeof *walk->offsets, by_page);
    for (size_t i = 0; i < walk->count; i++)
        if (i == 0 || walk->offsets[i] != walk->offsets[kept - 1])
            walk->offsets[kept++] = walk->offsets[i];
    return kept;
}

static int lay_out_control(struct hwc_meter *meter, struct hwc_error *error)
{
    struct hwc_walk *control = &meter->control;
    uint64_t page = meter->lab->machine->page_bytes, place = meter->walk.offsets[0] % page;
    size_t pages, each;

    hwc_walk_clear(control);
    for (size_t i = 0; i < meter->walk.count; i++)
        TRY(hwc_walk_append(control, meter->walk.offsets[i], error));
    pages = keep_pages(control, page);
    each = pages > 0 && pages < policy.lines ? policy.lines / pages : 1;
    control->count = pages;
    for (size_t i = pages; i < each * pages; i++)
        TRY(hwc_walk_append(control, control->offsets[i % pages], error));
    for (size_t i = 0; i < control->count; i++)
        control->offsets[i] += (place + policy.block / 4 + i * policy.spacing % (policy.block / 2) +
                                i * policy.block) / HWC_CELL_BYTES * HWC_CELL_BYTES % page;
    hwc_walk_shuffle(control, &meter->lab->random);
    return HWC_OK;
}

static uint32_t passes_of(const struct hwc_walk *walk)
{
    size_t passes = policy.references / walk->count;

    return passes < 2 ? 2 : passes > 64 ? 64 : (uint32_t)passes;
}

/* Passes of the control with as many references: starting and reading the clock then costs both the same. */
static uint32_t control_passes(const struct hwc_meter *meter, uint32_t walk_passes)
{
    size_t references = walk_passes * meter->walk.count, each = meter->control.count;

    return (uint32_t)((references + each - 1) / each);
}

struct pair {
    struct hwc_meter *meter;
    size_t lines; /* at the beginning of the meter's walk; the rest are evictors */
    struct hwc_experiment experiment;
    uint32_t walk_passes, control_passes;
    double threshold;
    double misses[MOST_READINGS];
    unsigned readings;
};

/* *above: does a pass of the walk exceed as many references of the control by more misses than the threshold? */
static int draw(void *context, double *above, bool *disturbed, struct hwc_error *error)
{
    struct pair *pair = context;
    const struct hwc_meter *meter = pair->meter;
    const struct hwc_witness *witness = meter->witness;
    double share = (double)meter->walk.count / (double)meter->control.count;
    struct hwc_sample sample;
    double misses;

    /* A new order each time: under tree policies, lines that fit settle in some orders, but not in every one. */
    hwc_random_shuffle(&meter->lab->random, pair->meter->walk.offsets, pair->lines);
    hwc_walk_touch(&pair->meter->walk);
    TRY(hwc_lab_sample(meter->lab, &pair->experiment, &sample, error));
    *disturbed = sample.disturbed;
    misses = (sample.reading[1].cycles / pair->walk_passes - share * sample.reading[0].cycles / pair->control_passes) /
             (witness->miss_cycles - witness->hit_cycles);
    *above = misses > pair->threshold;
    if (!sample.disturbed && pair->readings < MOST_READINGS)
        pair->misses[pair->readings++] = misses;
    return HWC_OK;
}

static int ask(struct hwc_meter *meter, const struct hwc_question *question, struct hwc_estimate *estimate,
               enum hwc_side *side, struct hwc_error *error)
{
    struct pair pair = {.meter = meter, .lines = question->count, .threshold = question->threshold};
    double ignored;
    bool disturbed;
    const struct hwc_sequential_test test = {
        .threshold = policy.above_if_more, .unit = 1, .most = policy.readings * question->samples};

    TRY(hwc_meter_lay_out(meter, question, question->count, error));
    TRY(lay_out_control(meter, error));
    pair.walk_passes = passes_of(&meter->walk);
    pair.control_passes = control_passes(meter, pair.walk_passes);
    pair.experiment = (struct hwc_experiment){.arena = question->arena,
                                              .event = HWC_NO_EVENT,
                                              .steps = 4,
                                              .step = {{HWC_RUN, &meter->control, policy.warm_passes},
                                                       {HWC_MEASURE, &meter->control, pair.control_passes},
                                                       {HWC_RUN, &meter->walk, policy.warm_passes},
                                                       {HWC_MEASURE, &meter->walk, pair.walk_passes}}};
    for (int i = 0; i < policy.settling; i++)
        TRY(draw(&pair, &ignored, &disturbed, error));
    pair.readings = 0;
    TRY(hwc_test_sequentially(&test, draw, &pair, estimate, side, error));
    estimate->value = pair.readings > 0 ? hwc_median(pair.misses, pair.readings) : 0;
    return HWC_OK;
}

const struct hwc_meter_ops hwc_meter_paired = {.name = "paired time", .ask = ask};
