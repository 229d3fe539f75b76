/* The rounds of a vote, as they were: what was cast, what came to nothing and
 * what was thrown away. Each ballot is in one of them, so that a vote which was
 * decided late looks otherwise than one that was clear from the beginning. */
#ifndef HWC_ROUND_H
#define HWC_ROUND_H

#include "ballot.h"

/* The set number of ballots, and where they decide nothing as many again, twice; of each round the values that were
 * named most. */
enum { HWC_MOST_ROUNDS = 3, HWC_ROUND_VALUES = 4 };

struct hwc_round {
    unsigned cast;      /* ballots that named a value */
    unsigned abstained;
    unsigned disturbed; /* samples and whole tries that were thrown away, as others were at work meanwhile */
    unsigned values;    /* the most common of those that were cast, the most common first */
    struct {
        double value;
        unsigned votes;
    } value[HWC_ROUND_VALUES];
};

/* Pure. The last round may have fewer than `per_round` ballots. Returns how many rounds there were. */
unsigned hwc_count_rounds(const struct hwc_ballot *ballots, unsigned votes, unsigned per_round, unsigned question,
                          struct hwc_round rounds[HWC_MOST_ROUNDS]);

#endif
