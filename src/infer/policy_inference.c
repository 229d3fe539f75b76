#include "policy_inference.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "policy_prediction.h"

/* Two candidates that differ give the same answer to one drawn sequence in four (of 4 ways; of 16, to one in six): so
 * an unknown policy may resemble any of them at least as much. */
#define RESEMBLANCE 0.25

static const struct {
    unsigned sequences;   /* that may be asked for: several times what tells 400 candidates apart */
    unsigned drawn;       /* to choose each from */
    unsigned predictions; /* and not more than so many for it: nearly every sequence tells most of many apart */
    unsigned plays;       /* of one sequence, to tell chance by */
    /* Of normal numbers the variance of so many is below half of its own less than once in a thousand times. */
    double least_variance;
    /* A policy that inserts one line in sixteen otherwise gives the same in seven plays of ten: answers of two plays
     * vary every other time. What disturbs a set does so less often than one time in so many. */
    unsigned left_to_chance;
} effort = {
    .sequences = 32, .drawn = 32, .predictions = 1024, .plays = 64, .least_variance = 0.5, .left_to_chance = 4};

/* What is held against the answers: that the set follows this candidate. */
struct hypothesis {
    const struct hwc_candidate *candidate;
    unsigned wrong;  /* answers that it does not predict */
    double evidence; /* log of how much likelier it makes the answers than an unknown policy does */
};

struct inference {
    const struct hwc_set_instrument *set;
    const struct hwc_candidates *candidates;
    struct hwc_random *random;
    bool forgets;  /* where the set is emptied: what its policy remembers of the lines is forgotten */
    bool varies;   /* and plays of one sequence from then on do not give the same all the same */
    double within; /* so far the last answer may have been off to either side */
    size_t all;    /* hypotheses at the beginning */
    size_t left;
    struct hypothesis hypothesis[HWC_MOST_CANDIDATES]; /* those left come first */
};

/* Are they nearer to each other than this? */
static bool meet(const struct hwc_interval *one, const struct hwc_interval *other, double distance)
{
    return one->low - other->high < distance && other->low - one->high < distance;
}

/* What the candidate predicts. The histories are the same for all candidates: chance must not tell policies apart that
 * behave alike. */
static struct hwc_interval prediction(const struct inference *inference, const struct hwc_candidate *candidate,
                                      const struct hwc_sequence *sequence, enum hwc_histories histories)
{
    struct hwc_random same = *inference->random;

    return hwc_predict(inference->set, &candidate->policy, inference->forgets, sequence, histories, &same);
}

/* An unknown policy may answer as known ones do, or anything between: as the simple ones, which come first. */
static struct hwc_interval range_of(const struct inference *inference, const struct hwc_sequence *sequence)
{
    const struct hwc_candidates *candidates = inference->candidates;
    struct hwc_interval range = hwc_no_interval;

    for (size_t i = 0; i < candidates->count && !candidates->item[i].needs_empty; i++) {
        struct hwc_interval predicted = prediction(inference, &candidates->item[i], sequence, HWC_ONE_HISTORY);
        hwc_include(&range, predicted.low);
    }
    return range;
}

/* How likely an answer is that may be anywhere in the interval. */
static double likelihood(const struct inference *inference, struct hwc_interval interval)
{
    return 2 * inference->within / (interval.high - interval.low + 2 * inference->within);
}

/* How much an answer says for what predicts it, against a policy that is unknown: nothing where that answers alike. */
static double evidence_for(const struct inference *inference, struct hwc_interval predicted, struct hwc_interval range)
{
    return log(fmin(likelihood(inference, predicted) / likelihood(inference, range), 1 / RESEMBLANCE));
}

/* What a sequence promises: how many of those that are left it would tell apart; where it tells none, the evidence for
 * all of them that it would bring at least. */
struct promise {
    size_t groups;
    double evidence;
};

static struct promise promise_of(const struct inference *inference, const struct hwc_sequence *sequence)
{
    struct hwc_interval seen[HWC_MOST_CANDIDATES], widest = hwc_no_interval;
    struct promise promise = {0};

    for (size_t i = 0; i < inference->left; i++) {
        struct hwc_interval predicted =
            prediction(inference, inference->hypothesis[i].candidate, sequence, HWC_FEW_HISTORIES);
        size_t k = 0;
        while (k < promise.groups && !meet(&seen[k], &predicted, 2 * inference->within))
            k++;
        if (k == promise.groups)
            seen[promise.groups++] = predicted;
        if (i == 0 || predicted.high - predicted.low > widest.high - widest.low)
            widest = predicted;
    }
    if (promise.groups == 1)
        promise.evidence = evidence_for(inference, widest, range_of(inference, sequence));
    return promise;
}

static bool promises_more(const struct promise *one, const struct promise *other)
{
    return one->groups != other->groups ? one->groups > other->groups : one->evidence > other->evidence;
}

static struct promise choose(const struct inference *inference, struct hwc_sequence *best)
{
    size_t some = 1 + effort.predictions / inference->left, draws = some < effort.drawn ? some : effort.drawn;
    struct promise most = {0};

