#include "vote.h"

#include <math.h>

#include "statistics.h"

void hwc_ballot_is_one_sided(struct hwc_ballot *ballot, unsigned questions, unsigned lessened, enum hwc_effect effect)
{
    for (unsigned q = 0; q < questions; q++)
        ballot->effect[q] = lessened >> q & 1 ? effect : HWC_OTHERS_MAY_PREVENT;
}

bool hwc_enough_alike(unsigned alike, unsigned telling, unsigned votes)
{
    return alike * 4 >= telling * 3 && alike * 2 >= votes;
}

/* `wanted` of `most` must agree in the end. */
static bool is_hopeless(unsigned alike, unsigned votes, unsigned most, unsigned wanted)
{
    unsigned left = most - votes;

    if (alike >= wanted)
        return false;
    if (wanted - alike >= left)
        return wanted - alike > left || alike < votes;
    return hwc_chance_of_at_least(votes - alike, votes, 1 - (double)(wanted - alike) / left) < 0.01;
}

bool hwc_is_hopeless(unsigned alike, unsigned votes, unsigned most)
{
    return is_hopeless(alike, votes, most, (most + 1) / 2);
}

/* Those who cast say it. */
static enum hwc_effect effect_on(const struct hwc_ballot *ballots, unsigned votes, unsigned question)
{
    for (unsigned i = 0; i < votes; i++)
        if (ballots[i].cast[question])
            return ballots[i].effect[question];
    return HWC_OTHERS_MAY_CHANGE;
}

struct support {
    unsigned alike, larger, less;
    unsigned quiet; /* of those alike: cast, or found to be whole, while nobody else was seen, or what others hold varies */
};

/* How much there is, by what a ballot says, or saw where it abstains. */
static int64_t seen_by(const struct hwc_ballot *ballot, unsigned question)
{
    return ballot->cast[question] ? ballot->value[question] : ballot->at_least[question];
}

static struct support support_of(const struct hwc_ballot *ballots, unsigned votes, unsigned question, int64_t value)
{
    struct support support = {0};

    for (unsigned i = 0; i < votes; i++) {
        bool alike = ballots[i].cast[question] && ballots[i].value[question] == value;
        support.alike += alike;
        support.quiet += alike && (ballots[i].whole || !ballots[i].others_seen ||
                                   ballots[i].effect[question] == HWC_OTHERS_MAY_LESSEN_SOME);
        support.larger += seen_by(&ballots[i], question) > value;
        support.less += ballots[i].cast[question] && ballots[i].value[question] < value;
    }
    return support;
}

static unsigned third_of(unsigned votes)
{
    unsigned third = (votes + 2) / 3;

    return third > 3 ? third : 3;
}

static bool is_third(unsigned alike, unsigned votes)
{
    return alike >= third_of(votes);
}

unsigned hwc_enough_of_whole(const struct hwc_result *result, unsigned votes)
{
    return result->one_sided ? third_of(votes) : (votes + 1) / 2;
}

/* One ballot that saw more may be mistaken, unless others evidently took a part of what as many saw. Two tell that there
 * is more. */
static bool is_common(const struct support *support, unsigned votes)
{
    unsigned mistaken = support->alike > support->less ? 1 : 0;

    return is_third(support->alike, votes) && support->larger <= mistaken;
}

/* A thread that holds a part of a level all the time is overlooked in few ballots (docs/machines_seen.md: in one of some
 * thirty). One that comes and goes is not there in more of them. */
static bool are_quiet(const struct support *support)
{
    return support->quiet * 4 >= support->alike;
}

/* The largest value that is common. */
static void decide_one_sided(const struct hwc_ballot *ballots, unsigned votes, unsigned question,
                             struct hwc_result *result)
{
    bool common = false;

    for (unsigned i = 0; i < votes; i++) {
        int64_t value = ballots[i].value[question];
        struct support support = support_of(ballots, votes, question, value);
        if (!ballots[i].cast[question] || !is_common(&support, votes) || (common && value <= result->value))
            continue;
        common = true;
        result->value = value;
        result->alike = support.alike;
        result->decided = are_quiet(&support);
    }
    result->at_least = common && !result->decided;
    if (result->at_least)
        hwc_write(result->reason, sizeof result->reason,
                  "others work on this core all the time, and may hold a part of it: %u of %u votes alike (%lld)",
                  result->alike, votes, (long long)result->value);
}

