/* Replacement policy of every data-cache level.
 *
 * Claim: the policy is the one candidate whose prediction of the misses of
 * every random sequence over one set holds.
 *
 * Method: AMP (ISPASS 2001, 3.5) told LRU from random by the misses of one
 * walk. Here random sequences over three lines more than a set holds are
 * played on the machine and on a model of each candidate: LRU, FIFO, trees of
 * bits, groups of such, MRU, NRU, SRRIP and the QLRU family (nanoBench's
 * naming; Abel and Reineke, ISPASS 2020). Each next sequence is the one, of many drawn, that
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
 * - adaptive caches, whose sets follow what suits others: they are recognised
 *   before (src/duel.h), and called that. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "candidates.h"
#include "duel.h"
#include "set_model.h"
#include "table.h"
#include "trial.h"

#define MOST_SEQUENCES 32
#define DRAWN 64
/* Nearly every sequence tells most of many candidates apart. */
#define DRAWN_FOR_MANY 4
#define MANY_LEFT 40
#define CONFIRMATIONS 3
/* Where others come between in bursts, what they did shows in some readings. */
#define CONFIRMATIONS_IF_WARY 6
#define FAILURES_IF_WARY 2

struct context {
    unsigned level;
    struct hwc_candidates candidates;
    char *alternatives;             /* HWC_POLICY_NAMES, for other names of what is found */
    size_t washers;                 /* behind each access */
    struct hwc_usage *usage;        /* each ballot begins with this use of all sets; NULL = with none */
    enum hwc_use use;
};

/* One ballot: a set of the machine, and what is left of the candidates. */
struct inquiry {
    struct hwc_trial trial;
    bool exclusive;
    double nothing; /* the reading of a sequence that does not miss */
    bool left[HWC_MOST_CANDIDATES];
    uint8_t failed[HWC_MOST_CANDIDATES]; /* predictions */
};

/* The QLRU family's ages are known only where a flush brings the set into a known state. */
static void list_candidates(struct hwc_candidates *candidates, unsigned ways, bool flushes)
{
    candidates->count = 0;
    hwc_add_plain(candidates, false);
    hwc_add_trees(candidates, ways);
    if (!flushes)
        return;
    hwc_add_qlru(candidates);
    hwc_add_plain(candidates, true);
    hwc_add_common_qlru(candidates, true);
}

/* What came before the set was conditioned, and what a flush does to what the
 * policy remembers, is not known: a prediction for each. */
#define HISTORIES 4

static unsigned predict(const struct hwc_candidate *candidate, const struct hwc_trial *trial,
                        const struct hwc_sequence *sequence, unsigned history, struct hwc_random *random)
{
    struct hwc_set_model set;
    unsigned before;

    hwc_set_model_init(&set, &candidate->policy, trial->ways, candidate->victims);
    if (history >= 2)
        hwc_set_model_play(&set, trial->history, HWC_TRIAL_HISTORY, random);
    hwc_set_model_play(&set, trial->condition, HWC_TRIAL_CONDITION, random);
    if (trial->flushed)
        hwc_set_model_flush(&set, history % 2 == 0);
    if (trial->joined)
        hwc_set_model_play(&set, hwc_trial_first, 1, random);
    before = hwc_set_model_play(&set, sequence->before, sequence->before_count, random);
    return (trial->joined ? before : 0) + hwc_set_model_play(&set, sequence->name, trial->length, random);
}

/* One line again and again: it misses no more once it was visited. As often as
 * sequences visit lines, as what a machine's own list of them misses is taken off. */
static int measure_nothing(struct inquiry *inquiry, struct hwc_error *error)
{
    struct hwc_trial *trial = &inquiry->trial;
    uint8_t same[HWC_TRIAL_MISSES] = {0};
    size_t before = trial->joined ? trial->set.lines : 0;
    int status = hwc_trial_build(trial, &trial->before, hwc_trial_first, 1, error);

    if (status == HWC_OK)
        status = hwc_trial_build(trial, &trial->walk, same, before + trial->length, error);
    return status == HWC_OK ? hwc_trial_settle(trial, &inquiry->nothing, error) : status;
}

