/* Sequences of visits to the lines of one set of a level, on the machine: the
 * instrument by which the policy of a cache is inferred (policy_inference.h).
 *
 * The set is emptied by flushing its lines or, where that cannot be done, filled
 * with other lines. The first visits of a sequence bring it into a known state;
 * then the visits that count are measured. After each visit come lines that
 * evict its line from the levels above, as visits served there are not seen
 * here. How misses are read: set_readings.h. */
#ifndef HWC_SET_SEQUENCE_H
#define HWC_SET_SEQUENCE_H

#include "policy_inference.h"
#include "set_of_lines.h"

/* Sequences visit this many more lines than the set holds. */
enum { HWC_MORE_LINES = 3 };

struct hwc_set_sequence {
    struct hwc_lab *lab;
    unsigned level, ways;
    bool emptied; /* before each play; else it begins full */
    bool counted; /* misses are events that a counter counts */
    bool ours;    /* nothing else uses the set: as many lines as fit all stay */
    struct hwc_arena arena;
    struct hwc_set set;
    struct hwc_walk lines, evictors, before, visits;
    struct hwc_walk fitting_before, fitting; /* visits to as many lines as the set holds */
    struct hwc_walk few_before, few;         /* and to fewer, which stay in any case */
    double overhead, variance;               /* of readings of these few: the least, and their variance */
};

/* Open on a random set, in a fresh arena, with up to `evictors` lines to follow each visit. HWC_INCONCLUSIVE if too few
 * lines of a set are found. */
int hwc_set_sequence_open(struct hwc_set_sequence *sequence, struct hwc_lab *lab, unsigned level, size_t evictors,
                          bool emptied, struct hwc_error *error);
void hwc_set_sequence_close(struct hwc_set_sequence *sequence);

/* The set as an instrument of inference. */
struct hwc_set_instrument hwc_set_sequence_instrument(struct hwc_set_sequence *sequence);

/* Do as many lines as this level and the one above hold together all stay after one visit each, without evictors? They
 * do only if this level holds the victims of the one above. */
int hwc_set_sequence_find_victims(struct hwc_set_sequence *sequence, bool *holds_victims, struct hwc_error *error);

#endif
