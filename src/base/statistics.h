/* The few statistics that hwchar needs. All are pure functions. */
#ifndef HWC_STATISTICS_H
#define HWC_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sorts `values` in place. count > 0. */
double hwc_median(double *values, size_t count);

/* The mean of those within `reach` of the median: of a clock's readings that come in steps it lies between them, as the
 * median does not. Sorts in place. count > 0. */
double hwc_mean_near_median(double *values, size_t count, double reach);

/* Do as many as `share` of them lie within `width` of each other? Then *value
 * is the median of the most that do, of the least where several are as many.
 * Sorts in place. count > 0. */
bool hwc_most_agree(double *values, size_t count, double width, double share, double *value);

/* The power of two nearest to value on a logarithmic scale (AMP 3.1, step 6). value > 0. */
uint64_t hwc_nearest_power_of_two(double value);

#endif