/* All but the decision. */
static struct hwc_result tally(const struct hwc_ballot *ballots, unsigned votes, unsigned question)
{
    struct hwc_result result = {.votes = votes};

    for (unsigned i = 0; i < votes; i++) {
        struct support support = support_of(ballots, votes, question, ballots[i].value[question]);
        if (!ballots[i].cast[question]) {
            result.spoiled += ballots[i].others_showed;
            continue;
        }
        result.given++;
        if (support.alike > result.alike) {
            result.alike = support.alike;
            result.value = ballots[i].value[question];
        }
    }
    return result;
}

/* Is the question decided by as many ballots as a whole vote needs, or do all abstain? */
static bool is_question_settled(const struct hwc_result *result, unsigned whole)
{
    unsigned half = (whole + 1) / 2, third = third_of(whole);

    return result->given == 0 || (result->decided && result->alike >= (half > third ? half : third));
}

bool hwc_is_settled(const struct hwc_ballot *ballots, unsigned votes, unsigned whole, unsigned questions)
{
    bool any = false;

    for (unsigned i = 0; i < votes; i++)
        if (ballots[i].others_showed)
            return false;
    for (unsigned q = 0; q < questions; q++) {
        const struct hwc_result result = hwc_count_votes(ballots, votes, q);
        if (!is_question_settled(&result, whole))
            return false;
        any |= result.given > 0;
    }
    return any;
}

bool hwc_is_open(const struct hwc_ballot *ballots, unsigned votes, unsigned most, unsigned question)
{
    struct hwc_result result = hwc_count_votes(ballots, votes, question);
    unsigned left = most - votes;

    if (result.decided || result.alike == 0)
        return false;
    if (effect_on(ballots, votes, question) != HWC_OTHERS_MAY_CHANGE)
        return !is_hopeless(result.alike, votes, most, (most + 2) / 3);
    return hwc_enough_alike(result.alike + left, result.given + result.spoiled + left, most) &&
           !hwc_is_hopeless(result.alike, votes, most);
}

struct hwc_result hwc_count_votes(const struct hwc_ballot *ballots, unsigned votes, unsigned question)
{
    struct hwc_result result = tally(ballots, votes, question);
    enum hwc_effect effect = effect_on(ballots, votes, question);

    result.one_sided = effect != HWC_OTHERS_MAY_CHANGE;
    if (effect == HWC_OTHERS_MAY_LESSEN || effect == HWC_OTHERS_MAY_LESSEN_SOME)
        decide_one_sided(ballots, votes, question, &result);
    else if (effect == HWC_OTHERS_MAY_PREVENT)
        result.decided = is_third(result.alike, votes) && hwc_enough_alike(result.alike, result.given, 0);
    else
        result.decided = votes > 0 && hwc_enough_alike(result.alike, result.given + result.spoiled, votes);
    if (result.decided || result.reason[0] != '\0')
        return result;
    if (result.alike == result.given && result.alike * 2 >= votes) {
        hwc_write(result.reason, sizeof result.reason,
                  "others work on this core: %u of %u votes alike (%lld), and the rest came to nothing", result.alike,
                  votes, (long long)result.value);
    } else if (result.given * 2 < votes) {
        unsigned i = 0;
        while (ballots[i].cast[question])
            i++;
        hwc_write(result.reason, sizeof result.reason, "%s", ballots[i].reason);
    } else {
        hwc_write(result.reason, sizeof result.reason, "the votes disagree: %u of %u alike (%lld)", result.alike, votes,
                 (long long)result.value);
    }
    return result;
}

double hwc_least_of_rounds(const struct hwc_result *result)
{
    double least = INFINITY;

    for (unsigned i = 0; i < result->rounds; i++)
        for (unsigned k = 0; k < result->round[i].values; k++)
            least = fmin(least, result->round[i].value[k].value);
    return least;
}
