/* A model of one cache set under a replacement policy. Pure. */
#ifndef HWC_SET_MODEL_H
#define HWC_SET_MODEL_H

#include <stddef.h>

#include "policy.h"

enum { HWC_MODEL_WAYS = 64 };

#define HWC_NO_LINE 0xff

struct hwc_set_model {
    const struct hwc_policy *policy;
    unsigned ways;                /* at most HWC_MODEL_WAYS */
    bool victims;                 /* holds what the level above evicts (an exclusive level): a hit removes the line,
                                     which then comes back as a fill */
    uint8_t name[HWC_MODEL_WAYS]; /* by way, HWC_NO_LINE if empty; most recent first if the policy is an order */
    uint8_t way[HWC_NO_LINE];     /* by name, unless the policy is an order: the line's way; `ways` if it has none */
    unsigned filled;              /* unless the policy is an order: ways that hold a line */
    uint64_t state[2];
};

/* An empty set. The policy must have been prepared for this many ways. */
void hwc_set_model_init(struct hwc_set_model *set, const struct hwc_policy *policy, unsigned ways, bool victims);

/* Visit lines by name (0 .. 254) in this order; returns the number of misses. */
unsigned hwc_set_model_play(struct hwc_set_model *set, const uint8_t *names, size_t count, struct hwc_random *random);

/* Remove all lines. `forget`: clear the policy's state, too. */
void hwc_set_model_flush(struct hwc_set_model *set, bool forget);

#endif