/* How many different predictions do those that are left make? */
static size_t classes(const struct context *context, const struct inquiry *inquiry, const struct hwc_sequence *sequence,
                      struct hwc_random *random)
{
    bool seen[HWC_TRIAL_MISSES + 1] = {false};
    size_t count = 0;

    for (size_t i = 0; i < context->candidates.count; i++) {
        unsigned misses;
        if (!inquiry->left[i])
            continue;
        misses = predict(&context->candidates.item[i], &inquiry->trial, sequence, 0, random);
        count += !seen[misses];
        seen[misses] = true;
    }
    return count;
}

static size_t choose_sequence(const struct context *context, const struct inquiry *inquiry, size_t left,
                              struct hwc_sequence *best)
{
    struct hwc_random *random = &inquiry->trial.lab->random;
    size_t most = 0;

    for (size_t i = 0; i < (left > MANY_LEFT ? DRAWN_FOR_MANY : DRAWN) && most < left; i++) {
        struct hwc_sequence drawn;
        size_t found;
        hwc_trial_draw(&inquiry->trial, random, &drawn);
        found = classes(context, inquiry, &drawn, random);
        if (found > most) {
            most = found;
            *best = drawn;
        }
    }
    return most;
}

static bool is_wary(const struct inquiry *inquiry)
{
    return inquiry->trial.fitting.count > 0;
}

/* A count is exact. A time may be wrong once, and must not put out the right one. */
static unsigned failures_allowed(const struct inquiry *inquiry)
{
    if (is_wary(inquiry))
        return FAILURES_IF_WARY;
    return hwc_trial_is_weighed(&inquiry->trial) ? 1 : 0;
}

/* Does the candidate predict so many misses, whatever the set's history? */
static bool holds(const struct hwc_candidate *candidate, const struct hwc_trial *trial,
                  const struct hwc_sequence *sequence, double misses)
{
    for (unsigned history = 0; history < HISTORIES; history++)
        if (fabs(predict(candidate, trial, sequence, history, &trial->lab->random) - misses) < 0.5)
            return true;
    return false;
}

static size_t eliminate(const struct context *context, struct inquiry *inquiry, const struct hwc_sequence *sequence,
                        double misses)
{
    size_t left = 0;

    for (size_t i = 0; i < context->candidates.count; i++) {
        if (inquiry->left[i] && !holds(&context->candidates.item[i], &inquiry->trial, sequence, misses))
            inquiry->failed[i]++;
        inquiry->left[i] = inquiry->left[i] && inquiry->failed[i] <= failures_allowed(inquiry);
        left += inquiry->left[i];
    }
    return left;
}

/* One pass over as many lines as this set and the one above hold together, when
 * each was visited once: does it miss? */
static int find_exclusion(struct inquiry *inquiry, struct hwc_error *error)
{
    struct hwc_trial *trial = &inquiry->trial;
    const struct hwc_witness *witness = &trial->lab->witness[trial->level];
    size_t together = trial->ways + (size_t)trial->lab->known->level[trial->level - 1].ways;
    uint8_t names[2 * HWC_SET_LINES];
    size_t washers = trial->set.washers;
    bool weighed = hwc_trial_is_weighed(trial);
    double reading = 0, hits;
    int status;

    inquiry->exclusive = false;
    if (trial->level == 1 || trial->set.lines < together || !trial->lab->machine->flushes)
        return HWC_OK;
    for (size_t i = 0; i < together; i++)
        names[i] = (uint8_t)i;
    trial->set.washers = 0;
    status = hwc_trial_build(trial, &trial->before, names, together, error);
    if (status == HWC_OK)
        status = hwc_trial_build(trial, &trial->walk, names, together, error);
    if (status == HWC_OK)
        status = hwc_trial_settle(trial, &reading, error);
    trial->set.washers = washers;
    hits = weighed ? (double)together * witness->hit_cycles / (witness->miss_cycles - witness->hit_cycles)
                   : inquiry->nothing;
    inquiry->exclusive = reading - hits < (weighed ? 1.5 : 0.5);
    return status;
}

