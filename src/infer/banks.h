/* Banks of a cache, from the times of pairs of loads that could go together: their second load lies at one of many
 * places, a step apart, behind a multiple of a distance that is a whole number of periods. Pure.
 *
 * Where both loads of a pair are to one bank, they go one after the other. So those whose time exceeds the usual by
 * half, or else by a quarter, are slow, and the places where that happens recur: `width` places in a row,
 * every `period`. Not every pair there need be slow, as where each way of a cache has banks of its own; others may be,
 * as somebody else is at work. So the share of slow pairs at each place is what is looked at: the period and width are
 * those under which the slow pairs are likeliest to lie where they do. */
#ifndef HWC_BANKS_H
#define HWC_BANKS_H

enum { HWC_PAIR_PLACES = 256, HWC_PAIR_READINGS = 256 };

struct hwc_pair_times {
    unsigned readings; /* of each place */
    double cycles[HWC_PAIR_PLACES][HWC_PAIR_READINGS]; /* that a pair takes; readings were taken in random order */
};

enum hwc_banks_seen {
    HWC_BANKS_NONE,      /* nowhere are more pairs slow than elsewhere */
    HWC_BANKS_UNDECIDED, /* more readings may tell */
    HWC_BANKS_OTHERWISE, /* pairs are slow at some places, but not as banks of one width would have it */
    HWC_BANKS_SCATTER,   /* too many pairs are slow, anywhere */
    HWC_BANKS_ONE_LOAD,  /* loads do not go together at all */
    HWC_BANKS_SEEN,
};

struct hwc_banks {
    enum hwc_banks_seen seen;
    double free_cycles; /* that a pair takes which is not slow */
    double slow_cycles; /* a pair that takes more is slow */
    /* if banks are seen: */
    unsigned period, width; /* in places */
    double share;   /* of the pairs in one bank that are slow */
    double penalty; /* cycles that it adds to a pair */
};

void hwc_banks_read(const struct hwc_pair_times *times, struct hwc_banks *banks);

/* How many places show what was seen: two periods; fewer than all where there is none; and all where it is not told. */
unsigned hwc_pair_span(const struct hwc_banks *banks);

/* Of a place, and of all those a span further on. */
struct hwc_pair_mean {
    double cycles; /* each time being at most four times what is usual */
    double slow;   /* the share of slow pairs */
};

struct hwc_pair_mean hwc_pair_mean(const struct hwc_pair_times *times, const struct hwc_banks *banks, unsigned place);

#endif
