/* Walks in their steady state. */
#ifndef HWC_STEADY_STATE_H
#define HWC_STEADY_STATE_H

#include "lab.h"
#include "sampler.h"

/* The least of so many samples' first readings, by hwc_weigh_reading. */
int hwc_weigh_least(struct hwc_lab *lab, const struct hwc_witness *witness, const struct hwc_experiment *experiment,
                    unsigned samples, double *least, struct hwc_error *error);

/* Flush the walk where the machine can: leave no line behind that a policy
 * might prefer to the next walk's. */
int hwc_leave_nothing(struct hwc_lab *lab, const struct hwc_arena *arena, const struct hwc_walk *walk,
                      struct hwc_error *error);

/* A walk in its steady state: everything per pass, the cost of starting and
 * reading counter and clock cancelled by differencing two lengths. */
struct hwc_steady {
    double cycles;  /* per pass */
    double misses;  /* per pass, of the event asked for */
    bool counted;
};

/* Measure the steady state of a walk: warm up, measure k and 2k passes, take
 * the minimum of each over the samples, and subtract. `event` may be
 * HWC_NO_EVENT, for time alone. `samples`: how many the minimum is taken
 * over; fewer when a counter repeats itself exactly, more when the spread
 * stays wide. */
int hwc_measure_steady(struct hwc_lab *lab, const struct hwc_arena *arena, const struct hwc_walk *walk,
                       enum hwc_event event, unsigned samples, struct hwc_steady *steady, struct hwc_error *error);

/* What a witness makes of a pass in the steady state: a counter, misses; the clock, cycles. */
int hwc_measure_by(struct hwc_lab *lab, const struct hwc_witness *witness, const struct hwc_arena *arena,
                   const struct hwc_walk *walk, unsigned samples, double *result, struct hwc_error *error);

#endif
