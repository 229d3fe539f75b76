#include "policy_inference.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "policy_prediction.h"

/* Two candidates that differ give the same answer to one drawn sequence in four (with 4 ways; to one in six with 16).
 * An unknown policy may resemble any of them at least as much. */
#define RESEMBLANCE 0.25

static const struct {
    unsigned sequences;   /* the most to ask for: several times as many as tell 400 candidates apart */
    unsigned drawn;       /* sequences to choose each from */
    unsigned predictions; /* about the most for that choice: nearly any sequence tells most of many apart */
    unsigned plays;       /* of one sequence, to recognise random replacement */
    /* The sample variance of this many normal numbers is below half the true one less than once in a thousand times. */
    double least_variance;
    /* A policy that inserts one line in sixteen differently gives the same count in seven plays of ten, so that two
     * plays differ every other time. Disturbances make fewer than one answer in this many vary. */
    unsigned left_to_chance;
} effort = {
    .sequences = 32, .drawn = 32, .predictions = 1024, .plays = 64, .least_variance = 0.5, .left_to_chance = 4};

/* The hypothesis that the set follows this candidate. */
struct hypothesis {
    const struct hwc_candidate *candidate;
    unsigned wrong;  /* number of answers that it did not predict */
    bool by_history; /* of which one depends on what was in the set before */
    double evidence; /* log of the likelihood ratio of the answers, against an unknown policy */
    double over_chance; /* the same against random replacement, where single plays do not show that */
};

struct inference {
    const struct hwc_set_instrument *set;
    const struct hwc_candidates *candidates;
    struct hwc_random *random;
    bool forgets;  /* assumed: emptying the set also clears its policy's state */
    bool varies;   /* it forgets, yet plays of one sequence differ: it makes random choices */
    double within; /* how far the last answer may be off, to either side: HWC_ERRORS standard errors */
    size_t all;    /* number of hypotheses at the beginning */
    size_t left;
    struct hypothesis hypothesis[HWC_MOST_CANDIDATES]; /* those left come first */
};

/* Are the two intervals less than `distance` apart? */
static bool meet(const struct hwc_interval *one, const struct hwc_interval *other, double distance)
{
    return one->low - other->high < distance && other->low - one->high < distance;
}

/* What the candidate predicts. All candidates get the same random histories, so that chance does not separate policies
 * that behave alike. */
static struct hwc_interval prediction(const struct inference *inference, const struct hwc_candidate *candidate,
                                      const struct hwc_sequence *sequence, enum hwc_histories histories)
{
    struct hwc_random same = *inference->random;

    return hwc_predict(inference->set, &candidate->policy, inference->forgets, sequence, histories, &same);
}

/* Where an unknown policy's answer may lie: anywhere between those of the simple candidates, which come first. */
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

/* The likelihood of an answer if every value in the interval is equally likely. */
static double likelihood(const struct inference *inference, struct hwc_interval interval)
{
    return 2 * inference->within / (interval.high - interval.low + 2 * inference->within);
}

/* The evidence of an answer for a candidate that predicts it: none if an unknown policy would answer alike. */
static double evidence_for(const struct inference *inference, struct hwc_interval predicted, struct hwc_interval range)
{
    return log(fmin(likelihood(inference, predicted) / likelihood(inference, range), 1 / RESEMBLANCE));
}

/* What a sequence promises: the number of groups that it would tell apart among the hypotheses left; if only one, the
 * least evidence that it would bring for each of them. */
struct promise {
    size_t groups;
    double evidence;
};

