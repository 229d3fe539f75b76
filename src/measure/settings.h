/* What a user sets for a run. */
#ifndef HWC_SETTINGS_H
#define HWC_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

struct hwc_settings {
    unsigned votes;        /* AMP: 8 */
    bool all_votes;        /* hold them all, also when the first half decide */
    unsigned samples;      /* AMP: the minimum of 8 */
    double budget_seconds; /* for the whole run; 0 = none */
    bool quick;            /* fewer votes and samples, and the profile says so */
    uint64_t seed;
};

#endif