/* Sequences until those that are left cannot be told apart, and a few to confirm. */
static int narrow(const struct context *context, struct inquiry *inquiry, size_t *left, struct hwc_error *error)
{
    unsigned confirmed = 0, enough = is_wary(inquiry) ? CONFIRMATIONS_IF_WARY : CONFIRMATIONS;

    *left = context->candidates.count;
    for (size_t i = 0; i < context->candidates.count; i++)
        inquiry->left[i] = context->candidates.item[i].victims == inquiry->exclusive;
    for (int i = 0; i < MOST_SEQUENCES && *left > 0 && confirmed < enough; i++) {
        struct hwc_sequence sequence;
        double reading;
        int status;
        confirmed += choose_sequence(context, inquiry, *left, &sequence) == 1;
        status = hwc_trial_build_sequence(&inquiry->trial, &sequence, error);
        if (status == HWC_OK)
            status = hwc_trial_settle(&inquiry->trial, &reading, error);
        if (status != HWC_OK)
            return status;
        *left = eliminate(context, inquiry, &sequence, reading - inquiry->nothing);
    }
    return HWC_OK;
}

#define REPETITIONS 64
#define STANDARD_ERRORS 4

/* Mean and variance of the walk's readings. */
static int repeat(struct inquiry *inquiry, double *mean, double *variance, struct hwc_error *error)
{
    double sum = 0, squares = 0;

    for (int i = 0; i < REPETITIONS; i++) {
        double reading;
        int status = hwc_trial_read(&inquiry->trial, &reading, error);
        if (status != HWC_OK)
            return status;
        sum += reading;
        squares += reading * reading;
    }
    *mean = sum / REPETITIONS;
    *variance = squares / REPETITIONS - *mean * *mean;
    return HWC_OK;
}

/* Is the mean of many repetitions of the sequence what random replacement gives,
 * and their spread more than that of a walk that never misses? */
static int behaves_randomly(struct inquiry *inquiry, const struct hwc_sequence *sequence, double nothing, double noise,
                            bool *random, struct hwc_error *error)
{
    struct hwc_candidate chance = {.policy = {.kind = HWC_RANDOM}};
    struct hwc_trial *trial = &inquiry->trial;
    double measured = 0, variance = 0, expected = 0;
    int status = hwc_trial_build_sequence(trial, sequence, error);

    if (status == HWC_OK)
        status = repeat(inquiry, &measured, &variance, error);
    for (int i = 0; i < 16 * REPETITIONS && status == HWC_OK; i++)
        expected += predict(&chance, trial, sequence, 0, &trial->lab->random) / (16.0 * REPETITIONS);
    *random = variance > 1 + 4 * noise &&
              fabs(measured - nothing - expected) < STANDARD_ERRORS * sqrt((variance + noise) / REPETITIONS) + 0.25;
    return status;
}

/* By chance's sequence, and by one line more than fits, round and round: policies
 * that insert by chance keep far more of these than random replacement does. */
static int looks_random(struct inquiry *inquiry, bool *random, struct hwc_error *error)
{
    struct hwc_trial *trial = &inquiry->trial;
    struct hwc_sequence sequence;
    double nothing, noise;
    int status = measure_nothing(inquiry, error);

    if (status == HWC_OK)
        status = repeat(inquiry, &nothing, &noise, error);
    hwc_trial_draw(trial, &trial->lab->random, &sequence);
    if (status == HWC_OK)
        status = behaves_randomly(inquiry, &sequence, nothing, noise, random, error);
    hwc_trial_go_round(trial, &sequence);
    if (status == HWC_OK && *random)
        status = behaves_randomly(inquiry, &sequence, nothing, noise, random, error);
    return status;
}