    for (size_t i = 0; i < draws && (most.groups < inference->left || most.groups == 1); i++) {
        struct hwc_sequence drawn;
        struct promise promise;
        hwc_draw_sequence(inference->set, inference->random, &drawn);
        promise = promise_of(inference, &drawn);
        if (i == 0 || promises_more(&promise, &most)) {
            most = promise;
            *best = drawn;
        }
    }
    return most;
}

static int play(struct inference *inference, const struct hwc_sequence *sequence, unsigned plays,
                struct hwc_answer *answer, struct hwc_error *error)
{
    const struct hwc_set_instrument *set = inference->set;
    int status = set->play(set->context, sequence, plays, answer, error);

    if (status == HWC_OK)
        inference->within = fmax(HWC_HALF_A_MISS, HWC_ERRORS * answer->error);
    return status;
}

/* A hypothesis that depends on what was before predicts an interval, and what lies in a wide one says little for it. An
 * answer that it does not predict says no more for it than for an unknown policy. */
static void weigh_answer(struct inference *inference, const struct hwc_sequence *sequence, double misses)
{
    struct hwc_interval range = range_of(inference, sequence);

    for (size_t i = 0; i < inference->left; i++) {
        struct hypothesis *hypothesis = &inference->hypothesis[i];
        struct hwc_interval predicted = prediction(inference, hypothesis->candidate, sequence, HWC_MANY_HISTORIES);
        if (misses < predicted.low - inference->within || misses > predicted.high + inference->within)
            hypothesis->wrong++;
        else
            hypothesis->evidence += evidence_for(inference, predicted, range);
    }
}

/* Of so many hypotheses one may be right about the answers by luck: evidence for it has to be beyond that. */
static double beyond_luck(const struct inference *inference)
{
    return log((double)inference->all / HWC_RISK);
}

/* What was before may once have been like none of the histories that were tried. */
static unsigned wrong_allowed(const struct inference *inference)
{
    return inference->set->wrong + !inference->forgets;
}

/* Out are those that were wrong too often, and those that explain the answers so much worse than another does. */
static void eliminate(struct inference *inference)
{
    unsigned allowed = wrong_allowed(inference);
    double most = -INFINITY;
    size_t left = 0;

    for (size_t i = 0; i < inference->left; i++)
        if (inference->hypothesis[i].wrong <= allowed)
            most = fmax(most, inference->hypothesis[i].evidence);
    for (size_t i = 0; i < inference->left; i++)
        if (inference->hypothesis[i].wrong <= allowed &&
            inference->hypothesis[i].evidence >= most - beyond_luck(inference))
            inference->hypothesis[left++] = inference->hypothesis[i];
    inference->left = left;
}

static bool is_beyond_luck(const struct inference *inference)
{
    for (size_t i = 0; i < inference->left; i++)
        if (inference->hypothesis[i].evidence < beyond_luck(inference))
            return false;
    return true;
}

static void begin_with_all(struct inference *inference)
{
    const struct hwc_set_instrument *set = inference->set;

    inference->all = 0;
    for (size_t i = 0; i < inference->candidates->count; i++) {
        const struct hwc_candidate *candidate = &inference->candidates->item[i];
        if (candidate->holds_victims == set->holds_victims &&
            (set->start == HWC_FROM_EMPTY || !candidate->needs_empty))
            inference->hypothesis[inference->all++] = (struct hypothesis){.candidate = candidate};
    }
    inference->left = inference->all;
}

/* Sequences until those that are left cannot be told apart, and luck does not explain them. */
static int narrow(struct inference *inference, struct hwc_error *error)
{
    unsigned asked = 0, varied = 0;
    bool alike = false;

    begin_with_all(inference);
    for (; asked < effort.sequences && inference->left > 0 && !(alike && is_beyond_luck(inference)); asked++) {
        struct hwc_sequence sequence;
        struct hwc_answer answer;
        int status;
        alike = choose(inference, &sequence).groups == 1;
        status = play(inference, &sequence, 0, &answer, error);
        if (status != HWC_OK)
            return status;
        varied += answer.variance > 0;
        weigh_answer(inference, &sequence, answer.misses);
        eliminate(inference);
    }
    inference->varies = inference->forgets && effort.left_to_chance * varied > asked;
    if (inference->varies)
        inference->left = 0;
    if (!is_beyond_luck(inference))
        return hwc_fail(error, HWC_INCONCLUSIVE,
                        "what was in the set before decides too much of what misses, or answers vary too much");
    return HWC_OK;
}

