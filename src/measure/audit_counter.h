/* Auditing a counter: what it counts of references whose misses are known beforehand, and how large a walk is when its
 * counts rise. What that means is for audit.h to say. */
#ifndef HWC_AUDIT_COUNTER_H
#define HWC_AUDIT_COUNTER_H

#include "audit.h"
#include "lab.h"

struct hwc_audited {
    struct hwc_listed listed;
    struct hwc_claim claim;
    bool counted; /* else `reason` says why not */
    char reason[HWC_MESSAGE];
    struct hwc_audit_counts counts;
    struct hwc_audit_finding finding;
};

/* Count with one counter. That it cannot be counted is no error. */
int hwc_audit_counter(struct hwc_lab *lab, const struct hwc_listed *listed, struct hwc_audited *audited,
                      struct hwc_error *error);

#endif
