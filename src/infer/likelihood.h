/* The sequential probability ratio test (Wald, 1945) between two known chances.
 *
 * A reading is late or it is not. If it is known how often it is late in either
 * of two cases, few readings tell which is the case: as soon as one explains them
 * a thousand times as well as the other. No mean is needed, and no error of it. */
#ifndef HWC_LIKELIHOOD_H
#define HWC_LIKELIHOOD_H

#include "sequential.h"

/* Shares of readings that are late. All zero = not known. */
struct hwc_chances {
    double below, above; /* if the side is HWC_BELOW, and if it is HWC_ABOVE */
};

/* The share of readings that are late, of some: never none, nor all. */
double hwc_chance_of(unsigned late, unsigned readings);

/* Are the two so far apart that some dozens of readings tell them? */
bool hwc_chances_tell(const struct hwc_chances *chances);

/* Draw readings, of which those above `limit` are late, `most` of them at most. Fails only where `draw` does. *side is
 * HWC_STRADDLES if that was not enough. */
int hwc_test_by_likelihood(const struct hwc_chances *chances, double limit, unsigned most, hwc_draw draw, void *context,
                           enum hwc_side *side, struct hwc_error *error);

#endif
