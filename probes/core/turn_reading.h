/* What instructions take while nobody else works on the core, in additions that wait for each other. */
#ifndef HWC_TURN_READING_H
#define HWC_TURN_READING_H

#include "body_time.h"
#include "core_times.h"
#include "profile.h"

/* Instructions in turn; a round has one of each. */
struct hwc_round_of {
    const enum hwc_op *kind;
    size_t kinds;
    size_t line; /* where the loop begins: body.h */
};

#define HWC_ROUND_OF(...) \
    {(const enum hwc_op[]){__VA_ARGS__}, sizeof((const enum hwc_op[]){__VA_ARGS__}) / sizeof(enum hwc_op), 0}

struct hwc_turn_reading {
    double cycles;    /* of a round: the median of several samples, */
    double low, high; /* and their quartiles */
};

enum { HWC_SAMPLES_OF_ROUNDS = 16 };

/* By so many samples, HWC_SAMPLES_OF_ROUNDS at most, of a loop with so many rounds in its body; in the clock's cycles,
 * which may be off by some percent. HWC_INCONCLUSIVE if too few samples were undisturbed, HWC_UNAVAILABLE where an
 * instruction is lacking. */
int hwc_read_by_clock(struct hwc_body_time *time, const struct hwc_round_of *round, size_t rounds, unsigned samples,
                      struct hwc_turn_reading *reading, struct hwc_error *error);

/* The same, by all samples, in additions that wait for each other, timed right before. */
int hwc_read_rounds(struct hwc_body_time *time, const struct hwc_round_of *round, size_t rounds,
                    struct hwc_turn_reading *reading, struct hwc_error *error);

void hwc_set_cycles_between(struct hwc_finding *finding, double low, double high, const char *reason);

/* The cycles; bounds if the samples differ. */
void hwc_set_reading(struct hwc_finding *finding, const struct hwc_turn_reading *reading);

/* Yes or no; `neither` is the reason where it is neither. */
void hwc_set_said(struct hwc_finding *finding, enum hwc_said said, const char *neither);

#endif
