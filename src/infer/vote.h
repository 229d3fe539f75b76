/* AMP's vote (ISPASS 2001, 2.2): a measurement is the minimum of several
 * samples; several measurements, each on fresh pages, are votes; the most
 * common result wins, and how many agreed is part of it. */
#ifndef HWC_VOTE_H
#define HWC_VOTE_H

#include "ballot.h"
#include "round.h"

struct hwc_result {
    bool decided;
    int64_t value;
    unsigned alike, votes;
    unsigned given; /* of the votes, those that did not abstain */
    unsigned rounds; /* the votes in the order in which they were cast */
    struct hwc_round round[HWC_MOST_ROUNDS];
    char reason[HWC_MESSAGE]; /* where undecided */
};

/* Are so many alike, of those given, of all votes, enough? Three quarters of
 * those given, and half of all: a ballot that abstains has seen that something
 * was wrong, and does not speak for another value. */
bool hwc_enough_alike(unsigned alike, unsigned given, unsigned votes);

/* The count: pure. Most common value of question q among `votes` ballots. */
struct hwc_result hwc_count_votes(const struct hwc_ballot *ballots, unsigned votes, unsigned question);

#endif
