/* A mean of readings of which others may have disturbed some, where readings also vary by chance. Pure.
 *
 * Others only add. But what the places of pages do adds, too, in some readings and not in others: where few lines of a
 * level of few ways are left over, that is a tenth of the median and more, and to leave those readings out would make
 * the mean too low. So how far readings stray by chance is taken from several points of a curve together; and what was
 * found again, on the same pages at another time, others have not done. */
#ifndef HWC_UNDISTURBED_H
#define HWC_UNDISTURBED_H

#include <stdbool.h>
#include <stddef.h>

#include "estimate.h"

enum { HWC_MOST_REPEATS = 5 };

/* Readings of a point of a curve. */
struct hwc_repeats {
    double value[HWC_MOST_REPEATS];
    bool again[HWC_MOST_REPEATS]; /* it was found again at another time */
    unsigned count;
};

/* Take in that the last reading was repeated at another time: was it found again? (Its value stays: the lesser of two would
 * be less than what points have that were not repeated.) */
void hwc_repeat_last(struct hwc_repeats *repeats, double value);

/* The mean of the readings of a point, of so many points, without those that lie above the median by more than a tenth
 * and more than chance explains, unless found again. Of two readings neither can be told to be disturbed; of more, fewer than half. */
struct hwc_tally hwc_undisturbed(const struct hwc_repeats *point, size_t points, size_t at);

#endif
