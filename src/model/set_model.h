/* One cache set, played by a replacement policy. Pure. */
#ifndef HWC_SET_MODEL_H
#define HWC_SET_MODEL_H

#include <stddef.h>

#include "policy.h"

enum { HWC_MODEL_WAYS = 64 };

#define HWC_NO_LINE 0xff

struct hwc_set_model {
    const struct hwc_policy *policy;
    unsigned ways;                /* at most HWC_MODEL_WAYS */
    bool victims;                 /* holds what the level above throws out: a hit takes the line away, and it comes
                                     back as a fill (an exclusive level) */
    uint8_t name[HWC_MODEL_WAYS]; /* by way, HWC_NO_LINE where empty; most recent first where the policy is an order */
    uint64_t state[2];
};

/* An empty set. The policy must have been prepared for so many ways. */
void hwc_set_model_init(struct hwc_set_model *set, const struct hwc_policy *policy, unsigned ways, bool victims);

/* Visit lines by name (0 .. 63) in turn; returns how many missed. */
unsigned hwc_set_model_play(struct hwc_set_model *set, const uint8_t *names, size_t count, struct hwc_random *random);

/* Take all lines away. What the policy remembers of them stays, or is forgotten. */
void hwc_set_model_flush(struct hwc_set_model *set, bool forget);

#endif
