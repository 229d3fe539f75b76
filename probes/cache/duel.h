/* Adaptive levels: set dueling (Qureshi et al., ISCA 2007). A few sets always
 * follow one of two policies each, misses of theirs move a selector, and all
 * other sets follow the policy whose leaders miss less.
 *
 * Seen where the same visits to one set miss differently after all sets were
 * scanned than after they were used well; nothing was done to the set itself
 * that its conditioning does not undo. (nanoBench's setDueling hammers sets one
 * by one until it knows the leaders; that there are some is all that is asked
 * here.) */
#ifndef HWC_DUEL_H
#define HWC_DUEL_H

#include "trial.h"

/* What all sets were used for before. */
enum hwc_use {
    HWC_SCANNED,   /* more than fits, in rounds: what was used last is the worst to keep */
    HWC_USED_WELL, /* what fits, and then something else that does: what was used last is the best to keep */
};

/* Lines to use a level for. */
struct hwc_usage {
    struct hwc_lab *lab;
    struct hwc_arena arena;
    struct hwc_walk scan, set_of_lines[2];
};

/* HWC_UNAVAILABLE or HWC_NO_MEMORY where the level is too large for it; close in any case. */
int hwc_usage_open(struct hwc_usage *usage, struct hwc_lab *lab, unsigned level, struct hwc_error *error);
void hwc_usage_close(struct hwc_usage *usage);

/* Use all sets so; leaves none of the lines behind where the machine can flush. */
int hwc_use(struct hwc_usage *usage, enum hwc_use use, struct hwc_error *error);

#define HWC_DUEL_SEQUENCES 2
#define HWC_DUEL_READINGS 3

/* What sequences on one set read, by turns; medians, and the standard errors of these. */
struct hwc_duel {
    bool open;
    struct hwc_trial trial;
    struct hwc_sequence sequence[HWC_DUEL_SEQUENCES];
    struct hwc_duel_reading {
        double median[HWC_DUEL_SEQUENCES], error[HWC_DUEL_SEQUENCES];
    } reading[HWC_DUEL_READINGS];
};

/* On a set found at random. */
int hwc_duel_open(struct hwc_duel *duel, struct hwc_lab *lab, unsigned level, size_t washers, struct hwc_error *error);
void hwc_duel_close(struct hwc_duel *duel);

/* Fill a reading. */
int hwc_duel_read(struct hwc_duel *duel, unsigned when, struct hwc_error *error);

/* Did the set miss differently at the second reading than at the first and, with
 * there_and_back, at the third as at the first again? */
bool hwc_duel_follows(const struct hwc_duel *duel, bool there_and_back);

#endif
