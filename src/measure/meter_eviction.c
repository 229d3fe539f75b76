/* The eviction test: touch a line, visit the others, and time the line once more
 * (Liu et al., S&P 2015; Vila et al., S&P 2019).
 *
 * The others are not timed: the core overlaps their loads, and one miss after
 * thousands of references stands out. The time of translation is excluded:
 * another line of the page is visited just before. So is the time of reading the
 * clock: a second reading at once finds the line in the first level, and
 * whatever slows the core for a while slows both.
 *
 * A policy that keeps this line longer than the others could fool the test; so
 * the others are visited several times. */
#include <math.h>
#include <string.h>

#include "line_placement.h"
#include "meter.h"
#include "sampler.h"
#include "statistics.h"

enum { LEAST_READINGS = 64, MOST_READINGS = 1024 }; /* for the mean time of a line */

/* HWC_PASSES: if one line more than fits is visited, each pass evicts the line under LRU. A random policy of many ways
 * misses about 0.12 (ways + 1) times a pass, and each miss evicts one of the ways: eight passes evict the line in six
 * cases of ten. Half of that is the threshold, HWC_PUT_OUT. */
static const struct {
    unsigned readings;
    double steps; /* of the clock */
    double coarse;
    double readings_to_average, precision, odd_in_a_row;
    double farther;     /* times the cost of a miss, by the witness */
    double late;        /* misses */
    double late_hits;   /* a share of readings */
} policy = {
    .readings = 12, /* for each sample that AMP would take; more where the clock's step hides a miss */
    .steps = 2, /* two readings of the same time may differ by more than one */
    /* Each sample's own reading of the first level is subtracted from it, unless the clock's step exceeds this share
     * of a miss: then the mean reading is, since a second step would double the noise. */
    .coarse = 0.25,
    .readings_to_average = 2048,
    /* The mean time of a line is read until its standard error is this share of it. */
    .precision = 0.05,
    .odd_in_a_row = 8,
    /* A reading further than this from a hit is neither a hit of this level nor a miss that the next one serves, but
     * an interrupt or a line from a farther level. The latter is common until new lines have settled in the levels
     * below. */
    .farther = 2,
    .late = 0.5, /* a reading that is nearer to a miss than to a hit */
    /* Where the clock's step exceeds a miss, hits read as one step or the next. Then the least limit is taken that no
     * more than this share of hits exceed; one that lies further off than two steps would be that of disturbances. */
    .late_hits = 0.1,
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

struct eviction {
    struct hwc_meter *meter;
    struct hwc_experiment experiment;
    size_t others; /* lines at the beginning of the meter's walk; the rest are evictors */
};

/* How far readings of the same time may differ: the clock's steps, plus a hit of this level. */
static double reach_of(const struct eviction *eviction)
{
    const struct hwc_lab *lab = eviction->meter->lab;

    return policy.steps * lab->machine->step_cycles + eviction->meter->witness->hit_cycles;
}

static bool is_coarse(const struct hwc_meter *meter)
{
    return meter->lab->machine->step_cycles > policy.coarse * (meter->witness->miss_cycles - meter->witness->hit_cycles);
}

/* Does no level that counts here take so long? */
static bool is_too_far(const struct hwc_meter *meter, double cycles)
{
    const struct hwc_witness *witness = meter->witness;
    double steps = policy.steps * meter->lab->machine->step_cycles;

    return !meter->any_farther &&
           fabs(cycles - witness->hit_cycles) > policy.farther * (witness->miss_cycles - witness->hit_cycles) + steps;
}

/* The time of the line. `own`: what the first level takes is that sample's own reading, noisy but without a memory of
 * other samples. *disturbed: the sample was, or the line came from too far. */
static int read_line(const struct eviction *eviction, bool own, double *cycles, bool *disturbed,
                     struct hwc_error *error)
{
    struct hwc_lab *lab = eviction->meter->lab;
    struct hwc_sample sample;
    double first;
    bool odd;

    /* A new order for each reading: a policy may keep the line in one order and evict it in the next. */
    hwc_walk_reorder(&eviction->meter->walk, eviction->others, &lab->random);
    TRY(hwc_lab_sample(lab, &eviction->experiment, &sample, error));
    first = mean_of_first(lab, sample.reading[1].cycles, reach_of(eviction), &odd);
    if (own || !is_coarse(eviction->meter))
        first = sample.reading[1].cycles;
    *cycles = sample.reading[0].cycles - first + lab->witness[1].hit_cycles;
    *disturbed = sample.disturbed || odd || is_too_far(eviction->meter, *cycles);
    return HWC_OK;
}

static int draw(void *context, double *misses, bool *disturbed, struct hwc_error *error)
{
    const struct eviction *eviction = context;
    const struct hwc_meter *meter = eviction->meter;
    double cycles = 0;

    TRY(read_line(eviction, false, &cycles, disturbed, error));
    *misses = (cycles - meter->hit_cycles) / (meter->miss_cycles - meter->hit_cycles);
    return HWC_OK;
}

/* Play once without reading: the previous question may have left the line elsewhere. */
static int settle(const struct eviction *eviction, struct hwc_error *error)
{
    struct hwc_sample ignored;

    return hwc_lab_sample(eviction->meter->lab, &eviction->experiment, &ignored, error);
}

static void script(struct eviction *eviction, struct hwc_meter *meter, const struct hwc_question *question,
                   const struct hwc_walk *line, const struct hwc_walk *mate)
{
    *eviction = (struct eviction){.meter = meter,
                                  .others = question->count - 1,
                                  .experiment = {.arena = question->arena,
                                                 .event = HWC_NO_EVENT,
                                                 .apart = true,
                                                 .steps = 5,
                                                 .step = {{HWC_RUN, line, 1},
                                                          {HWC_RUN, &meter->walk, meter->passes},
                                                          {HWC_RUN, mate, 1},
                                                          {HWC_MEASURE, line, 1},
                                                          {HWC_MEASURE, line, 1}}}};
}

static int test(const struct eviction *eviction, unsigned samples, struct hwc_estimate *estimate,
                enum hwc_side *side, struct hwc_error *error)
{
    const struct hwc_meter *meter = eviction->meter;
    double steps = is_coarse(meter) ? 1 : sqrt(2);
    double step = steps * meter->lab->machine->step_cycles / (meter->miss_cycles - meter->hit_cycles);
    /* Clipping must not reach into the step around a hit: the mean of what is left would not be that of the readings. */
    const struct hwc_sequential_test one_miss = {.threshold = meter->put_out,
                                                 .unit = fmax(1, meter->put_out + step),
                                                 .resolution = step,
                                                 .most = (unsigned)(policy.readings * samples * (1 + step))};

    if (hwc_chances_tell(&meter->late))
        return hwc_test_by_likelihood(&meter->late, meter->late_from, one_miss.most, draw, (void *)eviction, side, error);
    return hwc_test_sequentially(&one_miss, draw, (void *)eviction, estimate, side, error);
}

/* Is the mean of the readings known well enough? */
static bool is_precise(const struct eviction *eviction, const struct hwc_tally *tally)
{
    const struct hwc_estimate mean = hwc_tally_mean(tally, eviction->meter->lab->machine->step_cycles);

    return mean.error <= policy.precision * mean.value;
}

/* The mean of many readings, those near their median, as any may be late. As many others may be disturbed. */
static int mean(const struct eviction *eviction, double *cycles, struct hwc_error *error)
{
    double values[MOST_READINGS];
    struct hwc_tally tally = {0};
    unsigned next = LEAST_READINGS;
    bool precise = false;

    while (!precise && tally.readings < MOST_READINGS && tally.disturbed < next) {
        double *value = &values[tally.readings];
        bool spoiled = false;
        TRY(read_line(eviction, true, value, &spoiled, error));
        if (spoiled)
            tally.disturbed++;
        else
            hwc_tally_add(&tally, *value);
        if (tally.readings == next) {
            precise = is_precise(eviction, &tally);
            next *= 2;
        }
    }
    if (tally.readings < LEAST_READINGS)
        return hwc_fail(error, HWC_INCONCLUSIVE, "others disturb what single lines take");
    *cycles = hwc_mean_near_median(values, tally.readings, reach_of(eviction));
    return HWC_OK;
}

/* From where on is a reading late, by what hits read? Sorts. */
static double limit_of(const struct eviction *eviction, double *hits, unsigned count)
{
    const struct hwc_meter *meter = eviction->meter;
    double step = meter->lab->machine->step_cycles / (meter->miss_cycles - meter->hit_cycles);
    double limit;

    hwc_sort(hits, count);
    limit = hits[count - 1 - (unsigned)(policy.late_hits * count)] + step / 4; /* readings of one step are not quite equal */
    return limit > policy.late && limit <= policy.late + policy.steps * step ? limit : policy.late;
}

static int draw_some(const struct eviction *eviction, double misses[HWC_LATE_READINGS], struct hwc_error *error)
{
    unsigned readings = 0, disturbed = 0;

    while (readings < HWC_LATE_READINGS && disturbed < 2 * HWC_LATE_READINGS) {
        bool spoiled = false;
        TRY(draw((void *)eviction, &misses[readings], &spoiled, error));
        disturbed += spoiled;
        readings += !spoiled;
    }
    if (readings < HWC_LATE_READINGS)
        return hwc_fail(error, HWC_INCONCLUSIVE, "others disturb what single lines take");
    return HWC_OK;
}

static double share_above(double limit, const double readings[HWC_LATE_READINGS])
{
    unsigned late = 0;

    for (unsigned i = 0; i < HWC_LATE_READINGS; i++)
        late += readings[i] > limit;
    return hwc_chance_of(late, HWC_LATE_READINGS);
}

/* Where the clock's step is about as long as a miss, hits read as one step or the next, and misses as the next or the one
 * after. A limit of a step less may part them better. */
static void part_best(const struct eviction *eviction, const double misses[HWC_LATE_READINGS])
{
    struct hwc_meter *meter = eviction->meter;
    double step = meter->lab->machine->step_cycles / (meter->miss_cycles - meter->hit_cycles);
    double best = share_above(meter->late_from, misses) - share_above(meter->late_from, meter->stayed);

    for (double limit = meter->late_from - step; is_coarse(meter) && limit >= meter->stayed[0]; limit -= step) {
        double parted = share_above(limit, misses) - share_above(limit, meter->stayed);
        if (parted <= best)
            continue;
        best = parted;
        meter->late_from = limit;
    }
    meter->late.below = share_above(meter->late_from, meter->stayed);
}

static int chance_of_late(const struct eviction *eviction, bool of_hits, double *chance, struct hwc_error *error)
{
    struct hwc_meter *meter = eviction->meter;
    double misses[HWC_LATE_READINGS];

    TRY(draw_some(eviction, misses, error));
    if (of_hits) {
        meter->late_from = limit_of(eviction, misses, HWC_LATE_READINGS);
        memcpy(meter->stayed, misses, sizeof meter->stayed);
    } else {
        part_best(eviction, misses);
    }
    *chance = share_above(meter->late_from, misses);
    return HWC_OK;
}

static int lay_out(struct hwc_meter *meter, const struct hwc_question *question, struct hwc_walk *line,
                   struct hwc_walk *mate, struct hwc_error *error)
{
    uint64_t last = question->lines[question->count - 1];

    TRY(hwc_meter_lay_out(meter, question, question->count - 1, error));
    TRY(hwc_walk_append(line, last, error));
    return hwc_walk_append(mate, hwc_mate_of(last), error);
}

/* A question, and where its answer goes. */
struct asking {
    struct hwc_meter *meter;
    const struct hwc_question *question;
    struct hwc_estimate *estimate;
    enum hwc_side *side;
    double *cycles; /* NULL = the side is wanted, not the mean */
    double *late;   /* NULL = likewise */
    bool of_hits;   /* `late` is asked of a line that stays */
};

static int play(const struct asking *asking, struct hwc_walk *line, struct hwc_walk *mate, struct hwc_error *error)
{
    struct eviction eviction;

    TRY(lay_out(asking->meter, asking->question, line, mate, error));
    if (asking->meter->walk.count == 0)
        return HWC_OK;
    script(&eviction, asking->meter, asking->question, line, mate);
    TRY(settle(&eviction, error));
    if (asking->cycles != NULL)
        return mean(&eviction, asking->cycles, error);
    if (asking->late != NULL)
        return chance_of_late(&eviction, asking->of_hits, asking->late, error);
    return test(&eviction, asking->question->samples, asking->estimate, asking->side, error);
}

static int play_on_walks(const struct asking *asking, struct hwc_error *error)
{
    struct hwc_walk line, mate;
    int status;

    hwc_walk_init(&line);
    hwc_walk_init(&mate);
    asking->meter->walk.independent = true; /* it is not timed */
    status = play(asking, &line, &mate, error);
    hwc_walk_free(&line);
    hwc_walk_free(&mate);
    return status;
}

static int ask(struct hwc_meter *meter, const struct hwc_question *question, struct hwc_estimate *estimate,
               enum hwc_side *side, struct hwc_error *error)
{
    const struct asking asking = {.meter = meter, .question = question, .estimate = estimate, .side = side};

    *estimate = (struct hwc_estimate){0};
    *side = HWC_BELOW; /* where there are no others */
    return play_on_walks(&asking, error);
}

int hwc_meter_read_last(struct hwc_meter *meter, const struct hwc_question *question, double *cycles,
                        struct hwc_error *error)
{
    const struct asking asking = {.meter = meter, .question = question, .cycles = cycles};

    *cycles = 0;
    return play_on_walks(&asking, error);
}

int hwc_meter_read_late(struct hwc_meter *meter, const struct hwc_question *question, bool of_hits, double *chance,
                        struct hwc_error *error)
{
    const struct asking asking = {.meter = meter, .question = question, .late = chance, .of_hits = of_hits};

    *chance = 0;
    return play_on_walks(&asking, error);
}

const struct hwc_meter_ops hwc_meter_eviction = {.name = "eviction", .of_last = true, .ask = ask};
