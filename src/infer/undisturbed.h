/* A mean of readings of which others may have disturbed some, where readings also vary by chance. Pure.
 *
 * Others only add. But what the places of pages do adds, too, in some readings and not in others: where few lines of a
 * level of few ways are left over, that is a tenth of the median and more, and to leave those readings out would make
 * the mean too low. So how far readings stray by chance is taken from several points of a curve together. */
#ifndef HWC_UNDISTURBED_H
#define HWC_UNDISTURBED_H

#include <stddef.h>

#include "estimate.h"

enum { HWC_MOST_REPEATS = 5 };

/* Readings of a point of a curve. */
struct hwc_repeats {
    double value[HWC_MOST_REPEATS];
    unsigned count;
};

/* The mean of the readings of a point, of so many points, without those that lie above the median by more than a tenth
 * and more than chance explains. Of two readings neither can be told to be disturbed; of more, fewer than half. */
struct hwc_tally hwc_undisturbed(const struct hwc_repeats *point, size_t points, size_t at);

/* The same, but a reading that is slow counts, unless those of its round at two neighbouring points are, too: rounds go over
 * all points, others disturb for a while, and where pages lie is another matter at each point. */
struct hwc_tally hwc_without_bursts(const struct hwc_repeats *point, size_t points, size_t at);

#endif
