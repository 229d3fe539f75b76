/* Meters: does a pass over these lines miss at a level, and how often?
 *
 * The one question of all structural searches. Which instrument answers for a
 * level is settled once, by what the machine can do there:
 *
 *   counter        an event that counts the level's misses, in the steady state
 *   paired         the pass is timed beside one over the same pages that stays in
 *                  the first level: of the first level
 *   single access  each reference is timed, and the slow ones are counted
 *   eviction       the last line is timed alone, after the others: do they put it
 *                  out? (Liu et al., S&P 2015; Vila et al., S&P 2019)
 *
 * Whole walks' time (steady_state.h) is the fifth: where a curve is read, not a
 * threshold. */
#ifndef HWC_METER_H
#define HWC_METER_H

#include "lab.h"
#include "sequential.h"

struct hwc_question {
    const struct hwc_arena *arena;
    const uint64_t *lines; /* offsets; the last one is in question, the others are visited before it */
    size_t count;
    const uint64_t *evictors; /* visited after the lines: they empty the levels above, and stay out of these lines' sets */
    size_t evictor_count;
    double threshold; /* misses of a pass */
    double unit;      /* what the two answers differ by at least, in misses of a pass */
    unsigned samples; /* AMP's: a count is the least of so many; time may take some times as many */
};

struct hwc_meter;

struct hwc_meter_ops {
    const char *name;
    bool of_last; /* it looks at the last line alone: misses are 0 or 1, or a share where policies leave it to chance */
    bool counts;  /* it counts misses: one among many references shows */
    int (*ask)(struct hwc_meter *, const struct hwc_question *, struct hwc_estimate *, enum hwc_side *,
               struct hwc_error *);
};

struct hwc_meter {
    const struct hwc_meter_ops *ops;
    struct hwc_lab *lab;
    unsigned level;
    const struct hwc_witness *witness;
    double hit_cycles, miss_cycles; /* eviction: of a line that stayed, and of one put out; the witness's at first */
    double put_out;                 /* eviction: such a share of readings, and the line is put out */
    struct hwc_walk walk, control; /* what is asked about, and what it is held against */
};

/* The meter of a data-cache level, for lines in contiguous memory or in pages that lie at random: a level is then
 * filled by hundreds of lines, of which others always put some out, and only what becomes of one is sure. Close in any
 * case. */
void hwc_meter_open(struct hwc_meter *meter, struct hwc_lab *lab, unsigned level, bool at_random);
void hwc_meter_close(struct hwc_meter *meter);

/* Misses of a pass, and on which side of the threshold they lie. */
int hwc_meter_ask(struct hwc_meter *meter, const struct hwc_question *question, struct hwc_estimate *estimate,
                  enum hwc_side *side, struct hwc_error *error);

/* The same of a walk as it is, for meters that count: one that visits lines more than once. */
int hwc_meter_count(struct hwc_meter *meter, const struct hwc_arena *arena, const struct hwc_walk *walk,
                    unsigned samples, double *misses, struct hwc_error *error);

#define HWC_PUT_OUT 0.3 /* where no more is known: meter_eviction.c says why */

/* For the eviction meter: the mean of what the last line takes after the others. */
int hwc_meter_read_last(struct hwc_meter *meter, const struct hwc_question *question, double *cycles,
                        struct hwc_error *error);

extern const struct hwc_meter_ops hwc_meter_counter, hwc_meter_paired, hwc_meter_single_access, hwc_meter_eviction;

/* For meters: the question's lines and evictors as meter->walk. */
int hwc_meter_lay_out(struct hwc_meter *meter, const struct hwc_question *question, size_t lines,
                      struct hwc_error *error);

#endif
