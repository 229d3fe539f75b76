#include "finding_by_clock.h"

void hwc_finding_by_clock(struct hwc_finding *finding, double value)
{
    *finding = (struct hwc_finding){
        .asked = true, .known = true, .witness = HWC_CLOCK, .alike = 1, .votes = 1, .value = value};
}
