/* The sequential test: on which side of a threshold does an estimate lie?
 *
 * Readings are drawn until their mean lies so far from the threshold that
 * chance puts it there one time in a thousand (Student's t), or there have been
 * enough: that neither can be said is an answer, too (Wald, 1945, with the
 * error estimated from the readings themselves).
 *
 * Each reading is clipped to one unit on either side of the threshold. The
 * question is on which side it lies, and what was interrupted must not weigh
 * more than what was not. So that a few readings alike by luck are not taken for
 * certainty, one more is supposed that lies on the other side. Where the error
 * of a reading is known beforehand, a single one may be enough. */
#ifndef HWC_SEQUENTIAL_H
#define HWC_SEQUENTIAL_H

#include "error.h"
#include "estimate.h"

enum hwc_side { HWC_BELOW, HWC_ABOVE, HWC_STRADDLES };

struct hwc_sequential_test {
    double threshold;
    double unit;       /* what the two sides differ by, about: a miss */
    double resolution; /* of a reading; 0 = fine */
    double known;      /* the standard error of one reading where that is known beforehand; 0 = the readings tell */
    unsigned most;     /* readings; those that were disturbed count for a half */
};

/* One reading. *disturbed: something spoiled it, and it is left out. */
typedef int (*hwc_draw)(void *context, double *reading, bool *disturbed, struct hwc_error *error);

/* What a draw returns is returned. */
int hwc_test_sequentially(const struct hwc_sequential_test *test, hwc_draw draw, void *context,
                          struct hwc_estimate *estimate, enum hwc_side *side, struct hwc_error *error);

/* On which side an estimate lies, as far as its own error says. */
enum hwc_side hwc_side_of(const struct hwc_estimate *estimate, double threshold);

#endif
