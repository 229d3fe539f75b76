/* Native counters by CPU family.
 *
 * One const table for each family, named as libpfm4 names its PMU. Demand
 * events go first; events that also count fills or prefetches are labelled so.
 * Sources: libpfm4's own event lists (4.13.0; a test checks every x86 name)
 * and, for families that it lacks, the vendors' lists named beside them. */
#ifndef HWC_COUNTERS_TABLES_H
#define HWC_COUNTERS_TABLES_H

#include "event.h"

struct ctr_native {
    enum hwc_event event;
    const char *native; /* libpfm4's spelling, or "rNNNN" raw */
    const char *quality;
};

struct ctr_family {
    const char *name;         /* "skx" */
    const char *architecture; /* whose build of libpfm4 knows it: "x86", "arm64", "power"; "raw" = none */
    const struct ctr_native *natives; /* ends with native == NULL */
};

/* Ends with name == NULL. */
extern const struct ctr_family ctr_families[];

const struct ctr_family *ctr_family_by_name(const char *name);

/* Why a native counter of a family must not be used; NULL if nothing is known
 * against it. The text names its source. */
const char *ctr_erratum(const char *family, const char *native);

#endif