static int decide(struct context *context, struct inquiry *inquiry, struct hwc_ballot *ballot, struct hwc_error *error)
{
    const struct hwc_lab *lab = inquiry->trial.lab;
    size_t left = 0;
    bool random = false;
    int status = measure_nothing(inquiry, error);

    if (status == HWC_OK)
        status = find_exclusion(inquiry, error);
    if (status == HWC_OK && hwc_trial_must_beware(lab, inquiry->trial.level)) {
        status = hwc_trial_beware(&inquiry->trial, error);
        inquiry->nothing = 0;
    }
    if (status == HWC_OK)
        status = narrow(context, inquiry, &left, error);
    if (status == HWC_OK && left == 0)
        status = looks_random(inquiry, &random, error);
    if (status != HWC_OK)
        return status;
    if (left == 0 && random && lab->machine->live && lab->witness[inquiry->trial.level].kind == HWC_CLOCK)
        return hwc_fail(error, HWC_UNAVAILABLE, "repetitions differ, by chance or by what others do here");
    if (left == 0 && !random)
        return hwc_fail(error, HWC_UNAVAILABLE, "no policy that is known predicts what is counted");
    hwc_cast_for_left(&context->candidates, inquiry->left, ballot);
    return HWC_OK;
}

static int measure(struct hwc_lab *lab, void *data, struct hwc_ballot *ballot, struct hwc_error *error)
{
    struct context *context = data;
    struct inquiry *inquiry = calloc(1, sizeof *inquiry);
    int status = inquiry != NULL ? hwc_trial_open(&inquiry->trial, lab, context->level, context->washers, error)
                                 : hwc_fail(error, HWC_NO_MEMORY, "no memory");

    if (status == HWC_OK) {
        if (context->usage != NULL)
            status = hwc_use(context->usage, context->use, error);
        if (status == HWC_OK)
            status = decide(context, inquiry, ballot, error);
        hwc_trial_close(&inquiry->trial);
    }
    free(inquiry);
    return status;
}

static struct hwc_reason why_not(const struct hwc_lab *lab, unsigned level)
{
    if (lab->known->level[level].ways == 0 || lab->known->level[level].look.stride == 0)
        return hwc_depends("the level's geometry is not known");
    if (lab->known->level[level].ways < 2)
        return hwc_nothing_there("a direct-mapped level has none");
    if (lab->known->level[level].ways + HWC_TRIAL_MORE_LINES > HWC_SET_LINES)
        return hwc_unavailable("sets of so many ways are not looked at");
    return HWC_NO_REASON;
}

static size_t room_for(size_t washers)
{
    return washers < HWC_SET_WASHERS ? washers : HWC_SET_WASHERS;
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
        context->washers = room_for(tries[i]);
        status = measure(lab, context, &ballot, error);
        if (status != HWC_UNAVAILABLE && status != HWC_INCONCLUSIVE)
            break;
    }
    hwc_forget_names(&context->candidates);
    return status;
}

static int name_policy(struct hwc_lab *lab, struct context *context, struct hwc_finding *finding,
                       struct hwc_error *error)
{
    struct hwc_result result;
    int status = rehearse(lab, context, error);

    if (hwc_came_to_nothing(status)) {
        hwc_finding_failed(finding, error);
        return HWC_OK;
    }
    if (status == HWC_OK)
        status = hwc_finding_by_vote(lab, measure, context, &lab->witness[context->level], finding, &result, error);
    if (status != HWC_OK)
        return status;
    if (result.decided)
        hwc_name_policy(&context->candidates, &result, context->alternatives, finding);
    return HWC_OK;
}

/* A few sets are looked at together, as using all sets takes longer than looking
 * at one. Not many: one that leads changes what the next follow. */
