/* Holding the counters' findings against the clock's, and both against what is documented. Pure. */
#ifndef HWC_VALIDATE_H
#define HWC_VALIDATE_H

#include "profile.h"

/* Validate the profile, which was measured with the counters first, against one of the clock alone, on the same machine
 * opened afresh. `clock` is NULL where there are no counters: then the profile is by the clock already. Afterwards the
 * profile has the findings of both, each with the value that the evidence supports, and a validation. HWC_NO_MEMORY. */
int hwc_validate(struct hwc_profile *profile, const struct hwc_profile *clock, const struct hwc_documented *documented,
                 struct hwc_error *error);

/* How two findings of the same thing compare: by value, and where that is not known by the interval. Times that are a
 * tenth or half a cycle apart, whichever is more, are the same. */
enum hwc_relation { HWC_OPEN, HWC_SAME, HWC_APART };

enum hwc_relation hwc_relate(enum hwc_value_kind kind, const struct hwc_finding *one, const struct hwc_finding *other);

/* Do the witnesses differ on the row? */
bool hwc_witnesses_differ(const struct hwc_validated *row);

#define HWC_NEITHER "neither has a value" /* begins the reason of such verdicts */

/* The verdict on a row. The figure that is documented, if any, is taken from the findings. */
void hwc_judge_row(const struct hwc_field *field, const struct hwc_finding *counter, const struct hwc_finding *clock,
                   struct hwc_verdict *verdict);

/* Name what lies behind the differences of the rows, and of the events. */
void hwc_explain(struct hwc_profile *profile, const struct hwc_documented *documented);

#endif
