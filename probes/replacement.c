/* Replacement policy of every data-cache level.
 *
 * Claim: the policy is the one candidate whose prediction of the misses of
 * every random sequence over one set holds.
 *
 * Method: AMP (ISPASS 2001, 3.5) told LRU from random by the misses of one
 * walk. Here random sequences over three lines more than a set holds are
 * played on the machine and on a model of each candidate: LRU, FIFO, trees of
 * bits, MRU, NRU, SRRIP and the QLRU family (nanoBench's naming; Abel and
 * Reineke, ISPASS 2020). Each next sequence is the one, of many drawn, that
 * tells most of the candidates that are left apart. What no sequence tells
 * apart is named beside.
 *
 * What can fool it:
 * - the levels above: lines that they serve are not seen here, so washers
 *   follow every access;
 * - what was in the set before: it is flushed, and every line is visited once
 *   before anything is counted;
 * - an exclusive level, where a hit takes the line away and the line comes back
 *   as a victim: as many lines as fit here and in the level above together all
 *   stay, under every policy, after one visit each. Candidates are then played
 *   that way;
 * - chance: where no candidate's predictions hold and repetitions differ, the
 *   mean of many is held against random replacement's;
 * - adaptive caches: sets that follow different policies give ballots that
 *   disagree. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conflict.h"
#include "set_model.h"
#include "statistics.h"
#include "table.h"

#define MORE_LINES 3
#define MOST_ACCESSES 80
#define MOST_CANDIDATES 400
#define MOST_SEQUENCES 32
#define DRAWN 64
/* Nearly every sequence tells most of many candidates apart. */
#define DRAWN_FOR_MANY 4
#define MANY_LEFT 40
#define CONFIRMATIONS 3
#define CONDITION 16
#define HISTORY 64

struct candidate {
    char name[32];
    struct hwc_policy policy;
    bool victims; /* the level holds what the one above throws out */
};

struct context {
    unsigned level;
    struct candidate candidate[MOST_CANDIDATES];
    size_t candidates;
    bool survived[MOST_CANDIDATES]; /* in every ballot that named what the first one named */
    int64_t named;                  /* -1 = nothing yet */
    size_t washers;                 /* behind each access */
};

/* One ballot: the machine's set and what is left of the candidates. */
struct trial {
    struct hwc_lab *lab;
    unsigned level;
    unsigned ways;
    struct hwc_arena arena;
    struct hwc_set set;
    size_t names;  /* lines that sequences are about */
    size_t length; /* of a sequence */
    struct hwc_walk lines, washers, conditioning, before, walk;
    uint8_t condition[CONDITION]; /* visits that bring the set to one state whatever it was in */
    uint8_t history[HISTORY];
    bool exclusive;
    double nothing; /* the reading of a sequence that does not miss */
    bool left[MOST_CANDIDATES];
    uint8_t failed[MOST_CANDIDATES]; /* predictions */
};

struct sequence {
    uint8_t before[2 * HWC_SET_LINES]; /* the visits before anything is counted */
    size_t before_count;
    uint8_t name[MOST_ACCESSES];
};

static void add_candidate(struct context *context, const char *name, bool victims)
{
    struct candidate *candidate = &context->candidate[context->candidates];

    if (context->candidates == MOST_CANDIDATES || !hwc_policy_parse(name, &candidate->policy))
        return;
    snprintf(candidate->name, sizeof candidate->name, "%s", name);
    candidate->victims = victims;
    context->candidates++;
}

/* Simple names first: of candidates that cannot be told apart the first names
 * them all. The QLRU family's ages are known only where a flush brings the set
 * into a known state. */
