#include "trial.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "sampler.h"
#include "solitude.h"
#include "statistics.h"

const uint8_t hwc_trial_first[1] = {0};

/* Every line once, after those that fill the set where nothing flushes it. */
void hwc_trial_draw(const struct hwc_trial *trial, struct hwc_random *random, struct hwc_sequence *sequence)
{
    sequence->before_count = 0;
    for (size_t i = trial->names; i < trial->set.lines && !trial->flushed; i++)
        sequence->before[sequence->before_count++] = (uint8_t)i;
    for (size_t i = 0; i < trial->names; i++)
        sequence->before[sequence->before_count++] = (uint8_t)i;
    for (size_t i = 0; i < trial->length; i++)
        sequence->name[i] = (uint8_t)hwc_random_below(random, trial->names);
}

void hwc_trial_go_round(const struct hwc_trial *trial, struct hwc_sequence *sequence)
{
    for (size_t i = 0; i < trial->length; i++)
        sequence->name[i] = (uint8_t)(i % (trial->ways + 1));
}

/* Each access, and behind it what puts its line out of the levels above. */
int hwc_trial_build(const struct hwc_trial *trial, struct hwc_walk *walk, const uint8_t *names, size_t count,
                    struct hwc_error *error)
{
    int status = HWC_OK;

    hwc_walk_clear(walk);
    for (size_t i = 0; i < count && status == HWC_OK; i++) {
        status = hwc_walk_append(walk, trial->set.line[names[i]], error);
        for (size_t k = 0; k < trial->set.washers && status == HWC_OK; k++)
            status = hwc_walk_append(walk, trial->set.washer[k], error);
    }
    return status;
}

/* Misses of `walk` behind `before`, or cycles in units of a miss. */
static int read_behind(const struct hwc_trial *trial, const struct hwc_walk *before, const struct hwc_walk *walk,
                       double *reading, struct hwc_error *error)
{
    const struct hwc_witness *witness = &trial->lab->witness[trial->level];
    struct hwc_experiment experiment = {.arena = &trial->arena};
    struct hwc_sample sample;
    int status;

    hwc_ask_witness(witness, &experiment);
    experiment.step[experiment.steps++] = (struct hwc_step){HWC_RUN, &trial->conditioning, 1};
    if (trial->flushed)
        experiment.step[experiment.steps++] = (struct hwc_step){HWC_FLUSH, &trial->lines, 1};
    if (trial->set.washers > 0)
        experiment.step[experiment.steps++] = (struct hwc_step){HWC_RUN, &trial->washers, 2};
    if (before->count > 0)
        experiment.step[experiment.steps++] = (struct hwc_step){HWC_RUN, before, 1};
    experiment.step[experiment.steps++] = (struct hwc_step){HWC_MEASURE, walk, 1};
    status = hwc_lab_sample(trial->lab, &experiment, &sample, error);
    if (status == HWC_OK)
        *reading = hwc_count_reading(witness, &sample.reading[0]);
    return status;
}

int hwc_trial_read(const struct hwc_trial *trial, double *reading, struct hwc_error *error)
{
    return read_behind(trial, &trial->before, &trial->walk, reading, error);
}

bool hwc_trial_is_weighed(const struct hwc_trial *trial)
{
    return !hwc_counts(&trial->lab->witness[trial->level]);
}

/* A step of the clock, in units of a miss. */
static double step_of(const struct hwc_lab *lab, unsigned level)
{
    return lab->machine->step_cycles / (lab->witness[level].miss_cycles - lab->witness[level].hit_cycles);
}

/* The mean of as many readings as keep its error, of half a step at most each, below a fifth of a miss. */
#define STEPS_ERROR 0.2

unsigned hwc_trial_readings(const struct hwc_trial *trial)
{
    double readings = pow(step_of(trial->lab, trial->level) / 2 / STEPS_ERROR, 2);

    return readings < HWC_TRIAL_WEIGHED        ? HWC_TRIAL_WEIGHED
           : readings < HWC_TRIAL_WEIGHED_MOST ? (unsigned)ceil(readings)
                                               : HWC_TRIAL_WEIGHED_MOST;
}

#define FINE_STEP 0.2
#define STEPS_NEAR 2.5

double hwc_trial_middle(const struct hwc_trial *trial, double *once, unsigned readings)
{
    double step = step_of(trial->lab, trial->level);

    return step > FINE_STEP ? hwc_mean_near_median(once, readings, STEPS_NEAR * step) : hwc_median(once, readings);
}

/* Readings of one number of misses lie within so much of a miss, half of them at least. */
#define ALIKE 1.0
#define MOST_ALIKE 0.5
#define FEWEST 5

