#include "eviction_reading.h"

#include <math.h>

#include "line_placement.h"
#include "sampler.h"

static const struct {
    double steps; /* of the clock */
    double coarse;
    double readings_to_average, odd_in_a_row;
    double farther; /* times the cost of a miss, by the witness */
} policy = {
    .steps = HWC_EVICTION_STEPS,
    /* Each sample's own reading of the first level is subtracted from it, unless the clock's step exceeds this share
     * of a miss: then the mean reading is, since a second step would double the noise. */
    .coarse = 0.25,
    .readings_to_average = 2048,
    .odd_in_a_row = 8,
    /* A reading further than this from a hit is neither a hit of this level nor a miss that the next one serves, but
     * an interrupt or a line from a farther level. The latter is common until new lines have settled in the levels
     * below. */
    .farther = 2,
};

/* *odd: the reading is far from the mean, so that something disturbed the whole sample. After several odd readings in
 * a row the mean itself is taken to be wrong, and starts anew. */
static double mean_of_first(struct hwc_lab *lab, double reading, double reach, bool *odd)
{
    struct hwc_mean *mean = &lab->first_again;

    *odd = mean->readings > 0 && fabs(reading - mean->value) > reach;
    mean->odd = *odd ? mean->odd + 1 : 0;
    if (mean->odd >= policy.odd_in_a_row)
        mean->readings = mean->odd = 0;
    if (!*odd) {
        mean->readings = fmin(mean->readings + 1, policy.readings_to_average);
        mean->value += (reading - mean->value) / mean->readings;
    }
    return mean->value;
}

double hwc_eviction_reach(const struct hwc_eviction *eviction)
{
    const struct hwc_lab *lab = eviction->meter->lab;

    return policy.steps * lab->machine->step_cycles + eviction->meter->witness->hit_cycles;
}

bool hwc_is_coarse_for(const struct hwc_meter *meter)
{
    return meter->lab->machine->step_cycles > policy.coarse * hwc_added_by_miss(meter->witness);
}

/* Does no level that counts here take so long? */
static bool is_too_far(const struct hwc_meter *meter, double cycles)
{
    const struct hwc_witness *witness = meter->witness;
    double steps = policy.steps * meter->lab->machine->step_cycles;

    return !meter->any_farther &&
           fabs(cycles - witness->hit_cycles) > policy.farther * hwc_added_by_miss(witness) + steps;
}

/* A new order for each reading: a policy may keep the line in one order and evict it in the next. Whichever others are
 * played, it is one walk that plays them: its list lies in the caches, too, and for all of them in the same sets. */
static int lay_out(const struct hwc_eviction *eviction, struct hwc_error *error)
{
    struct hwc_walk *walk = &eviction->meter->walk;
    struct hwc_random *random = &eviction->meter->lab->random;
    const uint64_t *others = eviction->others->offsets;
    size_t closing = eviction->closing, before = eviction->others->count - closing;

    hwc_walk_clear(walk);
    TRY(hwc_walk_append_all(walk, others + closing, before, error));
    hwc_walk_reorder(walk, 0, eviction->reordered, random);
    TRY(hwc_walk_append_all(walk, others, closing, error));
    hwc_walk_reorder(walk, before, closing, random);
    return HWC_OK;
}

static int play(const struct hwc_eviction *eviction, struct hwc_sample *sample, struct hwc_error *error)
{
    struct hwc_lab *lab = eviction->meter->lab;

    TRY(lay_out(eviction, error));
    TRY(hwc_draw_mate(lab, eviction->walks->line.offsets[0], &eviction->walks->mate, error));
    return hwc_lab_sample(lab, &eviction->experiment, sample, error);
}

int hwc_eviction_read(const struct hwc_eviction *eviction, bool own, double *cycles, bool *disturbed,
                      struct hwc_error *error)
{
    struct hwc_lab *lab = eviction->meter->lab;
    struct hwc_sample sample;
    double first;
    bool odd;

    TRY(play(eviction, &sample, error));
    first = mean_of_first(lab, sample.reading[1].cycles, hwc_eviction_reach(eviction), &odd);
    if (own || !hwc_is_coarse_for(eviction->meter))
        first = sample.reading[1].cycles;
    *cycles = sample.reading[0].cycles - first + lab->witness[1].hit_cycles;
    *disturbed = sample.disturbed || odd || is_too_far(eviction->meter, *cycles);
    return HWC_OK;
}

int hwc_eviction_draw(void *context, double *misses, bool *disturbed, struct hwc_error *error)
{
    const struct hwc_eviction *eviction = context;
    const struct hwc_meter *meter = eviction->meter;
    double cycles = 0;

    TRY(hwc_eviction_read(eviction, false, &cycles, disturbed, error));
    *misses = (cycles - meter->hit_cycles) / (meter->miss_cycles - meter->hit_cycles);
    return HWC_OK;
}

static void script(struct hwc_eviction *eviction, const struct hwc_question *question)
{
    const struct hwc_eviction_walks *walks = eviction->walks;

    eviction->closing = question->closing;
    eviction->reordered = question->count - 1 - question->closing;
    eviction->experiment = (struct hwc_experiment){.arena = question->arena,
                                                   .event = HWC_NO_EVENT,
                                                   .apart = true,
                                                   .steps = 5,
                                                   .step = {{HWC_RUN, &walks->line, 1},
                                                            {HWC_RUN, &eviction->meter->walk, eviction->meter->passes},
                                                            {HWC_RUN, &walks->mate, 1},
                                                            {HWC_MEASURE, &walks->line, 1},
                                                            {HWC_MEASURE, &walks->line, 1}}};
}

int hwc_eviction_settle(const struct hwc_eviction *eviction, uint32_t plays, struct hwc_error *error)
{
    struct hwc_sample ignored;

    for (uint32_t i = 0; i < plays; i++)
        TRY(play(eviction, &ignored, error));
    return HWC_OK;
}

int hwc_eviction_set_up(struct hwc_eviction *eviction, const struct hwc_question *question, struct hwc_walk *others,
                        struct hwc_error *error)
{
    TRY(hwc_meter_lay_out(others, question, question->count - 1, error));
    eviction->others = others;
    eviction->meter->walk.independent = true; /* they are not timed */
    if (others->count == 0)
        return HWC_OK;
    script(eviction, question);
    return hwc_eviction_settle(eviction, 1, error);
}
