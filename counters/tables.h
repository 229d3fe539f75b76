/* Native counters by CPU family.
 *
 * One const table for each family, made from tables/VENDOR.def. A family is named as libpfm4 names its PMU where it
 * has one. A way to count an event has a name that libpfm4 knows, or a raw code that needs no library, or both. Demand
 * events go first; events that also count fills or prefetches are labelled so. Names and codes are held against
 * libpfm4 and the vendors' event files by tests/test_counters_tables.c. */
#ifndef HWC_COUNTERS_TABLES_H
#define HWC_COUNTERS_TABLES_H

#include "event.h"

struct ctr_native {
    enum hwc_event event;
    const char *native;  /* libpfm4's spelling; NULL: it has no name for it */
    const char *raw;     /* the code, "r08d1"; where more than a code is needed, as perf spells it */
    const char *quality; /* what it counts */
    const char *listed;  /* only where the kernel lists this name in the PMU's events folder; NULL: everywhere */
};

struct ctr_family {
    const char *name;         /* "skx" */
    const char *architecture; /* as the compiler names it: "x86_64" */
    const char *document;     /* whose codes these are: an event file, as tests/event_facts name it, "SKX" */
    const struct ctr_native *natives; /* ends with event == HWC_NO_EVENT */
};

/* Ends with name == NULL. */
extern const struct ctr_family ctr_families[];

/* NULL if there is none, and for NULL. */
const struct ctr_family *ctr_family_by_name(const char *name);

/* Is the family one of those whose names begin so: "amd64_fam17h" means Zen 1 and Zen 2? */
bool ctr_is_of(const char *family, const char *beginning);

/* Why a native counter of a family must not be used; NULL if nothing is known
 * against it. The text names its source. */
const char *ctr_erratum(const char *family, const char *native);

/* Presets of PAPI and generic events of the kernel are named for a TLB, not for its level: on some families they count
 * misses of the first, on others those of the last. What one of them, "PAPI_TLB_DM" or "dTLB-load-misses", counts on
 * the family; `event` for every other name; HWC_NO_EVENT if it adds up two levels. */
enum hwc_event ctr_counts_on(const char *family, const char *name, enum hwc_event event);

#endif
