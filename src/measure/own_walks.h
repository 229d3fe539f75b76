/* The clock's own walks, counted.
 *
 * In a validation the clock decides from walks over what it takes to fit, and over more than that. Once it has
 * answered, these walks are gone through once more, and an event counts that should count the misses of the level:
 * the onlooker of its witness (witness.h). The clock never sees the counts; they stand beside what it inferred. */
#ifndef HWC_OWN_WALKS_H
#define HWC_OWN_WALKS_H

#include "lab.h"
#include "qualify.h"

/* Lines or pages that fit, and more of them: the misses of each in a pass. */
struct hwc_walk_counts {
    bool any; /* else nothing was counted */
    enum hwc_event event;
    double fit, fit_missed;
    double more, more_missed;
};

/* Do the counts say what the clock does: what fits does not miss, and some of what is more does, but no more often than
 * it is referenced? */
bool hwc_bears_out(const struct hwc_walk_counts *counted);

/* For what value they speak: a size in bytes or a number of entries, or ways. */
enum hwc_walked { HWC_WALKED_SIZE, HWC_WALKED_WAYS };

/* Let the best event of each level that there is, by these records, count beside the clock; if none is believed, one
 * that was rejected, which shows why. Opened with the machine's counters, but without a witness yet. HWC_NO_MEMORY. */
int hwc_set_onlookers(struct hwc_lab *lab, const struct hwc_event_record records[HWC_EVENT_COUNT],
                      struct hwc_error *error);

/* Does an event count beside this witness? */
static inline bool hwc_has_onlooker(const struct hwc_witness *witness)
{
    return witness->kind == HWC_CLOCK && witness->onlooker.counts;
}

/* Misses of a pass over a walk in its steady state, by the witness's onlooker. */
int hwc_count_own_walk(struct hwc_lab *lab, const struct hwc_witness *witness, const struct hwc_arena *arena,
                       const struct hwc_walk *walk, double *misses, struct hwc_error *error);

/* Add what was counted in the walks that spoke for this value. Does nothing if nothing was. */
void hwc_add_own_walks(struct hwc_lab *lab, const struct hwc_witness *witness, bool large, enum hwc_walked what,
                       double value, const struct hwc_walk_counts *counted);

/* What was counted of all walks that spoke for the value, in the mean; `any` is false if nothing was. */
struct hwc_walk_counts hwc_own_walks_of(const struct hwc_lab *lab, const struct hwc_witness *witness, bool large,
                                    enum hwc_walked what, double value);

#endif
