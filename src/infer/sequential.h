/* The sequential test: on which side of a threshold does an estimate lie?
 *
 * Readings are drawn until their mean lies so far from the threshold that
 * chance puts it there only one time in a thousand (Student's t), or until there
 * are enough; that neither side can be shown is an answer, too (Wald, 1945, with
 * the error estimated from the readings themselves).
 *
 * Each reading is clipped to one unit on either side of the threshold: only its
 * side matters, and an interrupted reading must not weigh more than others. So
 * that a few readings equal by luck are not taken for certainty, the error
 * assumes one more reading on the other side. If the error of a reading is known
 * beforehand, a single reading may be enough. */
#ifndef HWC_SEQUENTIAL_H
#define HWC_SEQUENTIAL_H

#include "error.h"
#include "estimate.h"

enum hwc_side { HWC_BELOW, HWC_ABOVE, HWC_STRADDLES };

struct hwc_sequential_test {
    double threshold;
    double unit;       /* about the difference between the two sides: a miss */
    double resolution; /* step to which readings are rounded; 0 = fine */
    double known;      /* standard error of one reading, if known beforehand; 0 = estimated from the readings */
    unsigned most;     /* readings at most; a disturbed one counts for half */
};

/* One reading. *disturbed: it was spoiled, and is left out. */
typedef int (*hwc_draw)(void *context, double *reading, bool *disturbed, struct hwc_error *error);

/* Fails only where `draw` does. *side is HWC_STRADDLES if neither side can be shown. */
int hwc_test_sequentially(const struct hwc_sequential_test *test, hwc_draw draw, void *context,
                          struct hwc_estimate *estimate, enum hwc_side *side, struct hwc_error *error);

/* The side on which an estimate lies, by its own error. */
enum hwc_side hwc_side_of(const struct hwc_estimate *estimate, double threshold);

#endif
