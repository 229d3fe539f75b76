/* Set dueling (Qureshi et al., ISCA 2007): a few sets always follow one of two
 * policies each, misses of theirs move a selector, and all other sets follow
 * the policy whose leaders miss less.
 *
 * Seen where the same visits to one set miss differently after all sets were
 * scanned than after they were used well, and again as at first when they are
 * scanned again; nothing was done to the set itself that emptying it does not
 * undo. (nanoBench's setDueling hammers sets one by one until it knows the
 * leaders; that there are some is all that is asked here.) */
#ifndef HWC_SET_DUELING_H
#define HWC_SET_DUELING_H

#include "set_sequence.h"

/* What all sets were used for before. */
enum hwc_use {
    HWC_SCANNED,   /* more than fits, in rounds: what was used last is the worst to keep */
    HWC_USED_WELL, /* what fits, and then something else that does: what was used last is the best to keep */
};

/* Lines to use a level for. */
struct hwc_usage {
    struct hwc_lab *lab;
    unsigned level;
    struct hwc_arena arena;
    struct hwc_walk scan, working_set[2];
};

/* HWC_UNAVAILABLE or HWC_NO_MEMORY where the level is too large for it; close in any case. */
int hwc_usage_open(struct hwc_usage *usage, struct hwc_lab *lab, unsigned level, struct hwc_error *error);
void hwc_usage_close(struct hwc_usage *usage);

/* Use all sets so, and flush what they were used for. */
int hwc_use(struct hwc_usage *usage, enum hwc_use use, struct hwc_error *error);

/* How many sets follow others, of those that were looked at. */
struct hwc_followers {
    unsigned follow, looked_at;
};

/* Look at some sets more, which takes this many lines to evict from the levels above. */
int hwc_count_followers(struct hwc_usage *usage, size_t evictors, struct hwc_followers *followers,
                        struct hwc_error *error);

/* Are they more than seem to follow others by chance? Pure. */
bool hwc_is_adaptive(const struct hwc_followers *followers);

#endif
