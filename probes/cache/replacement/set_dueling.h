/* Set dueling (Qureshi et al., ISCA 2007): a few leader sets always follow one of
 * two policies each, their misses move a selector, and all other sets follow the
 * policy whose leaders miss less.
 *
 * It shows if the same visits to one set miss differently after all sets were
 * scanned than after they were used well, and as at first once they are scanned
 * again, although emptying the set undoes whatever was done to the set itself.
 * (nanoBench's setDueling hammers sets one by one until it knows the leaders;
 * here the only question is whether there are any.) */
#ifndef HWC_SET_DUELING_H
#define HWC_SET_DUELING_H

#include "set_sequence.h"

/* What all sets were used for before. */
enum hwc_use {
    HWC_SCANNED,   /* rounds over more than fits: what was used last is the worst to keep */
    HWC_USED_WELL, /* a working set that fits, then another: what was used last is the best to keep */
};

/* The lines by which all sets of a level are used. */
struct hwc_usage {
    struct hwc_lab *lab;
    unsigned level;
    struct hwc_arena arena;
    struct hwc_walk scan, working_set[2];
};

/* HWC_UNAVAILABLE or HWC_NO_MEMORY where the level is too large for it; close in any case. */
int hwc_usage_open(struct hwc_usage *usage, struct hwc_lab *lab, unsigned level, struct hwc_error *error);
void hwc_usage_close(struct hwc_usage *usage);

/* Use all sets in this way, then flush the lines that were used. */
int hwc_use(struct hwc_usage *usage, enum hwc_use use, struct hwc_error *error);

/* How many sets follow others, of those that were looked at. */
struct hwc_followers {
    unsigned follow, looked_at;
};

/* Look at some more sets, with so many evictors for the levels above, and add to *followers. */
int hwc_count_followers(struct hwc_usage *usage, size_t evictors, struct hwc_followers *followers,
                        struct hwc_error *error);

/* Do more sets follow others than chance explains? Pure. */
bool hwc_is_adaptive(const struct hwc_followers *followers);

#endif
