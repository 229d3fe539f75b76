#include "set_readings.h"

#include <math.h>

#include "estimate.h"
#include "plays_beside.h"
#include "sampler.h"
#include "quiet_core.h"
#include "statistics.h"

/* Misses of `visits` after so many passes over `before`; by time, their cycles in units of a miss. */
static int read_once(const struct hwc_set_sequence *sequence, const struct hwc_walk *before, uint32_t passes,
                     const struct hwc_walk *visits, double *reading, struct hwc_error *error)
{
    const struct hwc_witness *witness = &sequence->lab->witness[sequence->level];
    struct hwc_experiment experiment = {.arena = &sequence->arena};
    struct hwc_sample sample;

    hwc_ask_witness(witness, &experiment);
    if (sequence->emptied)
        experiment.step[experiment.steps++] = (struct hwc_step){HWC_FLUSH, &sequence->lines, 1};
    if (sequence->evictors.count > 0)
        experiment.step[experiment.steps++] = (struct hwc_step){HWC_RUN, &sequence->evictors, 2};
    experiment.step[experiment.steps++] = (struct hwc_step){HWC_RUN, before, passes};
    experiment.step[experiment.steps++] = (struct hwc_step){HWC_MEASURE, visits, 1};
    TRY(hwc_lab_sample(sequence->lab, &experiment, &sample, error));
    *reading = hwc_count_reading(witness, &sample.reading[0]);
    return HWC_OK;
}

int hwc_read_visits(const struct hwc_set_sequence *sequence, double *reading, struct hwc_error *error)
{
    return read_once(sequence, &sequence->before, 1, &sequence->visits, reading, error);
}

/* One pass may not evict everything that was in the set before. */
enum { ROUNDS = 4 };

static int read_fitting(const struct hwc_set_sequence *sequence, double *reading, struct hwc_error *error)
{
    return read_once(sequence, &sequence->fitting_before, ROUNDS, &sequence->fitting, reading, error);
}

static int read_few(const struct hwc_set_sequence *sequence, double *reading, struct hwc_error *error)
{
    return read_once(sequence, &sequence->few_before, ROUNDS, &sequence->few, reading, error);
}

/* From so many plays, the standard error of their mean is known to a fifth. */
enum { BATCH = 16 };

static double variance_of(const struct hwc_tally *plays)
{
    return plays->squares / plays->readings;
}

/* Lay other visits out where those of sequences lie: their lists use the same sets, and whatever of ours lies in these
 * makes itself felt in both. What is read first is dropped: it may meet lines that were just written. */
static int lay_out(struct hwc_set_sequence *sequence, const struct hwc_walk *before, const struct hwc_walk *visits,
                   struct hwc_error *error)
{
    double ignored;

    hwc_walk_clear(&sequence->before);
    hwc_walk_clear(&sequence->visits);
    TRY(hwc_walk_append_all(&sequence->before, before->offsets, before->count, error));
    TRY(hwc_walk_append_all(&sequence->visits, visits->offsets, visits->count, error));
    return read_once(sequence, &sequence->before, ROUNDS, &sequence->visits, &ignored, error);
}

static int read_laid_out(const struct hwc_set_sequence *sequence, double *reading, unsigned count,
                         struct hwc_error *error)
{
    for (unsigned i = 0; i < count; i++)
        TRY(read_once(sequence, &sequence->before, ROUNDS, &sequence->visits, &reading[i], error));
    return HWC_OK;
}

int hwc_read_overhead(struct hwc_set_sequence *sequence, struct hwc_error *error)
{
    struct hwc_tally all = {0};
    double reading[BATCH];

    TRY(lay_out(sequence, &sequence->few_before, &sequence->few, error));
    TRY(read_laid_out(sequence, reading, BATCH, error));
    sequence->overhead = INFINITY;
    for (unsigned i = 0; i < BATCH; i++) {
        sequence->overhead = fmin(sequence->overhead, reading[i]);
        hwc_tally_add(&all, reading[i]);
    }
    sequence->variance = variance_of(&all);
    return HWC_OK;
}

/* Both are read in turn: what hits take drifts. */
enum { TURN = 4 };

/* Of visits at random to as many lines as fit, one in so many goes to the line that is out, where there is always one. */
static double if_taken(const struct hwc_set_sequence *sequence)
{
    double visits = (double)sequence->fitting.count / (double)(1 + sequence->set.evictors);

    return visits / sequence->ways;
}

int hwc_is_ours(struct hwc_set_sequence *sequence, bool *ours, struct hwc_error *error)
{
    double fitting[BATCH], few[BATCH];

    for (unsigned i = 0; i < BATCH; i += TURN) {
        TRY(lay_out(sequence, &sequence->few_before, &sequence->few, error));
        TRY(read_laid_out(sequence, &few[i], TURN, error));
        TRY(lay_out(sequence, &sequence->fitting_before, &sequence->fitting, error));
        TRY(read_laid_out(sequence, &fitting[i], TURN, error));
    }
    *ours = hwc_median(fitting, BATCH) - hwc_median(few, BATCH) < HWC_HALF_A_MISS;
    return HWC_OK;
}

