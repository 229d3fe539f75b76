/* Meters: does a pass over these lines miss at a level, and how often?
 *
 * All structural searches ask this one question. Which instrument answers for a
 * level depends on what the machine can do there:
 *
 *   counter        an event that counts the level's misses, in the steady state
 *   paired         the pass is timed, and one over the same pages that stays in the
 *                  first level; for the first level only
 *   single access  each reference is timed, and the slow ones are counted
 *   eviction       the last line is timed alone, after the others: do they evict it?
 *                  (Liu et al., S&P 2015; Vila et al., S&P 2019)
 *
 * A fifth, the time of whole walks (steady_state.h), serves where a curve is read
 * and not a threshold. */
#ifndef HWC_METER_H
#define HWC_METER_H

#include "lab.h"
#include "late.h"
#include "sequential.h"

struct hwc_question {
    const struct hwc_arena *arena;
    const uint64_t *lines; /* offsets; the last one is in question, the others are visited before it */
    size_t count;
    const uint64_t *evictors; /* visited after the lines, to empty the levels above; in other sets of this level */
    size_t evictor_count;
    size_t closing;    /* for the eviction meter: a pass ends with so many of the first lines */
    size_t references; /* a pass has so many at least: the first line is visited again, at its end, or `again` all are */
    bool again;
    double threshold; /* misses a pass */
    bool one_way;     /* ask for the misses of passes that all go the same way, whichever the meter prefers */
    unsigned samples; /* AMP's number: a count is the least of so many; time may take several times as many */
    double odds;      /* for the eviction meter, beside a control: those that an answer must have; 0 = a thousand */
    double late;      /* likewise: and evicted in this share of the readings at least, or not at all; 0 = in any */
};

enum { HWC_LATE_READINGS = 24 }; /* for how often a line is late */

struct hwc_meter;

struct hwc_meter_ops {
    const char *name;
    bool of_last; /* it times the last line alone: misses are 0 or 1, or in between if the policy evicts by chance */
    bool counts;  /* it counts misses: one among many references shows up */
    int (*ask)(struct hwc_meter *, const struct hwc_question *, struct hwc_estimate *, enum hwc_side *,
               struct hwc_error *);
};

struct hwc_meter {
    const struct hwc_meter_ops *ops;
    struct hwc_lab *lab;
    unsigned level;
    const struct hwc_witness *witness;
    /* eviction: */
    double hit_cycles, miss_cycles; /* of a line that stayed, and of one evicted; initially the witness's */
    bool any_farther;               /* from how far the evicted line comes does not matter: miss_cycles is the least */
    uint32_t passes;                /* over the others, HWC_PASSES at first */
    double late_from;               /* misses; a reading above it is late */
    double stayed[HWC_LATE_READINGS]; /* readings of a line that stayed, in ascending order */
    struct hwc_walk walk, control; /* the lines asked about, and what they are compared with */
    struct hwc_walk others;        /* eviction: the former, in the order of the question */
};

/* The meter of a data-cache level, for lines in contiguous memory or, `at_random`, in randomly placed pages: there it
 * takes hundreds of lines to fill a level, others always evict some of them, and only the fate of a single line is
 * certain. Close in any case. */
void hwc_meter_open(struct hwc_meter *meter, struct hwc_lab *lab, unsigned level, bool at_random);
void hwc_meter_close(struct hwc_meter *meter);

/* Misses of a pass, and on which side of the threshold they lie. */
int hwc_meter_ask(struct hwc_meter *meter, const struct hwc_question *question, struct hwc_estimate *estimate,
                  enum hwc_side *side, struct hwc_error *error);

/* Misses of a pass over a walk as it is, which may visit lines more than once. For meters that count. */
int hwc_meter_count(struct hwc_meter *meter, const struct hwc_arena *arena, const struct hwc_walk *walk,
                    unsigned samples, double *misses, struct hwc_error *error);

enum { HWC_PASSES = 8 }; /* meter_eviction.c says why */

/* For the eviction meter: the mean time of the last line after the others. */
int hwc_meter_read_last(struct hwc_meter *meter, const struct hwc_question *question, double *cycles,
                        struct hwc_error *error);
/* The same: how often is that line late? Of a line that stays, `of_hits`, the question first sets from where on one is.
 * Of one that goes, which is read after such a line, it moves that limit to where it parts the two best. */
int hwc_meter_read_late(struct hwc_meter *meter, const struct hwc_question *question, bool of_hits, double *chance,
                        struct hwc_error *error);
/* The same: is it late more often after these lines than after those of the control, whose last one it is, too? Both are
 * read in turn, so that whatever else puts it out does so in both.
 * *pair: what was read. */
int hwc_meter_ask_beside(struct hwc_meter *meter, const struct hwc_question *question,
                         const struct hwc_question *control, struct hwc_late_pair *pair, enum hwc_side *side,
                         struct hwc_error *error);

extern const struct hwc_meter_ops hwc_meter_counter, hwc_meter_paired, hwc_meter_single_access, hwc_meter_eviction;

/* For meters: make the question's first `lines` lines and its evictors a walk. */
int hwc_meter_lay_out(struct hwc_walk *walk, const struct hwc_question *question, size_t lines,
                      struct hwc_error *error);

#endif
