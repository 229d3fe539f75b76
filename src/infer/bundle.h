/* Do two operations begin in the same cycle? By what each takes alone, and both take in turn. Pure. */
#ifndef HWC_BUNDLE_H
#define HWC_BUNDLE_H

enum { HWC_MIXES = 4 };

/* Cycles. */
struct hwc_bundle {
    double one, other; /* each alone, when many that do not wait for each other are done */
    unsigned mixes;
    double both[HWC_MIXES]; /* one of each, in turn: on ever fewer variables, from more than they need on */
};

/* How much of the quicker operation costs nothing beside the other: 1 = all of it, as different units do them; 0 = none, as
 * one takes the other's turn; in between where some units do both. NAN: they are too far apart to tell; or they take
 * longer together than one after the other, so that something else limits them; or more variables still make them
 * quicker, so that waiting may be a part of what is not hidden. */
double hwc_hidden_share(const struct hwc_bundle *bundle);

/* Variables that an operation needs for its rate, where it is done once in so many cycles: fewer wait for each other. */
unsigned hwc_variables_for(double latency, double cycles);

#endif
