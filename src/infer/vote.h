/* AMP's vote (ISPASS 2001, 2.2): a measurement is the minimum of several
 * samples; several measurements, each on fresh pages, are votes; the most
 * common value wins, and the result tells how many agreed. */
#ifndef HWC_VOTE_H
#define HWC_VOTE_H

#include "ballot.h"
#include "round.h"

struct hwc_result {
    bool decided;
    int64_t value;
    unsigned alike, votes;
    bool at_least;    /* undecided, as others may hold a part in all ballots: there is this much, or more */
    bool one_sided;   /* others may lessen the value, or prevent it, but not change it otherwise */
    unsigned given;   /* votes that did not abstain */
    unsigned spoiled; /* votes that did, while others worked on this core or disturbed the samples */
    unsigned rounds; /* the votes by round, in the order in which they were cast */
    struct hwc_round round[HWC_MOST_ROUNDS];
    char reason[HWC_MESSAGE]; /* if undecided */
};

/* Others may prevent the ballot's answers to `questions` questions, and have this effect on those in `lessened` (a bit for
 * each). */
void hwc_ballot_is_one_sided(struct hwc_ballot *ballot, unsigned questions, unsigned lessened, enum hwc_effect effect);

/* Do enough votes agree? Three quarters of those that tell, and half of all, must:
 * an abstention means that something was wrong, not that another value is right.
 * But where others work on this core they may hold a part of what is measured in
 * the other ballots, too, and abstentions tell that: `telling` are the votes given
 * and the spoiled ones. */
bool hwc_enough_alike(unsigned alike, unsigned telling, unsigned votes);

/* `alike` of `votes` ballots agree, others disagree or abstain: would enough of `most` in the end only by luck of less
 * than one in a hundred? */
bool hwc_is_hopeless(unsigned alike, unsigned votes, unsigned most);

/* Could the ballots that are left of `most` still decide the question, and is that likely? */
bool hwc_is_open(const struct hwc_ballot *ballots, unsigned votes, unsigned most, unsigned question);

/* Is every question decided by at least half of a whole vote's ballots and three, or do all abstain from it, and was nobody
 * else seen at work in any? Then a value has as many as it needs, whatever those that are left abstain from; and one that
 * comes once in ten ballots by mistake is alike in half of eight once in ten thousand votes. */
bool hwc_is_settled(const struct hwc_ballot *ballots, unsigned votes, unsigned whole, unsigned questions);

/* How many of a whole vote's ballots must at least be alike to decide the question. */
unsigned hwc_enough_of_whole(const struct hwc_result *result, unsigned votes);

/* The least value among the rounds' most common ones; INFINITY if there is none. */
double hwc_least_of_rounds(const struct hwc_result *result);

/* The most common value of a question among the ballots; leaves the rounds empty. Pure.
 *
 * Of values that others may lessen it is the largest that a third of all ballots have, three at least, if no more than
 * one has a larger one, or saw as much before it abstained: smaller ones do not speak against it. A fourth of those that
 * have it must have been cast while nobody else was seen, or have seen in such a moment that there is no more, or be such
 * that others lessen each by another part: others may hold the same all the time and so lessen all of the rest. Where
 * others may only prevent an answer, abstentions do not count: a third of all ballots suffice. */
struct hwc_result hwc_count_votes(const struct hwc_ballot *ballots, unsigned votes, unsigned question);

#endif
