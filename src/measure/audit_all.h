/* An audit of counters: each is held against known references (audit_counter.h), and against what it is named for. */
#ifndef HWC_AUDIT_ALL_H
#define HWC_AUDIT_ALL_H

#include "audit_counter.h"

enum { HWC_MOST_AUDITED = 400 };

struct hwc_audits {
    bool asked;
    unsigned count;
    struct hwc_audited *counter; /* owned */
    struct hwc_audit_levels levels;
};

/* Audit the counters of these names, or, if there is none, all that are named for their meanings, such as PAPI's presets.
 * What was found before a failure is in *audits. */
int hwc_audit_all(struct hwc_lab *lab, const char *const *names, unsigned count, struct hwc_audits *audits,
                  struct hwc_error *error);

void hwc_audits_free(struct hwc_audits *audits);

#endif