#define DUELS 3
#define GROUPS 4
static const enum hwc_use turns[HWC_DUEL_READINGS] = {HWC_SCANNED, HWC_USED_WELL, HWC_SCANNED};

static int take_turn(struct context *context, struct hwc_duel *duels, unsigned turn, struct hwc_error *error)
{
    int status = hwc_use(context->usage, turns[turn], error);

    for (int i = 0; i < DUELS && status == HWC_OK; i++)
        if (duels[i].open)
            status = hwc_duel_read(&duels[i], turn, error);
    return status;
}

/* Which sets of a group follow others? There, and only where any seems to, back again. */
static int count_followers(struct context *context, struct hwc_duel *duels, unsigned *followers,
                           struct hwc_error *error)
{
    bool any = false;
    int status = take_turn(context, duels, 0, error);

    if (status == HWC_OK)
        status = take_turn(context, duels, 1, error);
    for (int i = 0; i < DUELS && status == HWC_OK; i++)
        any = any || (duels[i].open && hwc_duel_follows(&duels[i], false));
    if (any)
        status = take_turn(context, duels, 2, error);
    for (int i = 0; i < DUELS && status == HWC_OK && any; i++)
        *followers += duels[i].open && hwc_duel_follows(&duels[i], true);
    return status;
}

static int look_at_group(struct hwc_lab *lab, struct context *context, unsigned *followers, struct hwc_error *error)
{
    struct hwc_duel *duels = calloc(DUELS, sizeof *duels);
    int status = duels != NULL ? HWC_OK : hwc_fail(error, HWC_NO_MEMORY, "no memory");

    for (int i = 0; i < DUELS && status == HWC_OK; i++) {
        status = hwc_duel_open(&duels[i], lab, context->level, context->washers, error);
        status = hwc_came_to_nothing(status) ? HWC_OK : status; /* fewer sets then */
    }
    if (status == HWC_OK)
        status = count_followers(context, duels, followers, error);
    for (int i = 0; duels != NULL && i < DUELS; i++)
        hwc_duel_close(&duels[i]);
    free(duels);
    return status;
}

/* What the followers follow after each use, for people: by counts, as what is
 * weighed takes so many readings that the use wears off. */
static int describe_adaptive(struct hwc_lab *lab, struct context *context, struct hwc_error *error)
{
    static const char *const uses[] = {"scans", "working sets that fit"};
    int status = HWC_OK;

    hwc_note(&lab->notes, "level %u is adaptive: which policy a set follows depends on how well it does in others",
             context->level);
    for (int use = HWC_SCANNED; use <= HWC_USED_WELL && status == HWC_OK; use++) {
        struct hwc_finding follows = {0};
        context->use = (enum hwc_use)use;
        if (hwc_counts(&lab->witness[context->level]))
            status = name_policy(lab, context, &follows, error);
        if (follows.known)
            hwc_note(&lab->notes, "level %u: after %s its sets follow %s", context->level, uses[use], follows.text);
    }
    return status;
}

/* Last levels duel, if any do; where others disturb, sets change by what others
 * do, and an emulator's caches take our own lines, more of them than sequences
 * have: these would pass for duels. */
static bool may_be_adaptive(const struct hwc_lab *lab, unsigned level)
{
    const struct hwc_machine *machine = lab->machine;
    bool emulated = hwc_references_are_dear(machine) && machine->shares_caches;

    return level > 1 && level == lab->known->levels && !machine->live && !emulated;
}

/* Sets of other levels do not change, and those that lead do not: where none of
 * a group does, it is left at that for now; a third of all looked at that do are
 * enough to call it adaptive. Where time is weighed, levels above that resist
 * may keep a trace of what was done before, too, and where our own code shares
 * the caches some of it may have come to lie in a set: more than half must. */
static bool is_adaptive(const struct hwc_lab *lab, unsigned level, unsigned followers, unsigned looked_at)
{
    bool surely = hwc_counts(&lab->witness[level]) && !lab->machine->shares_caches;

    return surely ? followers >= 2 && 3 * followers >= looked_at : followers >= 4 && 2 * followers > looked_at;
}

