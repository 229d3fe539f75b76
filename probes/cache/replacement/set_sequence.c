#include "set_sequence.h"

#include <math.h>
#include <time.h>

#include "estimate.h"
#include "plateaus.h"
#include "plays_beside.h"
#include "sampler.h"
#include "solitude.h"
#include "statistics.h"

/* Visits that count: as many to each way as come back to most lines, enough to tell policies of a few ways apart, and
 * not so many that a small error of what each takes adds up to a miss. */
static const struct {
    unsigned to_a_way, fewest, most;
} visits_that_count = {.to_a_way = 4, .fewest = 24, .most = 80};

static unsigned visits_of(unsigned ways)
{
    unsigned visits = visits_that_count.to_a_way * ways;

    return visits < visits_that_count.fewest ? visits_that_count.fewest
           : visits > visits_that_count.most ? visits_that_count.most
                                             : visits;
}

/* Each visit, and behind it what evicts its line from the levels above. */
static int build(const struct hwc_set_sequence *sequence, struct hwc_walk *walk, const uint8_t *names, size_t count,
                 size_t evictors, struct hwc_error *error)
{
    hwc_walk_clear(walk);
    for (size_t i = 0; i < count; i++) {
        TRY(hwc_walk_append(walk, sequence->set.line[names[i]], error));
        for (size_t k = 0; k < evictors; k++)
            TRY(hwc_walk_append(walk, sequence->set.evictor[k], error));
    }
    return HWC_OK;
}

/* Misses of `visits` behind `before`, or their cycles in units of a miss. */
static int read_once(const struct hwc_set_sequence *sequence, const struct hwc_walk *before,
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
    experiment.step[experiment.steps++] = (struct hwc_step){HWC_RUN, before, 1};
    experiment.step[experiment.steps++] = (struct hwc_step){HWC_MEASURE, visits, 1};
    TRY(hwc_lab_sample(sequence->lab, &experiment, &sample, error));
    *reading = hwc_count_reading(witness, &sample.reading[0]);
    return HWC_OK;
}

static int read_visits(const struct hwc_set_sequence *sequence, double *reading, struct hwc_error *error)
{
    return read_once(sequence, &sequence->before, &sequence->visits, reading, error);
}

static int read_fitting(const struct hwc_set_sequence *sequence, double *reading, struct hwc_error *error)
{
    return read_once(sequence, &sequence->fitting_before, &sequence->fitting, reading, error);
}

/* From so many plays the error of their mean is known to a fifth. */
enum { BATCH = 16 };

static double variance_of(const struct hwc_tally *plays)
{
    return plays->squares / plays->readings;
}

/* Counts of lines that all fit vary, too: so much of the variance is not the set's, and of few plays, by chance, four
 * times as much (two standard deviations). */
static struct hwc_answer mean_answer(const struct hwc_set_sequence *sequence, const struct hwc_tally *plays)
{
    double noise = sequence->variance * (plays->readings < BATCH ? 4 : 1);

    return (struct hwc_answer){.misses = plays->mean - sequence->overhead,
                               .error = sqrt(variance_of(plays) / plays->readings),
                               .variance = fmax(0, variance_of(plays) - noise)};
}

/* What disturbs a play only adds to its count, so the least counts, if half of the plays come to it. Else the mean
 * stands, with its error. */
static int count_settled(const struct hwc_set_sequence *sequence, struct hwc_answer *answer, struct hwc_error *error)
{
    struct hwc_tally all = {0};
    double least = INFINITY;
    unsigned alike = 0;

    for (unsigned i = 0; i < sequence->lab->settings.samples && (alike < 2 || 2 * alike < i); i++) {
        double reading;
        TRY(read_visits(sequence, &reading, error));
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
        TRY(read_visits(sequence, &reading, error));
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
        TRY(read_visits(sequence, &plays->visits[plays->count], error));
        TRY(read_fitting(sequence, &plays->fitting[plays->count + 1], error));
        plays->count++;
    }
    return HWC_OK;
}

/* A step of the clock, in units of a miss. */
static double step_of(const struct hwc_set_sequence *sequence)
{
    const struct hwc_witness *witness = &sequence->lab->witness[sequence->level];

    return sequence->lab->machine->step_cycles / (witness->miss_cycles - witness->hit_cycles);
}

/* Others work in bursts of a second at most: all batches together last longer. */
static const struct timespec pause_after_batch = {.tv_nsec = 1000000000 / (HWC_MOST_PLAYS / BATCH)};

