/* What FIRA found, as curves over the levels and in words. */
#ifndef HWC_FIRA_REPORT_H
#define HWC_FIRA_REPORT_H

#include "fira_pass.h"
#include "profile.h"

/* Results by order of the reverse access. */
int hwc_fira_report(struct hwc_lab *lab, const struct hwc_fira_plan *plan,
                    const struct hwc_fira_result result[HWC_FIRA_ORDERS], struct hwc_profile *profile,
                    struct hwc_error *error);

#endif
