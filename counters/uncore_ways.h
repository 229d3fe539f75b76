/* How PMUs outside the cores count misses of a last level. */
#ifndef HWC_COUNTERS_UNCORE_WAYS_H
#define HWC_COUNTERS_UNCORE_WAYS_H

#include <stdbool.h>
#include <stddef.h>

#include "event.h"
#include "uncore_units.h"

struct ctr_uncore_way {
    const char *families; /* separated by blanks; "" = all */
    const char *kind;     /* of PMU */
    enum hwc_event event;
    const char *terms;
    const char *quality;
};

/* Ends with kind == NULL. */
extern const struct ctr_uncore_way ctr_uncore_ways[];

/* Is the way one of a CPU of this family (NULL: of none that is known), whatever PMUs there are? */
bool ctr_is_uncore_way_of(const struct ctr_uncore_way *way, const char *family);

/* The terms that leave out what other cores do, for a CPU at this place, to go behind others; "" if the PMU has none.
 * Which number a core has there is not documented where some are switched off: qualification finds out what counts
 * nothing of the CPU's own. */
void ctr_own_terms(const char *pmu, const struct ctr_place *place, char *terms, size_t size);

#endif