static void report_adaptive(const struct hwc_lab *lab, const struct context *context, unsigned followers,
                            unsigned looked_at, struct hwc_finding *finding)
{
    const struct hwc_result result = {.decided = true, .alike = followers, .votes = looked_at};

    hwc_finding_from_result(finding, &result, &lab->witness[context->level], 0);
    snprintf(finding->text, sizeof finding->text, "adaptive");
}

static int look_at_groups(struct hwc_lab *lab, struct context *context, int at_least, struct hwc_finding *finding,
                          struct hwc_error *error)
{
    unsigned followers = 0, looked_at = 0;
    int status = HWC_OK;

    for (int group = 0; group < GROUPS && status == HWC_OK && (group < at_least || followers > 0); group++) {
        status = look_at_group(lab, context, &followers, error);
        looked_at += DUELS;
    }
    if (status != HWC_OK || !is_adaptive(lab, context->level, followers, looked_at))
        return status;
    report_adaptive(lab, context, followers, looked_at, finding);
    return describe_adaptive(lab, context, error);
}

static int find_adaptive(struct hwc_lab *lab, struct context *context, int groups, struct hwc_finding *finding,
                         struct hwc_error *error)
{
    struct hwc_usage usage;
    int status = hwc_usage_open(&usage, lab, context->level, error);

    context->usage = &usage;
    context->washers = room_for(2 * hwc_ways_above(lab, context->level));
    if (status == HWC_OK)
        status = look_at_groups(lab, context, groups, finding, error);
    hwc_usage_close(&usage);
    context->usage = NULL;
    return hwc_came_to_nothing(status) ? HWC_OK : status;
}

static int run_level(struct hwc_lab *lab, struct context *context, struct hwc_finding *finding,
                     struct hwc_error *error)
{
    struct hwc_reason reason = why_not(lab, context->level);
    double started = hwc_lab_elapsed(lab);
    int status = HWC_OK;

    if (reason.text != NULL) {
        hwc_finding_because(finding, reason);
        return HWC_OK;
    }
    list_candidates(&context->candidates, (unsigned)lab->known->level[context->level].ways,
                    hwc_trial_flushes(lab, context->level));
    hwc_prepare_candidates(&context->candidates, (unsigned)lab->known->level[context->level].ways);
    if (may_be_adaptive(lab, context->level))
        status = find_adaptive(lab, context, 1, finding, error);
    if (status == HWC_OK && !finding->known)
        status = name_policy(lab, context, finding, error);
    if (status == HWC_OK && !finding->known && may_be_adaptive(lab, context->level))
        status = find_adaptive(lab, context, GROUPS, finding, error); /* something must be the matter */
    finding->seconds = hwc_lab_elapsed(lab) - started;
    return status;
}

static int run(struct hwc_lab *lab, struct hwc_profile *profile, struct hwc_error *error)
{
    struct context *context = calloc(1, sizeof *context);
    int status = context != NULL ? HWC_OK : hwc_fail(error, HWC_NO_MEMORY, "no memory");

    for (unsigned level = 1; status == HWC_OK && level <= profile->caches; level++) {
        context->level = level;
        context->alternatives = profile->cache[level - 1].policies;
        status = run_level(lab, context, &profile->cache[level - 1].finding[HWC_CACHE_REPLACEMENT], error);
    }
    free(context);
    return status;
}

const struct hwc_probe hwc_probe_replacement = {
    .name = "replacement",
    .summary = "replacement policy of every data-cache level",
    .source = "Coleman and Davidson, ISPASS 2001, 3.5; Abel and Reineke, ISPASS 2020",
    .needs = {HWC_CACHE_SIZE, HWC_CACHE_ASSOCIATIVITY},
    .provides = {HWC_CACHE_REPLACEMENT},
    .run = run,
};
