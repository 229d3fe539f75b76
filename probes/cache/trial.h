/* Trials: sequences of visits to the lines of one set of a level, on the
 * machine. Each begins in one state of the set: conditioned by the same visits,
 * flushed where the machine can, visited as the sequence says (where others
 * disturb, a first level is not flushed, as its lines take long to come back
 * from memory, and that much more comes between); then its
 * accesses are counted, washers behind each that put its line out of the levels
 * above. */
#ifndef HWC_TRIAL_H
#define HWC_TRIAL_H

#include "set_of_lines.h"

#define HWC_TRIAL_ACCESSES 80
#define HWC_TRIAL_CONDITION 16
#define HWC_TRIAL_HISTORY 64
/* Sequences are about so many lines more than the set holds. */
#define HWC_TRIAL_MORE_LINES 3
/* Readings of a sequence where they are weighed: at least, and at most. */
#define HWC_TRIAL_WEIGHED 15
#define HWC_TRIAL_WEIGHED_MOST 120

struct hwc_trial {
    struct hwc_lab *lab;
    unsigned level;
    unsigned ways;
    bool flushed; /* before each reading; else lines that fill the set come before */
    bool joined;  /* and are counted with it: nothing of our own comes between then */
    struct hwc_arena arena;
    struct hwc_set set;
    size_t names;  /* lines that sequences are about */
    size_t length; /* of a sequence */
    struct hwc_walk lines, washers, conditioning, before, walk;
    struct hwc_walk fitting_before, fitting; /* visits to as many lines as fit; empty = readings go without */
    uint8_t condition[HWC_TRIAL_CONDITION]; /* visits that bring the set to one state whatever it was in */
    uint8_t history[HWC_TRIAL_HISTORY];     /* what may have been before them, to be played by models */
};

struct hwc_sequence {
    uint8_t before[2 * HWC_SET_LINES]; /* the visits before anything is counted */
    size_t before_count;
    uint8_t name[HWC_TRIAL_ACCESSES];
};

/* Are trials on this level flushed? */
bool hwc_trial_flushes(const struct hwc_lab *lab, unsigned level);

/* On a set found at random, in a fresh arena. HWC_UNAVAILABLE where too few of its lines are to be had. */
int hwc_trial_open(struct hwc_trial *trial, struct hwc_lab *lab, unsigned level, size_t washers,
                   struct hwc_error *error);
void hwc_trial_close(struct hwc_trial *trial);

/* Visits at random, behind one to every line. */
void hwc_trial_draw(const struct hwc_trial *trial, struct hwc_random *random, struct hwc_sequence *sequence);

/* Make its visits go to one line more than fits, round and round. */
void hwc_trial_go_round(const struct hwc_trial *trial, struct hwc_sequence *sequence);

/* Misses that are counted at most. */
#define HWC_TRIAL_MISSES (HWC_TRIAL_ACCESSES + 2 * HWC_SET_LINES)

/* What is visited before a sequence that is joined, and before one line again
 * and again: what happens before what is counted is then the same. */
extern const uint8_t hwc_trial_first[1];

/* A walk of these visits: trial->before, or trial->walk, which is counted. */
int hwc_trial_build(const struct hwc_trial *trial, struct hwc_walk *walk, const uint8_t *names, size_t count,
                    struct hwc_error *error);
int hwc_trial_build_sequence(struct hwc_trial *trial, const struct hwc_sequence *sequence, struct hwc_error *error);

/* Are misses weighed by time, not counted? */
bool hwc_trial_is_weighed(const struct hwc_trial *trial);

/* How many readings it takes then: more of a clock whose steps are long beside a miss. */
unsigned hwc_trial_readings(const struct hwc_trial *trial);

/* What so many of them say together. Sorts in place. */
double hwc_trial_middle(const struct hwc_trial *trial, double *once, unsigned readings);

/* Where others use the caches, too, in bursts, and time is weighed: from now on
 * readings are settled in stretches in which lines that fit miss nothing, and
 * what these read is taken off. */
bool hwc_trial_must_beware(const struct hwc_lab *lab, unsigned level);
int hwc_trial_beware(struct hwc_trial *trial, struct hwc_error *error);

/* Misses of trial->walk behind trial->before, or cycles in units of a miss: once, or settled over samples
 * (HWC_UNAVAILABLE where others always come between). */
int hwc_trial_read(const struct hwc_trial *trial, double *reading, struct hwc_error *error);
int hwc_trial_settle(const struct hwc_trial *trial, double *reading, struct hwc_error *error);

#endif
