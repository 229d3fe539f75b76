/* Do a fit's cycles allow for these? */
#ifndef HWC_TESTS_WITHIN_FIT_H
#define HWC_TESTS_WITHIN_FIT_H

#include "levels_fit.h"

static inline bool is_within(const struct hwc_fitted_cycles *fitted, double cycles)
{
    return (1 - HWC_FIT_FLOOR) * fitted->least <= cycles && cycles <= (1 + HWC_FIT_FLOOR) * fitted->most;
}

#endif
