/* A round of a vote, as it was: what was cast, and what came to nothing. */
#ifndef HWC_ROUND_H
#define HWC_ROUND_H

#define HWC_MAX_ROUNDS 6
#define HWC_ROUND_VALUES 4

struct hwc_round {
    unsigned cast;      /* ballots that named a value */
    unsigned abstained;
    unsigned disturbed; /* thrown away, as others were at work meanwhile */
    unsigned values;    /* the most common of those that were cast, the most common first */
    struct {
        double value;
        unsigned votes;
    } value[HWC_ROUND_VALUES];
};

#endif