/* Are mean and variance of many plays those of random replacement? Then *evidence grows, as for a candidate. */
static int hold_against_chance(struct inference *inference, const struct hwc_sequence *sequence, bool *holds,
                               double *evidence, struct hwc_error *error)
{
    struct hwc_answer answer;
    struct hwc_interval range;
    double mean, variance;
    unsigned simulated;
    int status = play(inference, sequence, effort.plays, &answer, error);

    if (status != HWC_OK)
        return status;
    simulated = hwc_predict_chance(inference->set, sequence, inference->random, &mean, &variance);
    range = range_of(inference, sequence);
    hwc_include(&range, mean);
    inference->within =
        fmax(inference->within, HWC_ERRORS * hypot(answer.error, sqrt(variance / effort.plays + variance / simulated)));
    *evidence += evidence_for(inference, (struct hwc_interval){mean, mean}, range);
    *holds = fabs(answer.misses - mean) < inference->within && answer.variance > effort.least_variance * variance;
    return HWC_OK;
}

/* First by one line more than fits, round and round: policies that insert by chance keep far more of these than random
 * replacement does. */
static int looks_random(struct inference *inference, bool *random, struct hwc_error *error)
{
    double evidence = 0;
    struct hwc_sequence sequence;

    *random = inference->set->shows_chance;
    hwc_draw_rounds(inference->set, &sequence);
    for (unsigned i = 0; i < effort.sequences && *random && evidence < -log(HWC_RISK); i++) {
        int status = hold_against_chance(inference, &sequence, random, &evidence, error);
        if (status != HWC_OK)
            return status;
        hwc_draw_sequence(inference->set, inference->random, &sequence);
    }
    *random = *random && evidence >= -log(HWC_RISK);
    return HWC_OK;
}

/* What one narrowing left, to hold another against. */
struct narrowed {
    size_t left;
    unsigned wrong; /* answers, by the hypotheses that were wrong least */
    bool is_left[HWC_MOST_CANDIDATES];
};

static void remember(const struct inference *inference, struct narrowed *narrowed)
{
    *narrowed = (struct narrowed){.left = inference->left, .wrong = UINT_MAX};
    for (size_t i = 0; i < inference->left; i++) {
        const struct hypothesis *hypothesis = &inference->hypothesis[i];
        narrowed->is_left[hypothesis->candidate - inference->candidates->item] = true;
        narrowed->wrong = hypothesis->wrong < narrowed->wrong ? hypothesis->wrong : narrowed->wrong;
    }
}

/* Of what both left, all; else what was wrong less often. */
static int reconcile(const struct narrowed *one, const struct narrowed *other, struct narrowed *both,
                     struct hwc_error *error)
{
    *both = (struct narrowed){.wrong = one->wrong};
    for (size_t i = 0; i < HWC_MOST_CANDIDATES; i++) {
        both->is_left[i] = one->is_left[i] && other->is_left[i];
        both->left += both->is_left[i];
    }
    if (both->left > 0)
        return HWC_OK;
    *both = one->wrong < other->wrong ? *one : *other;
    if (one->wrong == other->wrong)
        return hwc_fail(error, HWC_INCONCLUSIVE, "what was in the set before decides too much of what misses");
    return HWC_OK;
}

/* First as of a set that forgets what was before. Where all that are left were wrong, it may be that they are what only
 * looks like the policy from there: they are held against what a set that remembers leaves. */
static int narrow_by_start(struct inference *inference, struct narrowed *narrowed, struct hwc_error *error)
{
    struct narrowed from_empty, from_any;

    TRY(narrow(inference, error));
    remember(inference, &from_empty);
    *narrowed = from_empty;
    if (!inference->forgets || inference->varies || from_empty.wrong == 0)
        return HWC_OK;
    inference->forgets = false;
    TRY(narrow(inference, error));
    remember(inference, &from_any);
    *narrowed = from_any;
    return from_empty.left > 0 && from_any.left > 0 ? reconcile(&from_empty, &from_any, narrowed, error) : HWC_OK;
}

static int infer(struct inference *inference, bool left[HWC_MOST_CANDIDATES], bool *refuted, struct hwc_error *error)
{
    struct narrowed narrowed;
    bool by_chance = true;

    TRY(narrow_by_start(inference, &narrowed, error));
    memcpy(left, narrowed.is_left, sizeof narrowed.is_left);
    if (narrowed.left == 0)
        TRY(looks_random(inference, &by_chance, error));
    *refuted = !by_chance;
    return *refuted ? hwc_fail(error, HWC_INCONCLUSIVE, "no policy that is known predicts what misses") : HWC_OK;
}

int hwc_infer_policy(const struct hwc_set_instrument *set, const struct hwc_candidates *candidates,
                     struct hwc_random *random, bool left[HWC_MOST_CANDIDATES], bool *refuted, struct hwc_error *error)
{
    struct inference *inference = calloc(1, sizeof *inference);
    int status;

    *refuted = false;
    memset(left, 0, HWC_MOST_CANDIDATES * sizeof *left);
    if (inference == NULL)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory");
    *inference = (struct inference){.set = set,
                                    .candidates = candidates,
                                    .random = random,
                                    .forgets = set->start == HWC_FROM_EMPTY,
                                    .within = HWC_HALF_A_MISS};
    status = infer(inference, left, refuted, error);
    free(inference);
    return status;
}
