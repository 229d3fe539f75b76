/* Whether the core has an operation, by what became of the code that a compiler made for it. */
#ifndef HWC_EXISTENCE_H
#define HWC_EXISTENCE_H

#include "finding.h"

/* Yes if the code runs, no if the CPU refuses it. One that is `fused` must also be one instruction for each statement,
 * not as many as it has operations. Unavailable where nothing tells. */
void hwc_finding_exists(struct hwc_finding *finding, const struct hwc_nano_code *code, bool fused);

#endif