/* Readings that come in long steps of the clock are not alike. */
bool hwc_trial_must_beware(const struct hwc_lab *lab, unsigned level)
{
    return lab->machine->live && !hwc_counts(&lab->witness[level]) && step_of(lab, level) <= ALIKE / 2;
}

bool hwc_trial_flushes(const struct hwc_lab *lab, unsigned level)
{
    return lab->machine->flushes && !(level == 1 && hwc_trial_must_beware(lab, level));
}

/* Not all of what was in the set before may go at once. */
#define FITTING_ROUNDS 4

int hwc_trial_beware(struct hwc_trial *trial, struct hwc_error *error)
{
    uint8_t names[FITTING_ROUNDS * HWC_SET_LINES];
    size_t count = 0;
    int status;

    for (int round = 0; round < FITTING_ROUNDS; round++)
        for (size_t i = 0; i < trial->ways; i++)
            names[count++] = (uint8_t)i;
    status = hwc_trial_build(trial, &trial->fitting_before, names, count, error);
    for (size_t i = 0; i < trial->length; i++)
        names[i] = (uint8_t)hwc_random_below(&trial->lab->random, trial->ways);
    return status == HWC_OK ? hwc_trial_build(trial, &trial->fitting, names, trial->length, error) : status;
}

/* Readings of the walk, each between two of lines that fit. */
struct stretch {
    double fitting[HWC_TRIAL_WEIGHED_MOST + 1], once[HWC_TRIAL_WEIGHED_MOST];
    unsigned count;
};

static int read_stretch(const struct hwc_trial *trial, struct stretch *stretch, struct hwc_error *error)
{
    int status = HWC_OK;

    for (unsigned i = 0; i <= stretch->count && status == HWC_OK; i++) {
        status = read_behind(trial, &trial->fitting_before, &trial->fitting, &stretch->fitting[i], error);
        if (status == HWC_OK && i < stretch->count)
            status = hwc_trial_read(trial, &stretch->once[i], error);
    }
    return status;
}

/* What the walk misses, where nothing came between. */
static bool settle_stretch(const struct stretch *stretch, double *misses)
{
    double sorted[HWC_TRIAL_WEIGHED_MOST + 1], fitting, reading;
    unsigned kept = 0;

    memcpy(sorted, stretch->fitting, (stretch->count + 1) * sizeof *sorted);
    if (!hwc_most_agree(sorted, stretch->count + 1, ALIKE, MOST_ALIKE, &fitting))
        return false;
    for (unsigned i = 0; i < stretch->count; i++)
        if (stretch->fitting[i] < fitting + ALIKE && stretch->fitting[i + 1] < fitting + ALIKE)
            sorted[kept++] = stretch->once[i];
    if (kept < FEWEST || !hwc_most_agree(sorted, kept, ALIKE, MOST_ALIKE, &reading))
        return false;
    *misses = reading - fitting;
    return true;
}

/* Others come in bursts: until they are gone, for a while. */
#define WAIT_SECONDS 1.0
#define PAUSE_NS 5000000

static int settle_warily(const struct hwc_trial *trial, unsigned readings, double *misses, struct hwc_error *error)
{
    struct stretch stretch = {.count = readings};
    double begun = hwc_lab_elapsed(trial->lab);

    for (;;) {
        struct timespec pause = {.tv_nsec = PAUSE_NS};
        bool alone = hwc_is_alone(trial->lab, WAIT_SECONDS);
        int status = alone ? read_stretch(trial, &stretch, error) : HWC_UNAVAILABLE;
        if (alone && (status != HWC_OK || settle_stretch(&stretch, misses)))
            return status;
        if (hwc_lab_elapsed(trial->lab) - begun > WAIT_SECONDS || hwc_lab_is_late(trial->lab))
            return hwc_fail(error, HWC_UNAVAILABLE, "others use the level, too, whenever it is looked at");
        nanosleep(&pause, NULL);
    }
}

/* Counts: the least of a few. Times vary to both sides, by more than the least
 * of them can be trusted with: the median of many. */
int hwc_trial_settle(const struct hwc_trial *trial, double *reading, struct hwc_error *error)
{
    unsigned samples = hwc_trial_is_weighed(trial) ? hwc_trial_readings(trial) : trial->lab->settings.samples;
    double once[HWC_TRIAL_WEIGHED_MOST], least = INFINITY;
    /* The first reading of a walk may meet lines that were written to lay it out. */
    int status = trial->lab->machine->shares_caches ? hwc_trial_read(trial, &once[0], error) : HWC_OK;

    if (samples > HWC_TRIAL_WEIGHED_MOST)
        samples = HWC_TRIAL_WEIGHED_MOST;
    if (status == HWC_OK && trial->fitting.count > 0)
        return settle_warily(trial, samples, reading, error);
    for (unsigned i = 0; i < samples; i++) {
        if (status == HWC_OK)
            status = hwc_trial_read(trial, &once[i], error);
        if (status != HWC_OK)
            return status;
        if (!hwc_goes_by_time(&trial->lab->witness[trial->level]) && i >= 1 && once[i] >= least)
            break;
        least = fmin(least, once[i]);
    }
    *reading = hwc_trial_is_weighed(trial) ? hwc_trial_middle(trial, once, samples) : least;
    return HWC_OK;
}

