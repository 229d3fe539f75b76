/* The few statistics that hwchar needs. All are pure functions. */
#ifndef HWC_STATISTICS_H
#define HWC_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The lesser of two numbers. */
static inline size_t hwc_lesser(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Ascending, in place. */
void hwc_sort(double *values, size_t count);
void hwc_sort_integers(uint64_t *values, size_t count);

/* Is it among values that are sorted? */
bool hwc_is_in_sorted(uint64_t value, const uint64_t *sorted, size_t count);

/* Sorts `values` in place. count > 0. */
double hwc_median(double *values, size_t count);

/* The mean of the values within `reach` of the median. Where a coarse clock's readings come in steps, this mean lies
 * between two steps, but the median lies on one. Sorts in place. count > 0. */
double hwc_mean_near_median(double *values, size_t count, double reach);

/* The same about what a quarter of the values lie below, within this share of it: of times, which others only make longer,
 * few of them or most. Sorts in place. count > 0. */
double hwc_mean_near_quarter(double *values, size_t count, double share);

/* Do at least `share` of the values lie within `width` of each other? *value is
 * the median of the largest such group, the lowest of several equally large.
 * Sorts in place. count > 0. */
bool hwc_most_agree(double *values, size_t count, double width, double share, double *value);

/* The chance that at least `count` of so many trials succeed, each with the chance `each`: the tail of a binomial
 * distribution. */
double hwc_chance_of_at_least(unsigned count, unsigned trials, double each);

/* The chance of at least `count` where there are so many in the mean, as of lines in a set (Poisson). */
double hwc_poisson_at_least(unsigned count, double mean);

/* The power of two nearest to value on a logarithmic scale (AMP 3.1, step 6). value > 0. */
uint64_t hwc_nearest_power_of_two(double value);

#endif
