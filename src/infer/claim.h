/* What a counter's name says that it counts. Pure. */
#ifndef HWC_CLAIM_H
#define HWC_CLAIM_H

#include <stdbool.h>

enum hwc_claim_of {
    HWC_CLAIMS_NOTHING,    /* the name says nothing, or nothing of references */
    HWC_CLAIMS_REFERENCES, /* each load or store */
    HWC_CLAIMS_MISSES,     /* of a level of caches; accesses of the level below are the same */
    HWC_CLAIMS_HITS,       /* of a level of caches */
    HWC_CLAIMS_TRANSLATIONS /* misses of a TLB, whichever level it is */
};

struct hwc_claim {
    enum hwc_claim_of of;
    unsigned level;              /* of misses and hits; of translations, where the name has one; else 0 */
    bool last;                   /* of misses: the last level's, whichever it is */
    bool loads, stores, fetches; /* by these */
};

/* Names of PAPI's presets, the kernel's generic events, callgrind's columns, and hwchar's own events, after "simulated:",
 * too. */
struct hwc_claim hwc_claim_of_name(const char *name);

#endif