int hwc_trial_build_sequence(struct hwc_trial *trial, const struct hwc_sequence *sequence, struct hwc_error *error)
{
    uint8_t all[HWC_TRIAL_MISSES];
    size_t before = trial->joined ? sequence->before_count : 0;
    int status = trial->joined
                     ? hwc_trial_build(trial, &trial->before, hwc_trial_first, 1, error)
                     : hwc_trial_build(trial, &trial->before, sequence->before, sequence->before_count, error);

    memcpy(all, sequence->before, before * sizeof *all);
    memcpy(all + before, sequence->name, trial->length * sizeof *all);
    return status == HWC_OK ? hwc_trial_build(trial, &trial->walk, all, before + trial->length, error) : status;
}

void hwc_trial_close(struct hwc_trial *trial)
{
    hwc_walk_free(&trial->lines);
    hwc_walk_free(&trial->washers);
    hwc_walk_free(&trial->conditioning);
    hwc_walk_free(&trial->before);
    hwc_walk_free(&trial->walk);
    hwc_walk_free(&trial->fitting_before);
    hwc_walk_free(&trial->fitting);
    trial->lab->machine->ops->arena_close(trial->lab->machine, &trial->arena);
}

int hwc_trial_open(struct hwc_trial *trial, struct hwc_lab *lab, unsigned level, size_t washers,
                   struct hwc_error *error)
{
    size_t ways = (size_t)lab->known->level[level].ways;
    size_t above = (size_t)lab->known->level[level - 1].ways;
    struct hwc_conflict_plan plan;
    size_t wanted;
    int status = hwc_open_look(lab, level, &lab->known->level[level].look, &trial->arena, &plan, error);

    if (status != HWC_OK)
        return status;
    trial->lab = lab;
    trial->level = level;
    trial->ways = (unsigned)ways;
    trial->flushed = hwc_trial_flushes(lab, level);
    trial->joined = !trial->flushed && !hwc_trial_is_weighed(trial);
    trial->names = ways + HWC_TRIAL_MORE_LINES;
    trial->length = 4 * ways < 24 ? 24 : 4 * ways > HWC_TRIAL_ACCESSES ? HWC_TRIAL_ACCESSES : 4 * ways;
    hwc_walk_init(&trial->lines);
    hwc_walk_init(&trial->washers);
    hwc_walk_init(&trial->conditioning);
    hwc_walk_init(&trial->before);
    hwc_walk_init(&trial->walk);
    hwc_walk_init(&trial->fitting_before);
    hwc_walk_init(&trial->fitting);
    trial->fitting_before.repeats = trial->fitting.repeats = true;
    trial->conditioning.repeats = trial->before.repeats = trial->walk.repeats = trial->washers.repeats = true;
    if (trial->flushed)
        wanted = ways + (above > HWC_TRIAL_MORE_LINES ? above : HWC_TRIAL_MORE_LINES); /* a set of the level above, too */
    else
        wanted = trial->names + ways; /* others fill the set first */
    status = hwc_find_set(lab, &plan, wanted < HWC_SET_LINES ? wanted : HWC_SET_LINES, washers, &trial->set,
                          error);
    for (size_t i = 0; i < trial->set.lines && status == HWC_OK; i++)
        status = hwc_walk_append(&trial->lines, trial->set.line[i], error);
    for (size_t i = 0; i < trial->set.washers && status == HWC_OK; i++)
        status = hwc_walk_append(&trial->washers, trial->set.washer[i], error);
    for (size_t i = 0; i < HWC_TRIAL_CONDITION; i++)
        trial->condition[i] = (uint8_t)hwc_random_below(&lab->random, trial->names);
    for (size_t i = 0; i < HWC_TRIAL_HISTORY; i++)
        trial->history[i] = (uint8_t)hwc_random_below(&lab->random, trial->names);
    if (status == HWC_OK)
        status = hwc_trial_build(trial, &trial->conditioning, trial->condition, HWC_TRIAL_CONDITION, error);
    if (status != HWC_OK)
        hwc_trial_close(trial);
    return status;
}

