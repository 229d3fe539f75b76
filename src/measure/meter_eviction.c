/* The eviction test: is a line still there after the others were visited
 * (eviction_reading.h)?
 *
 * A policy that keeps this line longer than the others could fool the test; so
 * the others are visited several times. */
#include <math.h>
#include <string.h>

#include "eviction_reading.h"
#include "statistics.h"

enum { LEAST_READINGS = 64, MOST_READINGS = 1024 }; /* for the mean time of a line */

/* HWC_PASSES: if one line more than fits is visited, each pass evicts the line under LRU. A random policy of many ways
 * misses about 0.12 (ways + 1) times a pass, and each miss evicts one of the ways: eight passes evict the line in six
 * cases of ten. Half of that is the threshold. */
static const struct {
    double put_out, odds;
    unsigned readings;
    double precision;
    double late;        /* misses */
    double late_hits;   /* a share of readings */
    unsigned block, passes_to_settle;
} policy = {
    .put_out = 0.3,
    .odds = 1000,
    .readings = 12, /* for each sample that AMP would take; more where the clock's step hides a miss */
    /* The mean time of a line is read until its standard error is this share of it. */
    .precision = 0.05,
    .late = 0.5, /* a reading that is nearer to a miss than to a hit */
    /* Where the clock's step exceeds a miss, hits read as one step or the next. Then the least limit is taken that no
     * more than this share of hits exceed; one that lies further off than two steps would be that of disturbances. */
    .late_hits = 0.3,
    /* Where two questions are compared, so many readings of one follow each other: too few to decide, as one burst of
     * others' may delay them all. Before them, what the other question has left must leave the set: as the oldest line
     * under LRU, by chance under random replacement, which evicts it in some dozens of passes. */
    .block = 4,
    .passes_to_settle = 2,
};

/* A step of the clock, in misses. */
static double step_of(const struct hwc_meter *meter)
{
    return meter->lab->machine->step_cycles / (meter->miss_cycles - meter->hit_cycles);
}

/* The most readings that a question is worth. */
static unsigned most_readings(unsigned samples, double step)
{
    return (unsigned)(policy.readings * samples * (1 + step));
}

static int test(const struct hwc_eviction *eviction, unsigned samples, struct hwc_estimate *estimate,
                enum hwc_side *side, struct hwc_error *error)
{
    const struct hwc_meter *meter = eviction->meter;
    double steps = hwc_is_coarse_for(meter) ? 1 : sqrt(2);
    double step = steps * step_of(meter);
    /* Clipping must not reach into the step around a hit: the mean of what is left would not be that of the readings. */
    const struct hwc_sequential_test one_miss = {.threshold = policy.put_out,
                                                 .unit = fmax(1, policy.put_out + step),
                                                 .resolution = step,
                                                 .most = most_readings(samples, step)};

    return hwc_test_sequentially(&one_miss, hwc_eviction_draw, (void *)eviction, estimate, side, error);
}

/* Is the mean of the readings known well enough? */
static bool is_precise(const struct hwc_eviction *eviction, const struct hwc_tally *tally)
{
    const struct hwc_estimate mean = hwc_tally_mean(tally, eviction->meter->lab->machine->step_cycles);

    return mean.error <= policy.precision * mean.value;
}

