/* AMP's vote (ISPASS 2001, 2.2): a measurement is the minimum of several
 * samples; several measurements, each on fresh pages, are votes; the most
 * common result wins, and how many agreed is part of it. */
#ifndef HWC_VOTE_H
#define HWC_VOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "lab.h"

#define HWC_MAX_QUESTIONS 6
#define HWC_MAX_VOTES 64

/* A ballot answers several questions at once. */
struct hwc_ballot {
    bool cast[HWC_MAX_QUESTIONS]; /* false: abstains on this question */
    int64_t value[HWC_MAX_QUESTIONS];
    char reason[256]; /* why it abstains */
};

struct hwc_result {
    bool decided;
    int64_t value;
    unsigned alike, votes;
    unsigned given; /* of the votes, those that did not abstain */
    char reason[256]; /* where undecided */
};

/* Measure once, on fresh pages. An error other than HWC_UNAVAILABLE ends the
 * vote; HWC_UNAVAILABLE is an abstention on everything. */
typedef int (*hwc_measure)(struct hwc_lab *lab, void *context, struct hwc_ballot *ballot, struct hwc_error *error);

/* Hold the vote: the set number of ballots; where fewer than three quarters of
 * those cast, or half of all, are alike on some question, up to twice as many
 * more; then it is undecided. On a machine that others disturb, a ballot that
 * came to nothing is cast again, and an undecided vote is held again after a
 * pause, for as long as a run may reasonably take. Ends early, with what there
 * is, when the budget is spent. */
int hwc_vote(struct hwc_lab *lab, hwc_measure measure, void *context, unsigned questions, struct hwc_result *results,
             struct hwc_error *error);

/* Are so many alike, of those given, of all votes, enough? Three quarters of
 * those given, and half of all: a ballot that abstains has seen that something
 * was wrong, and does not speak for another value. */
bool hwc_enough_alike(unsigned alike, unsigned given, unsigned votes);

/* The count: pure. Most common value of question q among `votes` ballots. */
struct hwc_result hwc_count_votes(const struct hwc_ballot *ballots, unsigned votes, unsigned question);

#endif
