/* The rounds of a vote as they went: ballots cast, abstentions, and samples thrown
 * away. Each ballot belongs to one round, so that a vote that was decided late
 * can be told from one that was clear from the beginning. */
#ifndef HWC_ROUND_H
#define HWC_ROUND_H

#include "ballot.h"

/* A round is the configured number of ballots; undecided votes get up to two more rounds. A round lists its most
 * common values. */
enum { HWC_MOST_ROUNDS = 3, HWC_ROUND_VALUES = 4 };

struct hwc_round {
    unsigned cast;      /* ballots that named a value */
    unsigned abstained;
    unsigned disturbed; /* samples and whole tries thrown away because other programs ran meanwhile */
    unsigned values;    /* the values listed, the most common first */
    struct {
        double value;
        unsigned votes;
    } value[HWC_ROUND_VALUES];
};

/* Pure. The last round may have fewer than `per_round` ballots. Returns how many rounds there were. */
unsigned hwc_count_rounds(const struct hwc_ballot *ballots, unsigned votes, unsigned per_round, unsigned question,
                          struct hwc_round rounds[HWC_MOST_ROUNDS]);

#endif
