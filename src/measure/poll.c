#include "poll.h"

#include <math.h>
#include <string.h>

#include "quiet_core.h"

/* On a quiet machine fewer of a ballot's samples are disturbed than this share. */
static const double quiet_share = 0.1;

/* Cast one ballot; if the measurement has no result, it is an abstention with the reason. */
static int cast(struct hwc_lab *lab, hwc_measure measure, void *context, struct hwc_ballot *ballot,
                struct hwc_error *error)
{
    uint64_t dropped = lab->samples_disturbed + lab->tries_dropped, taken = lab->samples_taken;
    uint64_t seen = lab->others_seen, looks = lab->company.looks;
    int status;

    memset(ballot, 0, sizeof *ballot);
    (void)hwc_is_alone(lab, 0); /* counted in others_seen */
    status = measure(lab, context, ballot, error);
    ballot->disturbed = (unsigned)(lab->samples_disturbed + lab->tries_dropped - dropped);
    (void)hwc_is_alone(lab, 0);
    ballot->others_seen = ballot->others_seen || hwc_is_company(lab->others_seen - seen, lab->company.looks - looks);
    ballot->others_showed =
        ballot->others_seen || ballot->disturbed > quiet_share * (double)(lab->samples_taken - taken);
    if (status != HWC_UNAVAILABLE && status != HWC_INCONCLUSIVE)
        return status;
    memset(ballot->cast, 0, sizeof ballot->cast);
    hwc_write(ballot->reason, sizeof ballot->reason, "%s", error->message);
    return HWC_OK;
}

static void count_all(const struct hwc_ballot *ballots, unsigned votes, unsigned first, unsigned questions,
                      struct hwc_result *results)
{
    for (unsigned q = 0; q < questions; q++) {
        results[q] = hwc_count_votes(ballots, votes, q);
        results[q].rounds = hwc_count_rounds(ballots, votes, first, q, results[q].round);
    }
}

static bool any_open(const struct hwc_ballot *ballots, unsigned votes, unsigned most, unsigned questions)
{
    for (unsigned q = 0; q < questions; q++)
        if (hwc_is_open(ballots, votes, most, q))
            return true;
    return false;
}

static bool nobody_voted(const struct hwc_ballot *ballots, unsigned votes, unsigned questions)
{
    for (unsigned i = 0; i < votes; i++)
        for (unsigned q = 0; q < questions; q++)
            if (ballots[i].cast[q])
                return false;
    return true;
}

static bool anybody_showed(const struct hwc_ballot *ballots, unsigned votes)
{
    for (unsigned i = 0; i < votes; i++)
        if (ballots[i].others_showed)
            return true;
    return false;
}

/* Where others may disturb, a vote cut short needs as many ballots alike as decide a
 * whole one: two alike out of two say little. */
static void doubt_few(struct hwc_result *results, unsigned questions, unsigned first, const char *cut_by)
{
    for (unsigned q = 0; q < questions; q++) {
        struct hwc_result *result = &results[q];
        if (!result->decided || result->alike >= hwc_enough_of_whole(result, first))
            continue;
        result->decided = false;
        hwc_write(result->reason, sizeof result->reason, "%s: %u of %u votes alike (%lld)", cut_by, result->alike, first,
                  (long long)result->value);
    }
}

/* Others often disturb for moments only: where they showed, the ballot after an abstention waits, and twice as long after
 * each further one in a row, unless another CPU does better. So do further rounds. */
static const struct {
    double first, longest; /* seconds */
} waits = {.first = 0.05, .longest = 0.4};

static bool calls_for_waiting(const struct hwc_ballot *ballots, unsigned i, unsigned first, unsigned questions)
{
    return ballots[i].others_showed && (i + 1 >= first || nobody_voted(&ballots[i], 1, questions));
}

static void wait_for_others(struct hwc_lab *lab, const struct hwc_ballot *ballots, unsigned votes,
                            unsigned questions)
{
    double seconds = waits.first / 2;
    unsigned i = votes;

    while (i > 0 && calls_for_waiting(ballots, i - 1, lab->settings.votes, questions)) {
        seconds = fmin(2 * seconds, waits.longest);
        i--;
    }
    if (i < votes && !hwc_move_on(lab))
        hwc_wait_for_others(lab, seconds);
}

/* So many ballots without a vote tell that there will be none, unless others showed and may yet go: who waits longer than
 * that for what comes to nothing waits in vain. */
enum { FEW_BALLOTS = 4 };
static const double long_vote = 1; /* seconds */

static bool is_long(const struct hwc_lab *lab, double begun)
{
    return lab->machine->live && hwc_lab_elapsed(lab) - begun > long_vote;
}

/* A user waits for a machine that is there. Of one that nothing can disturb, all of AMP's votes are held. */
static bool ends_when_settled(const struct hwc_lab *lab)
{
    return lab->machine->interference && !lab->settings.all_votes;
}

int hwc_vote(struct hwc_lab *lab, hwc_measure measure, void *context, unsigned questions, struct hwc_result *results,
             struct hwc_error *error)
{
    struct hwc_ballot ballots[HWC_MAX_VOTES];
    unsigned first = lab->settings.votes;
    unsigned most = HWC_MOST_ROUNDS * first;
    unsigned votes = 0;
    double begun = hwc_lab_elapsed(lab);
    const char *cut_by = NULL;

    while (votes < first || (votes < most && any_open(ballots, votes, most, questions))) {
        int status;
        if (votes >= FEW_BALLOTS && nobody_voted(ballots, votes, questions) &&
            (votes >= first || !anybody_showed(ballots, votes) || is_long(lab, begun)))
            break; /* the method does not work here, and more ballots will not help */
        if (votes >= first / 2 && hwc_lab_is_late(lab))
            cut_by = "others disturb this machine";
        else if (votes > 0 && hwc_lab_overdrawn(lab))
            cut_by = HWC_BUDGET_SPENT;
        if (cut_by != NULL || (ends_when_settled(lab) && hwc_is_settled(ballots, votes, first, questions)))
            break;
        wait_for_others(lab, ballots, votes, questions);
        status = cast(lab, measure, context, &ballots[votes], error);
        if (status != HWC_OK)
            return status;
        votes++;
    }
    count_all(ballots, votes, first, questions, results);
    if (cut_by != NULL && lab->machine->interference)
        doubt_few(results, questions, first, cut_by);
    return HWC_OK;
}