static int time_plays(const struct hwc_set_sequence *sequence, unsigned wanted, struct hwc_answer *answer,
                      struct hwc_error *error)
{
    struct hwc_plays plays = {.count = 0};
    double step = step_of(sequence);
    unsigned kept = 0;

    while (plays.count < HWC_MOST_PLAYS && hwc_is_alone(sequence->lab, HWC_WAIT_FOR_BALLOT)) {
        TRY(play_batch(sequence, &plays, error));
        kept = hwc_weigh_plays(&plays, step, answer);
        if (kept >= BATCH / 2 && kept >= wanted && HWC_ERRORS * answer->error <= HWC_HALF_A_MISS)
            return HWC_OK;
        if (2 * kept < plays.count)
            nanosleep(&pause_after_batch, NULL);
    }
    if (kept < BATCH || 2 * kept < plays.count || kept < wanted)
        return hwc_fail(error, HWC_INCONCLUSIVE, "others use the level, too, whenever it is looked at");
    return HWC_OK;
}

/* What a miss takes was read off plateaus of the latency curve, within which points may differ by HWC_FLAT_STEP. The
 * error is the standard deviation of values spread evenly over that. */
static double error_of_a_miss(void)
{
    return (HWC_FLAT_STEP - 1) / sqrt(12);
}

static int play(void *context, const struct hwc_sequence *visits, unsigned plays, struct hwc_answer *answer,
                struct hwc_error *error)
{
    struct hwc_set_sequence *sequence = context;
    double ignored;

    TRY(build(sequence, &sequence->before, visits->before, visits->befores, sequence->set.evictors, error));
    TRY(build(sequence, &sequence->visits, visits->visit, visits->visits, sequence->set.evictors, error));
    TRY(read_visits(sequence, &ignored, error)); /* it may meet lines that were written to lay the walks out */
    if (sequence->timed) {
        TRY(time_plays(sequence, plays, answer, error));
        answer->error = hypot(answer->error, error_of_a_miss() * answer->misses);
        return HWC_OK;
    }
    return plays > 0 ? count_plays(sequence, plays, answer, error) : count_settled(sequence, answer, error);
}

/* Counts are exact. Of the times that an inference goes by, one may be wrong by more than its error. */
struct hwc_set_instrument hwc_set_sequence_instrument(struct hwc_set_sequence *sequence)
{
    unsigned lines = sequence->ways + HWC_MORE_LINES;

    return (struct hwc_set_instrument){
        .ways = sequence->ways,
        .lines = lines,
        .fillers = sequence->emptied ? 0 : (unsigned)sequence->set.lines - lines,
        .visits = visits_of(sequence->ways),
        .start = sequence->emptied ? HWC_FROM_EMPTY : HWC_FROM_FULL,
        .counts_filling = !sequence->emptied && !sequence->timed,
        .shows_chance = true,
        .wrong = sequence->timed,
        .play = play,
        .context = sequence,
    };
}

/* One round may not evict all of what was in the set before. */
enum { FITTING_ROUNDS = 4 };

/* As many visits as a sequence makes, to lines that all stay: what is behind them fits whatever the policy. Where the
 * filling is counted, to one line again and again. */
static int build_fitting(struct hwc_set_sequence *sequence, struct hwc_error *error)
{
    struct hwc_set_instrument set = hwc_set_sequence_instrument(sequence);
    size_t fit = set.counts_filling ? 1 : set.ways, visits = set.visits, count = 0;
    uint8_t names[FITTING_ROUNDS * HWC_SET_LINES];

    for (size_t i = 0; i < (set.counts_filling ? 1 : FITTING_ROUNDS * fit); i++)
        names[count++] = (uint8_t)(i % fit);
    TRY(build(sequence, &sequence->fitting_before, names, count, sequence->set.evictors, error));
    if (set.counts_filling)
        visits += set.fillers + set.lines;
    for (size_t i = 0; i < visits; i++)
        names[i] = (uint8_t)hwc_random_below(&sequence->lab->random, fit);
    return build(sequence, &sequence->fitting, names, visits, sequence->set.evictors, error);
}

/* What starting a counter, and playing the visits from a list, counts itself. */
static int count_overhead(struct hwc_set_sequence *sequence, struct hwc_error *error)
{
    struct hwc_tally all = {0};
    double reading;

    TRY(read_fitting(sequence, &reading, error)); /* it may meet lines that were just written */
    sequence->overhead = INFINITY;
    for (unsigned i = 0; i < BATCH; i++) {
        TRY(read_fitting(sequence, &reading, error));
        sequence->overhead = fmin(sequence->overhead, reading);
        hwc_tally_add(&all, reading);
    }
    sequence->variance = variance_of(&all);
    return HWC_OK;
}

