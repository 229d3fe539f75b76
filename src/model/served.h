/* Which level served loads, as the CPU itself says of some of them. */
#ifndef HWC_SERVED_H
#define HWC_SERVED_H

#include <stdint.h>

enum hwc_server {
    HWC_SERVED_L1,
    HWC_SERVED_L2,
    HWC_SERVED_L3,
    HWC_SERVED_L4,
    HWC_SERVED_FILLING,   /* its line was on its way already, from wherever */
    HWC_SERVED_ELSEWHERE, /* by other cores' caches */
    HWC_SERVED_MEMORY,
    HWC_SERVED_UNKNOWN,
    HWC_SERVERS
};

struct hwc_served {
    uint64_t loads[HWC_SERVERS]; /* of those that were sampled */
    uint64_t lost;               /* samples that there was no room for */
    const char *by;              /* "PEBS", "IBS", "SPE" */
};

#endif