/* The mean of many readings, those near their median, as any may be late. As many others may be disturbed. */
static int mean(const struct hwc_eviction *eviction, double *cycles, struct hwc_error *error)
{
    double values[MOST_READINGS];
    struct hwc_tally tally = {0};
    unsigned next = LEAST_READINGS;
    bool precise = false;

    while (!precise && tally.readings < MOST_READINGS && tally.disturbed < next) {
        double *value = &values[tally.readings];
        bool spoiled = false;
        TRY(hwc_eviction_read(eviction, true, value, &spoiled, error));
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
    *cycles = hwc_mean_near_median(values, tally.readings, hwc_eviction_reach(eviction));
    return HWC_OK;
}

/* From where on is a reading late, by what hits read? Sorts. */
static double limit_of(const struct hwc_eviction *eviction, double *hits, unsigned count)
{
    const struct hwc_meter *meter = eviction->meter;
    double step = step_of(meter);
    double limit;

    hwc_sort(hits, count);
    limit = hits[count - 1 - (unsigned)(policy.late_hits * count)] + step / 4; /* readings of one step are not quite equal */
    return limit > policy.late && limit <= policy.late + HWC_EVICTION_STEPS * step ? limit : policy.late;
}

static int draw_some(const struct hwc_eviction *eviction, double misses[HWC_LATE_READINGS], struct hwc_error *error)
{
    unsigned readings = 0, disturbed = 0;

    while (readings < HWC_LATE_READINGS && disturbed < 2 * HWC_LATE_READINGS) {
        bool spoiled = false;
        TRY(hwc_eviction_draw((void *)eviction, &misses[readings], &spoiled, error));
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
static void part_best(const struct hwc_eviction *eviction, const double misses[HWC_LATE_READINGS])
{
    struct hwc_meter *meter = eviction->meter;
    double step = step_of(meter);
    double best = share_above(meter->late_from, misses) - share_above(meter->late_from, meter->stayed);

    for (double limit = meter->late_from - step; hwc_is_coarse_for(meter) && limit >= meter->stayed[0]; limit -= step) {
        double parted = share_above(limit, misses) - share_above(limit, meter->stayed);
        if (parted <= best)
            continue;
        best = parted;
        meter->late_from = limit;
    }
}

static int chance_of_late(const struct hwc_eviction *eviction, bool of_hits, double *chance, struct hwc_error *error)
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

static int draw_late(const struct hwc_eviction *eviction, struct hwc_late *late, unsigned *disturbed,
                     struct hwc_error *error)
{
    bool spoiled = false;
    double misses = 0;

    TRY(hwc_eviction_draw((void *)eviction, &misses, &spoiled, error));
    *disturbed += spoiled;
    late->plays += !spoiled;
    late->late += !spoiled && misses > eviction->meter->late_from;
    return HWC_OK;
}

/* Two questions about the same line, and what they read. */
struct comparison {
    struct hwc_late_pair *pair;
    unsigned disturbed, most;
    double late, odds;
    enum hwc_side *side;
};

static bool is_open(const struct comparison *comparison)
{
    return *comparison->side == HWC_STRADDLES &&
           comparison->pair->with.plays + comparison->disturbed / 2 < comparison->most;
}

static int read_block(const struct hwc_eviction *eviction, struct comparison *comparison, struct hwc_late *late,
                      struct hwc_error *error)
{
    TRY(hwc_eviction_settle(eviction, eviction->meter->passes / policy.passes_to_settle, error));
    for (unsigned i = 0; i < policy.block && is_open(comparison); i++) {
        TRY(draw_late(eviction, late, &comparison->disturbed, error));
        *comparison->side = hwc_side_of_late(comparison->pair, comparison->late, comparison->odds);
    }
    return HWC_OK;
}

/* Where the line stays beside the lines, the control has nothing to add. */
static int compare(const struct hwc_eviction *beside, const struct hwc_eviction *control, struct comparison *comparison,
                   struct hwc_error *error)
{
    struct hwc_late_pair *pair = comparison->pair;

    *pair = (struct hwc_late_pair){0};
    *comparison->side = HWC_STRADDLES;
    while (is_open(comparison)) {
        TRY(read_block(beside, comparison, &pair->with, error));
        while (is_open(comparison) && pair->with.late > 0 && pair->without.plays < pair->with.plays)
            TRY(read_block(control, comparison, &pair->without, error));
    }
    return HWC_OK;
}

/* A question, and where its answer goes. */
struct asking {
    struct hwc_meter *meter;
    const struct hwc_question *question, *control; /* the latter, if any, is read in turn */
    struct hwc_estimate *estimate;
    enum hwc_side *side;
    struct hwc_late_pair *pair;
    double *cycles; /* NULL = the side is wanted, not the mean */
    double *late;   /* NULL = likewise */
    bool of_hits;   /* `late` is asked of a line that stays */
};

static int ask_beside(const struct asking *asking, const struct hwc_eviction *beside, struct hwc_eviction_walks *walks,
                      struct hwc_error *error)
{
    const struct hwc_meter *meter = asking->meter;
    double step = step_of(meter);
    struct hwc_eviction control = {.meter = asking->meter, .walks = walks};
    struct comparison comparison = {
        .pair = asking->pair,
        .side = asking->side,
        .most = most_readings(asking->question->samples, step),
        .late = asking->question->late,
        .odds = asking->question->odds > 0 ? asking->question->odds : policy.odds};

    TRY(hwc_eviction_set_up(&control, asking->control, &asking->meter->control, error));
    return compare(beside, &control, &comparison, error);
}

static int ask_on_walks(const struct asking *asking, struct hwc_eviction_walks *walks, struct hwc_error *error)
{
    struct hwc_eviction eviction = {.meter = asking->meter, .walks = walks};
    const struct hwc_question *question = asking->question;

    TRY(hwc_walk_append(&walks->line, question->lines[question->count - 1], error));
    TRY(hwc_eviction_set_up(&eviction, question, &asking->meter->others, error));
    if (eviction.others->count == 0)
        return HWC_OK;
    if (asking->control != NULL)
        return ask_beside(asking, &eviction, walks, error);
    if (asking->cycles != NULL)
        return mean(&eviction, asking->cycles, error);
    if (asking->late != NULL)
        return chance_of_late(&eviction, asking->of_hits, asking->late, error);
    return test(&eviction, question->samples, asking->estimate, asking->side, error);
}

static int answer(const struct asking *asking, struct hwc_error *error)
{
    struct hwc_eviction_walks walks;
    int status;

    hwc_walk_init(&walks.line);
    hwc_walk_init(&walks.mate);
    status = ask_on_walks(asking, &walks, error);
    hwc_walk_free(&walks.line);
    hwc_walk_free(&walks.mate);
    return status;
}

static int ask(struct hwc_meter *meter, const struct hwc_question *question, struct hwc_estimate *estimate,
               enum hwc_side *side, struct hwc_error *error)
{
    const struct asking asking = {.meter = meter, .question = question, .estimate = estimate, .side = side};

    *estimate = (struct hwc_estimate){0};
    *side = HWC_BELOW; /* where there are no others */
    return answer(&asking, error);
}

int hwc_meter_read_last(struct hwc_meter *meter, const struct hwc_question *question, double *cycles,
                        struct hwc_error *error)
{
    const struct asking asking = {.meter = meter, .question = question, .cycles = cycles};

    *cycles = 0;
    return answer(&asking, error);
}

int hwc_meter_read_late(struct hwc_meter *meter, const struct hwc_question *question, bool of_hits, double *chance,
                        struct hwc_error *error)
{
    const struct asking asking = {.meter = meter, .question = question, .late = chance, .of_hits = of_hits};

    *chance = 0;
    return answer(&asking, error);
}

int hwc_meter_ask_beside(struct hwc_meter *meter, const struct hwc_question *question,
                         const struct hwc_question *control, struct hwc_late_pair *pair, enum hwc_side *side,
                         struct hwc_error *error)
{
    const struct asking asking = {.meter = meter, .question = question, .control = control, .side = side,
                                  .pair = pair};

    *pair = (struct hwc_late_pair){0};
    *side = HWC_BELOW;
    return answer(&asking, error);
}

const struct hwc_meter_ops hwc_meter_eviction = {.name = "eviction", .of_last = true, .ask = ask};