/* As soon as it cannot promise more than the most so far, it does not matter how much less. */
static struct promise promise_of(const struct inference *inference, const struct hwc_sequence *sequence,
                                 const struct promise *most)
{
    struct hwc_interval seen[HWC_MOST_CANDIDATES], widest = hwc_no_interval;
    struct promise promise = {0};

    for (size_t i = 0; i < inference->left; i++) {
        struct hwc_interval predicted;
        size_t k = 0;
        if (most->groups > 1 && promise.groups + inference->left - i <= most->groups)
            return promise;
        predicted = prediction(inference, inference->hypothesis[i].candidate, sequence, HWC_FEW_HISTORIES);
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
        promise = promise_of(inference, &drawn, &most);
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

/* Random replacement, for an answer that may be a single pass. */
static struct hwc_gauge chance_of(const struct inference *inference, const struct hwc_sequence *sequence)
{
    struct hwc_random same = *inference->random;
    double mean, variance;

    hwc_predict_chance(inference->set, sequence, &same, &mean, &variance);
    variance *= inference->set->start == HWC_STEADY ? HWC_STEADY_PASSES : 1;
    return (struct hwc_gauge){{mean, mean}, hypot(inference->within / HWC_ERRORS, sqrt(variance))};
}

/* By how much more likely is the answer if it was predicted than by chance? Where answers err by as much as candidates
 * differ, what misses by chance may suit one of them, too. */
static double over_chance(const struct inference *inference, struct hwc_interval predicted,
                          const struct hwc_gauge *chance, size_t visits, double misses)
{
    const struct hwc_gauge gauge = {predicted, inference->within / HWC_ERRORS};

    return log(hwc_density(&gauge, misses, visits) / hwc_density(chance, misses, visits));
}

/* A hypothesis predicts an interval if it depends on what was in the set before; an answer in a wide interval is little
 * evidence for it. An answer outside adds no evidence. */
static void weigh_answer(struct inference *inference, const struct hwc_sequence *sequence, double misses)
{
    bool shows_chance = inference->set->shows_chance;
    struct hwc_interval range = range_of(inference, sequence);
    struct hwc_gauge chance = {0};

    if (!shows_chance)
        chance = chance_of(inference, sequence);
    for (size_t i = 0; i < inference->left; i++) {
        struct hypothesis *hypothesis = &inference->hypothesis[i];
        struct hwc_interval predicted = prediction(inference, hypothesis->candidate, sequence, HWC_MANY_HISTORIES);
        if (!shows_chance)
            hypothesis->over_chance += over_chance(inference, predicted, &chance, sequence->visits, misses);
        if (misses >= predicted.low - inference->within && misses <= predicted.high + inference->within) {
            hypothesis->evidence += evidence_for(inference, predicted, range);
            continue;
        }
        hypothesis->wrong++;
        hypothesis->by_history |= predicted.low < predicted.high;
    }
}

/* With this many hypotheses, one of them may predict the answers by luck: the evidence must exceed this. */
static double beyond_luck(const struct inference *inference)
{
    return log((double)inference->all / HWC_RISK);
}

/* If the set does not forget, what was in it may once have been unlike all histories tried, where that matters. */
static bool is_allowed(const struct inference *inference, const struct hypothesis *hypothesis)
{
    return hypothesis->over_chance >= -beyond_luck(inference) &&
           hypothesis->wrong <= inference->set->wrong + (!inference->forgets && hypothesis->by_history);
}

/* Drop the hypotheses that were wrong too often, and those with far less evidence than the best. */
static void eliminate(struct inference *inference)
{
    double most = -INFINITY;
    size_t left = 0;

    for (size_t i = 0; i < inference->left; i++)
        if (is_allowed(inference, &inference->hypothesis[i]))
            most = fmax(most, inference->hypothesis[i].evidence);
    for (size_t i = 0; i < inference->left; i++)
        if (is_allowed(inference, &inference->hypothesis[i]) &&
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

static bool is_beyond_chance(const struct inference *inference)
{
    for (size_t i = 0; i < inference->left && !inference->set->shows_chance; i++)
        if (inference->hypothesis[i].over_chance < -log(HWC_RISK))
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

static bool is_decided(const struct inference *inference, bool alike)
{
    return alike && is_beyond_luck(inference) && is_beyond_chance(inference);
}

/* Play sequences until the hypotheses left cannot be told apart and luck does not explain them. Where sequences tell
 * some apart, but not with answers of such errors, all would be left in the end. */
static int narrow(struct inference *inference, struct hwc_error *error)
{
    unsigned asked = 0, varied = 0;
    bool alike = false, differ = false;

    begin_with_all(inference);
    for (; asked < effort.sequences && inference->left > 0 && !is_decided(inference, alike); asked++) {
        struct hwc_sequence sequence;
        struct hwc_answer answer;
        int status;
        alike = choose(inference, &sequence).groups == 1;
        differ = asked == 0 ? !alike : differ;
        if (alike && differ && inference->left == inference->all)
            return hwc_fail(error, HWC_INCONCLUSIVE, "answers vary too much to tell any policy from another");
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
    if (!is_beyond_chance(inference))
        return hwc_fail(error, HWC_INCONCLUSIVE, "answers vary too much to tell a policy from random replacement");
    return HWC_OK;
}

/* Do mean and variance of many plays fit random replacement? Adds to *evidence, as for a candidate. */
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

/* Begins with a cyclic walk over one line more than fits: policies that insert by chance keep far more of these lines
 * than random replacement does. */
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

/* What one narrowing left, for comparison with another. */
struct narrowed {
    size_t left;
    unsigned wrong; /* answers of the least wrong hypothesis left */
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

/* Keep what both left; if that is nothing, what the narrowing with fewer wrong answers left. */
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

/* First assume that an emptied set forgets what was before. If every hypothesis left was wrong at least once, that may
 * be false, and they may only look like the policy: compare them with what is left of a set that remembers. */
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
