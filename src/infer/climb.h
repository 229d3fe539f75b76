/* Where a line bends: what grows evenly from point to point begins to grow by more. Pure. */
#ifndef HWC_CLIMB_H
#define HWC_CLIMB_H

#include <stdbool.h>
#include <stddef.h>

/* values[i] belongs to i + 1. The number up to which the values grow evenly, where each one after it adds about `rise`
 * or more; 0 if they do so to the end, or if there is no such number. */
size_t hwc_last_before_climb(const double *values, size_t count, double rise);

/* A stack that goes round gives out what is in it again and again. Beyond its size each further return is then foreseen
 * where code returns to as many places in turn as the stack holds, and mispredicted where there are one fewer or one more.
 * Cycles of each further level in these three cases, and what a misprediction adds. */
struct hwc_round_stack {
    double one_fewer, as_many, one_more, rise;
};

bool hwc_goes_round(const struct hwc_round_stack *stack);

#endif