static void list_candidates(struct context *context, bool flushes)
{
    static const char *const plain[] = {"lru", "fifo", "tree-plru", "bit-plru", "nru", "srrip"};
    static const char *const common[] = {"QLRU_H00_M1_R2_U1", "QLRU_H11_M1_R0_U0", "QLRU_H00_M1_R0_U1", "srrip"};

    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
        add_candidate(context, plain[i], false);
    for (unsigned i = 0; flushes && i < 3 * 2 * 4 * 3 * 4 * 2; i++) {
        char name[40];
        snprintf(name, sizeof name, "QLRU_H%u%u_M%u_R%u_U%u%s", i / 2 % 3, i / 6 % 2, i / 12 % 4, i / 48 % 3,
                 i / 144 % 4, i % 2 == 1 ? "_UMO" : "");
        add_candidate(context, name, false);
    }
    for (size_t i = 0; flushes && i < sizeof plain / sizeof plain[0] - 1; i++)
        add_candidate(context, plain[i], true);
    for (size_t i = 0; flushes && i < sizeof common / sizeof common[0]; i++)
        add_candidate(context, common[i], true);
}

/* Every line once, after those that fill the set where nothing flushes it. */
static void draw_sequence(const struct trial *trial, struct hwc_random *random, struct sequence *sequence)
{
    sequence->before_count = 0;
    for (size_t i = trial->names; i < trial->set.lines && !trial->lab->machine->flushes; i++)
        sequence->before[sequence->before_count++] = (uint8_t)i;
    for (size_t i = 0; i < trial->names; i++)
        sequence->before[sequence->before_count++] = (uint8_t)i;
    for (size_t i = 0; i < trial->length; i++)
        sequence->name[i] = (uint8_t)hwc_random_below(random, trial->names);
}

/* What came before the set was conditioned, and what a flush does to what the
 * policy remembers, is not known: a prediction for each. */
#define HISTORIES 4

static unsigned predict(const struct candidate *candidate, const struct trial *trial, const struct sequence *sequence,
                        unsigned history, struct hwc_random *random)
{
    struct hwc_set_model set;

    hwc_set_model_init(&set, &candidate->policy, trial->ways, candidate->victims);
    if (history >= 2)
        hwc_set_model_play(&set, trial->history, HISTORY, random);
    hwc_set_model_play(&set, trial->condition, CONDITION, random);
    if (trial->lab->machine->flushes)
        hwc_set_model_flush(&set, history % 2 == 0);
    hwc_set_model_play(&set, sequence->before, sequence->before_count, random);
    return hwc_set_model_play(&set, sequence->name, trial->length, random);
}