/* Counts of lines that stay vary, too, and so much of the variance is not the set's; of few plays, chance may make it
 * four times as much (two standard deviations). */
static struct hwc_answer mean_answer(const struct hwc_set_sequence *sequence, const struct hwc_tally *plays)
{
    double noise = sequence->variance * (plays->readings < BATCH ? 4 : 1);

    return (struct hwc_answer){.misses = plays->mean - sequence->overhead,
                               .error = sqrt(variance_of(plays) / plays->readings),
                               .variance = fmax(0, variance_of(plays) - noise)};
}

/* A disturbance only adds to a play's count, so the least count is the answer if at least half of the plays give it.
 * Else the mean is, with its error. */
static int count_settled(const struct hwc_set_sequence *sequence, struct hwc_answer *answer, struct hwc_error *error)
{
    struct hwc_tally all = {0};
    double least = INFINITY;
    unsigned alike = 0;

    for (unsigned i = 0; i < sequence->lab->settings.samples && (alike < 2 || 2 * alike < i); i++) {
        double reading;
        TRY(hwc_read_visits(sequence, &reading, error));
        alike = reading < least ? 1 : alike + (reading <= least);
        least = fmin(least, reading);
        hwc_tally_add(&all, reading);
    }
    *answer = mean_answer(sequence, &all);
    if (2 * alike >= all.readings) {
        answer->misses = least - sequence->overhead;
        answer->error = 0;
    }
    return HWC_OK;
}

static int count_plays(const struct hwc_set_sequence *sequence, unsigned plays, struct hwc_answer *answer,
                       struct hwc_error *error)
{
    struct hwc_tally all = {0};

    for (unsigned i = 0; i < plays; i++) {
        double reading;
        TRY(hwc_read_visits(sequence, &reading, error));
        hwc_tally_add(&all, reading);
    }
    *answer = mean_answer(sequence, &all);
    return HWC_OK;
}

static int play_batch(const struct hwc_set_sequence *sequence, struct hwc_plays *plays, struct hwc_error *error)
{
    if (plays->count == 0)
        TRY(read_fitting(sequence, &plays->fitting[0], error));
    for (unsigned i = 0; i < BATCH; i++) {
        TRY(hwc_read_visits(sequence, &plays->visits[plays->count], error));
        TRY(read_few(sequence, &plays->few[plays->count], error));
        TRY(read_fitting(sequence, &plays->fitting[plays->count + 1], error)); /* last: leaves the set full */
        plays->count++;
    }
    return HWC_OK;
}

/* Other threads mostly work in bursts of some tenths of a second at most: with these pauses, all batches together last
 * longer. */
static const double pause_after_batch = 0.3 * BATCH / HWC_MOST_PLAYS; /* seconds */

static int play_beside(const struct hwc_set_sequence *sequence, unsigned wanted, struct hwc_answer *answer,
                       struct hwc_error *error)
{
    struct hwc_plays plays = {.shared = !sequence->ours, .if_taken = if_taken(sequence)};
    double step = hwc_step_in_misses(&sequence->lab->witness[sequence->level], sequence->lab->machine->step_cycles);
    unsigned kept = 0;

    while (plays.count < HWC_MOST_PLAYS && hwc_is_alone(sequence->lab, HWC_WAIT_FOR_BALLOT)) {
        TRY(play_batch(sequence, &plays, error));
        kept = hwc_weigh_plays(&plays, step, answer);
        if (kept >= BATCH / 2 && kept >= wanted && HWC_ERRORS * answer->error <= HWC_HALF_A_MISS)
            return HWC_OK;
        if (kept == 0 && hwc_fitting_lines_miss(&plays, step))
            return hwc_fail(error, HWC_INCONCLUSIVE, "as many lines as fit do not all stay");
        if (2 * kept < plays.count)
            hwc_let_others_pass(sequence->lab, pause_after_batch);
    }
    if (kept < BATCH || 2 * kept < plays.count || kept < wanted)
        return hwc_fail(error, HWC_INCONCLUSIVE, "others use the level, too, whenever it is looked at");
    return HWC_OK;
}

int hwc_read_answer(const struct hwc_set_sequence *sequence, unsigned plays, struct hwc_answer *answer,
                    struct hwc_error *error)
{
    const struct hwc_witness *witness = &sequence->lab->witness[sequence->level];

    if (hwc_counts_events(witness))
        return plays > 0 ? count_plays(sequence, plays, answer, error) : count_settled(sequence, answer, error);
    TRY(play_beside(sequence, plays, answer, error));
    if (hwc_goes_by_time(witness))
        answer->error = hypot(answer->error, HWC_FIT_FLOOR * answer->misses); /* of a miss's own cycles */
    return HWC_OK;
}