int hwc_set_sequence_find_victims(struct hwc_set_sequence *sequence, bool *holds_victims, struct hwc_error *error)
{
    const struct hwc_witness *witness = &sequence->lab->witness[sequence->level];
    size_t together = sequence->ways + (size_t)sequence->lab->known->level[sequence->level - 1].ways;
    double readings[BATCH], hits = sequence->overhead, least = HWC_HALF_A_MISS;
    uint8_t names[2 * HWC_SET_LINES];

    *holds_victims = false;
    if (sequence->level == 1 || sequence->set.lines < together || !sequence->emptied)
        return HWC_OK;
    for (size_t i = 0; i < together; i++)
        names[i] = (uint8_t)i;
    TRY(build(sequence, &sequence->before, names, together, 0, error));
    TRY(build(sequence, &sequence->visits, names, together, 0, error));
    for (unsigned i = 0; i < BATCH; i++)
        TRY(read_visits(sequence, &readings[i], error));
    if (sequence->timed) { /* what hits of this level take is known to less than a miss in all */
        hits = (double)together * witness->hit_cycles / (witness->miss_cycles - witness->hit_cycles);
        least = 1 + HWC_HALF_A_MISS;
    }
    *holds_victims = hwc_median(readings, BATCH) - hits < least;
    return HWC_OK;
}

static int append_all(struct hwc_walk *walk, const uint64_t *lines, size_t count, struct hwc_error *error)
{
    for (size_t i = 0; i < count; i++)
        TRY(hwc_walk_append(walk, lines[i], error));
    return HWC_OK;
}

/* More than the set holds: lines to fill it with before or, where it is emptied, as many as a set of the level above
 * holds. */
static size_t lines_wanted(const struct hwc_set_sequence *sequence)
{
    size_t above = (size_t)sequence->lab->known->level[sequence->level - 1].ways;
    size_t more = above > HWC_MORE_LINES ? above : HWC_MORE_LINES;

    if (!sequence->emptied)
        more = sequence->ways + HWC_MORE_LINES;
    return sequence->ways + more < HWC_SET_LINES ? sequence->ways + more : HWC_SET_LINES;
}

static int find_lines(struct hwc_set_sequence *sequence, const struct hwc_conflict_plan *plan, size_t evictors,
                      struct hwc_error *error)
{
    struct hwc_set *set = &sequence->set;

    TRY(hwc_find_set(sequence->lab, plan, lines_wanted(sequence), evictors, set, error));
    TRY(append_all(&sequence->lines, set->line, set->lines, error));
    TRY(append_all(&sequence->evictors, set->evictor, set->evictors, error));
    TRY(build_fitting(sequence, error));
    return sequence->timed ? HWC_OK : count_overhead(sequence, error);
}

int hwc_set_sequence_open(struct hwc_set_sequence *sequence, struct hwc_lab *lab, unsigned level, size_t evictors,
                          bool emptied, struct hwc_error *error)
{
    struct hwc_walk *const repeated[] = {&sequence->evictors, &sequence->before, &sequence->visits,
                                         &sequence->fitting_before, &sequence->fitting};
    struct hwc_conflict_plan plan;
    int status;

    *sequence = (struct hwc_set_sequence){.lab = lab,
                                          .level = level,
                                          .ways = (unsigned)lab->known->level[level].ways,
                                          .emptied = emptied,
                                          .timed = !hwc_counts(&lab->witness[level])};
    hwc_walk_init(&sequence->lines);
    for (size_t i = 0; i < sizeof repeated / sizeof repeated[0]; i++) {
        hwc_walk_init(repeated[i]);
        repeated[i]->repeats = true;
    }
    status = hwc_open_look(lab, level, &lab->known->level[level].look, &sequence->arena, &plan, error);
    if (status == HWC_OK)
        status = find_lines(sequence, &plan, evictors, error);
    if (status != HWC_OK)
        hwc_set_sequence_close(sequence);
    return status;
}

void hwc_set_sequence_close(struct hwc_set_sequence *sequence)
{
    struct hwc_walk *const walks[] = {&sequence->lines,  &sequence->evictors,       &sequence->before,
                                      &sequence->visits, &sequence->fitting_before, &sequence->fitting};

    for (size_t i = 0; i < sizeof walks / sizeof walks[0]; i++)
        hwc_walk_free(walks[i]);
    hwc_close_arena(sequence->lab, &sequence->arena);
}
