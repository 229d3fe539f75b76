/* Walks in their steady state. */
#ifndef HWC_STEADY_STATE_H
#define HWC_STEADY_STATE_H

#include "lab.h"
#include "sampler.h"

/* The least first reading of `samples` samples, as hwc_weigh_reading weighs it. */
int hwc_weigh_least(struct hwc_lab *lab, const struct hwc_witness *witness, const struct hwc_experiment *experiment,
                    unsigned samples, double *least, struct hwc_error *error);

/* Flush the walk where the machine can, so that no line stays that a policy
 * might prefer to the next walk's. */
int hwc_leave_nothing(struct hwc_lab *lab, const struct hwc_arena *arena, const struct hwc_walk *walk,
                      struct hwc_error *error);

/* A walk in its steady state, per pass. The cost of starting and reading counter
 * and clock cancels in the difference of two lengths. */
struct hwc_steady {
    double cycles;  /* per pass */
    double misses;  /* per pass, of the event asked for */
    bool counted;
};

/* Measure the steady state of a walk: warm up, measure k and 2k passes, take
 * the minimum of each over the samples, and subtract. `event` may be
 * HWC_NO_EVENT, for time alone. `samples`: how many the minimum is taken
 * over; fewer when the readings agree early, more while they spread
 * widely. HWC_UNAVAILABLE for a walk of no references. */
int hwc_measure_steady(struct hwc_lab *lab, const struct hwc_arena *arena, const struct hwc_walk *walk,
                       enum hwc_event event, unsigned samples, struct hwc_steady *steady, struct hwc_error *error);

/* A pass in the steady state, measured by a witness: misses by a counter, cycles by the clock. */
int hwc_measure_by(struct hwc_lab *lab, const struct hwc_witness *witness, const struct hwc_arena *arena,
                   const struct hwc_walk *walk, unsigned samples, double *result, struct hwc_error *error);

#endif