/* Each access, and behind it what puts its line out of the levels above. */
static int build(const struct trial *trial, struct hwc_walk *walk, const uint8_t *names, size_t count,
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

/* One reading of trial->walk behind trial->before: misses, or cycles in units of a miss. */
static int read_once(struct trial *trial, double *reading, struct hwc_error *error)
{
    const struct hwc_witness *witness = &trial->lab->witness[trial->level];
    struct hwc_experiment experiment = {.arena = &trial->arena};
    struct hwc_sample sample;
    int status;

    hwc_ask_witness(witness, &experiment);
    experiment.step[experiment.steps++] = (struct hwc_step){HWC_RUN, &trial->conditioning, 1};
    if (trial->lab->machine->flushes)
        experiment.step[experiment.steps++] = (struct hwc_step){HWC_FLUSH, &trial->lines, 1};
    if (trial->set.washers > 0)
        experiment.step[experiment.steps++] = (struct hwc_step){HWC_RUN, &trial->washers, 2};
    experiment.step[experiment.steps++] = (struct hwc_step){HWC_RUN, &trial->before, 1};
    experiment.step[experiment.steps++] = (struct hwc_step){HWC_MEASURE, &trial->walk, 1};
    status = hwc_lab_sample(trial->lab, &experiment, &sample, error);
    if (status == HWC_OK)
        *reading = hwc_count_reading(witness, &sample.reading[0]);
    return status;
}

#define WEIGHED 15

static bool is_weighed(const struct trial *trial)
{
    return !hwc_counts(&trial->lab->witness[trial->level]);
}

/* Counts: the least of a few. Times vary to both sides, by more than the least
 * of them can be trusted with: the median of many. */
static int read_settled(struct trial *trial, double *reading, struct hwc_error *error)
{
    unsigned samples = is_weighed(trial) ? WEIGHED : trial->lab->settings.samples;
    double once[WEIGHED], least = INFINITY;
    /* The first reading of a walk may meet lines that were written to lay it out. */
    int status = trial->lab->machine->shares_caches ? read_once(trial, &once[0], error) : HWC_OK;

    if (samples > WEIGHED)
        samples = WEIGHED;
    for (unsigned i = 0; i < samples; i++) {
        if (status == HWC_OK)
            status = read_once(trial, &once[i], error);
        if (status != HWC_OK)
            return status;
        if (trial->lab->witness[trial->level].kind == HWC_COUNTER && i >= 1 && once[i] >= least)
            break;
        least = fmin(least, once[i]);
    }
    *reading = is_weighed(trial) ? hwc_median(once, samples) : least;
    return HWC_OK;
}

/* One line again and again: it misses no more once it was visited. */
static int measure_nothing(struct trial *trial, struct hwc_error *error)
{
    uint8_t same[MOST_ACCESSES] = {0};
    int status = build(trial, &trial->before, same, 1, error);

    if (status == HWC_OK)
        status = build(trial, &trial->walk, same, trial->length, error);
    return status == HWC_OK ? read_settled(trial, &trial->nothing, error) : status;
}

static int build_sequence(struct trial *trial, const struct sequence *sequence, struct hwc_error *error)
{
    int status = build(trial, &trial->before, sequence->before, sequence->before_count, error);

    return status == HWC_OK ? build(trial, &trial->walk, sequence->name, trial->length, error) : status;
}

/* How many different predictions do those that are left make? */
static size_t classes(const struct context *context, const struct trial *trial, const struct sequence *sequence,
                      struct hwc_random *random)
{
    bool seen[MOST_ACCESSES + 1] = {false};
    size_t count = 0;

    for (size_t i = 0; i < context->candidates; i++) {
        unsigned misses;
        if (!trial->left[i])
            continue;
        misses = predict(&context->candidate[i], trial, sequence, 0, random);
        count += !seen[misses];
        seen[misses] = true;
    }
    return count;
}

static size_t choose_sequence(const struct context *context, const struct trial *trial, size_t left,
                              struct sequence *best)
{
    struct hwc_random *random = &trial->lab->random;
    size_t most = 0;

    for (size_t i = 0; i < (left > MANY_LEFT ? DRAWN_FOR_MANY : DRAWN) && most < left; i++) {
        struct sequence drawn;
        size_t found;
        draw_sequence(trial, random, &drawn);
        found = classes(context, trial, &drawn, random);
        if (found > most) {
            most = found;
            *best = drawn;
        }
    }
    return most;
}

/* A count is exact. A time may be wrong once, and must not put out the right one. */
static unsigned failures_allowed(const struct trial *trial)
{
    return is_weighed(trial) ? 1 : 0;
}

static size_t eliminate(const struct context *context, struct trial *trial, const struct sequence *sequence,
                        double misses)
{
    size_t left = 0;

    for (size_t i = 0; i < context->candidates; i++) {
        bool holds = false;
        for (unsigned history = 0; trial->left[i] && !holds && history < HISTORIES; history++)
            holds = fabs(predict(&context->candidate[i], trial, sequence, history, &trial->lab->random) - misses) < 0.5;
        if (trial->left[i] && !holds)
            trial->failed[i]++;
        trial->left[i] = trial->left[i] && trial->failed[i] <= failures_allowed(trial);
        left += trial->left[i];
    }
    return left;
}

/* One pass over as many lines as this set and the one above hold together, when
 * each was visited once: does it miss? */
static int find_exclusion(struct trial *trial, struct hwc_error *error)
{
    const struct hwc_witness *witness = &trial->lab->witness[trial->level];
    size_t together = trial->ways + (size_t)trial->lab->level[trial->level - 1].ways;
    uint8_t names[2 * HWC_SET_LINES];
    size_t washers = trial->set.washers;
    double reading = 0, hits;
    int status;

    trial->exclusive = false;
    if (trial->level == 1 || trial->set.lines < together || !trial->lab->machine->flushes)
        return HWC_OK;
    for (size_t i = 0; i < together; i++)
        names[i] = (uint8_t)i;
    trial->set.washers = 0;
    status = build(trial, &trial->before, names, together, error);
    if (status == HWC_OK)
        status = build(trial, &trial->walk, names, together, error);
    if (status == HWC_OK)
        status = read_settled(trial, &reading, error);
    trial->set.washers = washers;
    hits = is_weighed(trial) ? (double)together * witness->hit_cycles / (witness->miss_cycles - witness->hit_cycles)
                             : trial->nothing;
    trial->exclusive = reading - hits < (is_weighed(trial) ? 1.5 : 0.5);
    return status;
}

/* Sequences until those that are left cannot be told apart, and a few to confirm. */
static int narrow(const struct context *context, struct trial *trial, size_t *left, struct hwc_error *error)
{
    unsigned confirmed = 0;

    *left = context->candidates;
    for (size_t i = 0; i < context->candidates; i++)
        trial->left[i] = context->candidate[i].victims == trial->exclusive;
    for (int i = 0; i < MOST_SEQUENCES && *left > 0 && confirmed < CONFIRMATIONS; i++) {
        struct sequence sequence;
        double reading;
        int status;
        confirmed += choose_sequence(context, trial, *left, &sequence) == 1;
        status = build_sequence(trial, &sequence, error);
        if (status == HWC_OK)
            status = read_settled(trial, &reading, error);
        if (status != HWC_OK)
            return status;
        *left = eliminate(context, trial, &sequence, reading - trial->nothing);
    }
    return HWC_OK;
}

#define REPETITIONS 64
#define STANDARD_ERRORS 4

/* Mean and variance of trial->walk's readings. */
static int repeat(struct trial *trial, double *mean, double *variance, struct hwc_error *error)
{
    double sum = 0, squares = 0;

    for (int i = 0; i < REPETITIONS; i++) {
        double reading;
        int status = read_once(trial, &reading, error);
        if (status != HWC_OK)
            return status;
        sum += reading;
        squares += reading * reading;
    }
    *mean = sum / REPETITIONS;
    *variance = squares / REPETITIONS - *mean * *mean;
    return HWC_OK;
}

/* Is the mean of many repetitions what random replacement gives, and their
 * spread more than that of a walk that never misses? */
static int looks_random(struct trial *trial, bool *random, struct hwc_error *error)
{
    struct candidate chance = {.policy = {.kind = HWC_RANDOM}};
    struct sequence sequence;
    double nothing, noise, measured, variance, expected = 0;
    int status = measure_nothing(trial, error);

    if (status == HWC_OK)
        status = repeat(trial, &nothing, &noise, error);
    draw_sequence(trial, &trial->lab->random, &sequence);
    if (status == HWC_OK)
        status = build_sequence(trial, &sequence, error);
    if (status == HWC_OK)
        status = repeat(trial, &measured, &variance, error);
    if (status != HWC_OK)
        return status;
    for (int i = 0; i < 16 * REPETITIONS; i++)
        expected += predict(&chance, trial, &sequence, 0, &trial->lab->random) / (16.0 * REPETITIONS);
    *random = variance > 1 + 4 * noise &&
              fabs(measured - nothing - expected) < STANDARD_ERRORS * sqrt((variance + noise) / REPETITIONS) + 0.25;
    return HWC_OK;
}

static int decide(struct context *context, struct trial *trial, struct hwc_ballot *ballot, struct hwc_error *error)
{
    const struct hwc_lab *lab = trial->lab;
    size_t left = 0, first = 0;
    bool random = false;
    int status = measure_nothing(trial, error);

    if (status == HWC_OK)
        status = find_exclusion(trial, error);
    if (status == HWC_OK)
        status = narrow(context, trial, &left, error);
    if (status == HWC_OK && left == 0)
        status = looks_random(trial, &random, error);
    if (status != HWC_OK)
        return status;
    if (left == 0 && random && lab->machine->noisy && lab->witness[trial->level].kind == HWC_CLOCK)
        return hwc_fail(error, HWC_UNAVAILABLE, "repetitions differ, by chance or by what others do here");
    if (left == 0 && !random)
        return hwc_fail(error, HWC_UNAVAILABLE, "no policy that is known predicts what is counted");
    while (left > 0 && !trial->left[first])
        first++;
    ballot->cast[0] = true;
    ballot->value[0] = left > 0 ? (int64_t)first : MOST_CANDIDATES;
    if (context->named < 0) {
        context->named = ballot->value[0];
        memcpy(context->survived, trial->left, sizeof context->survived);
    }
    for (size_t i = 0; context->named == ballot->value[0] && i < context->candidates; i++)
        context->survived[i] = context->survived[i] && trial->left[i];
    return HWC_OK;
}

static void close_trial(struct trial *trial)
{
    hwc_walk_free(&trial->lines);
    hwc_walk_free(&trial->washers);
    hwc_walk_free(&trial->conditioning);
    hwc_walk_free(&trial->before);
    hwc_walk_free(&trial->walk);
    trial->lab->machine->ops->arena_close(trial->lab->machine, &trial->arena);
}

static int open_trial(struct trial *trial, struct hwc_lab *lab, const struct context *context,
                      struct hwc_error *error)
{
    unsigned level = context->level;
    size_t ways = (size_t)lab->level[level].ways;
    size_t above = (size_t)lab->level[level - 1].ways;
    struct hwc_conflict_plan plan;
    size_t wanted;
    int status = hwc_open_look(lab, level, &lab->level[level].look, &trial->arena, &plan, error);

    if (status != HWC_OK)
        return status;
    trial->lab = lab;
    trial->level = level;
    trial->ways = (unsigned)ways;
    trial->names = ways + MORE_LINES;
    trial->length = 4 * ways < 24 ? 24 : 4 * ways > MOST_ACCESSES ? MOST_ACCESSES : 4 * ways;
    hwc_walk_init(&trial->lines);
    hwc_walk_init(&trial->washers);
    hwc_walk_init(&trial->conditioning);
    hwc_walk_init(&trial->before);
    hwc_walk_init(&trial->walk);
    trial->conditioning.repeats = trial->before.repeats = trial->walk.repeats = trial->washers.repeats = true;
    if (lab->machine->flushes)
        wanted = ways + (above > MORE_LINES ? above : MORE_LINES); /* as find_exclusion needs */
    else
        wanted = trial->names + ways; /* others fill the set first */
    status = hwc_find_set(lab, &plan, wanted < HWC_SET_LINES ? wanted : HWC_SET_LINES, context->washers, &trial->set,
                          error);
    for (size_t i = 0; i < trial->set.lines && status == HWC_OK; i++)
        status = hwc_walk_append(&trial->lines, trial->set.line[i], error);
    for (size_t i = 0; i < trial->set.washers && status == HWC_OK; i++)
        status = hwc_walk_append(&trial->washers, trial->set.washer[i], error);
    for (size_t i = 0; i < CONDITION; i++)
        trial->condition[i] = (uint8_t)hwc_random_below(&lab->random, trial->names);
    for (size_t i = 0; i < HISTORY; i++)
        trial->history[i] = (uint8_t)hwc_random_below(&lab->random, trial->names);
    if (status == HWC_OK)
        status = build(trial, &trial->conditioning, trial->condition, CONDITION, error);
    if (status != HWC_OK)
        close_trial(trial);
    return status;
}

static int measure(struct hwc_lab *lab, void *data, struct hwc_ballot *ballot, struct hwc_error *error)
{
    struct context *context = data;
    struct trial *trial = calloc(1, sizeof *trial);
    int status = trial != NULL ? open_trial(trial, lab, context, error)
                               : hwc_fail(error, HWC_NO_MEMORY, "no memory");

    if (status == HWC_OK) {
        status = decide(context, trial, ballot, error);
        close_trial(trial);
    }
    free(trial);
    return status;
}

static void append(char *text, size_t size, const char *between, const char *name)
{
    size_t used = strlen(text);

    snprintf(text + used, size - used, "%s%s", used > 0 ? between : "", name);
}

/* No sequence tells those that survived apart. As policies of a level of its
 * own they are one, by its first name; the other names are given beside. Of a
 * level that holds victims much of a policy does not show, and they are many. */
static void name_all(const struct context *context, struct hwc_finding *finding)
{
    bool own = false;

    if (finding->value == MOST_CANDIDATES) {
        snprintf(finding->text, sizeof finding->text, "random");
        return;
    }
    for (size_t i = 0; i < context->candidates; i++) {
        const struct candidate *candidate = &context->candidate[i];
        if (!context->survived[i] || (own && candidate->victims))
            continue;
        own = own || !candidate->victims;
        if (finding->text[0] == '\0' || candidate->victims)
            append(finding->text, sizeof finding->text, "|", candidate->name);
        else
            append(finding->alternatives, sizeof finding->alternatives, " ", candidate->name);
    }
}

static const char *why_not(const struct hwc_lab *lab, unsigned level)
{
    if (lab->level[level].ways == 0 || lab->level[level].look.stride == 0)
        return "the level's geometry is not known";
    if (lab->level[level].ways < 2)
        return "a direct-mapped level has none";
    if (lab->level[level].ways + MORE_LINES > HWC_SET_LINES)
        return "sets of so many ways are not looked at";
    return NULL;
}

/* Under some policies more washers are needed than under others to put a line
 * out of the levels above, and there is room for so many: one ballot before the
 * vote says. */
static int rehearse(struct hwc_lab *lab, struct context *context, struct hwc_error *error)
{
    size_t ways = hwc_ways_above(lab, context->level);
    const size_t tries[] = {2 * ways, 4 * ways, ways + ways / 2 + 1, ways + 1};
    int status = HWC_OK;

    for (size_t i = 0; context->level > 1 && i < sizeof tries / sizeof tries[0]; i++) {
        struct hwc_ballot ballot = {0};
        context->washers = tries[i] < HWC_SET_WASHERS ? tries[i] : HWC_SET_WASHERS;
        status = measure(lab, context, &ballot, error);
        if (status != HWC_UNAVAILABLE)
            break;
    }
    context->named = -1;
    return status;
}

static int run_level(struct hwc_lab *lab, struct context *context, struct hwc_finding *finding,
                     struct hwc_error *error)
{
    const char *reason = why_not(lab, context->level);
    double started = hwc_lab_elapsed(lab);
    struct hwc_result result;
    int status;

    if (reason != NULL) {
        hwc_finding_unknown(finding, "%s", reason);
        return HWC_OK;
    }
    for (size_t i = 0; i < context->candidates; i++)
        hwc_policy_prepare(&context->candidate[i].policy, (unsigned)lab->level[context->level].ways);
    status = rehearse(lab, context, error);
    if (status == HWC_UNAVAILABLE || status == HWC_NO_MEMORY) {
        hwc_finding_unknown(finding, "%s", error->message);
        return HWC_OK;
    }
    if (status == HWC_OK)
        status = hwc_finding_by_vote(lab, measure, context, &lab->witness[context->level], "policy", finding, &result,
                                     error);
    if (status != HWC_OK)
        return status;
    finding->seconds = hwc_lab_elapsed(lab) - started;
    if (result.decided && result.value != context->named) {
        memset(context->survived, 0, sizeof context->survived); /* the first ballot was an exception */
        context->survived[result.value % MOST_CANDIDATES] = true;
    }
    if (result.decided)
        name_all(context, finding);
    return HWC_OK;
}

static int run(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    struct context *context = calloc(1, sizeof *context);
    int status = context != NULL ? HWC_OK : hwc_fail(error, HWC_NO_MEMORY, "no memory");

    if (status == HWC_OK)
        list_candidates(context, lab->machine->flushes);
    for (unsigned level = 1; status == HWC_OK && level <= profile->caches; level++) {
        context->level = level;
        status = run_level(lab, context, &profile->cache[level - 1].replacement, error);
    }
    free(context);
    return status;
}

const struct hwc_probe hwc_probe_replacement = {
    .name = "replacement",
    .summary = "replacement policy of every data-cache level",
    .source = "Coleman and Davidson, ISPASS 2001, 3.5; Abel and Reineke, ISPASS 2020",
    .needs = &hwc_probe_data_cache,
    .run = run,
};
