/* How many things a power of two apart fit beside each other, and from which
 * distance on the number stays the same: X-Ray's search for capacity and
 * associativity (SIGMETRICS 2005, 3.2), applied to rows of code in an
 * instruction cache and to pages in a TLB.
 *
 * A callback tells whether things fit: it returns the share of their references
 * that miss, and whether that is below or above a threshold. A counter sees any
 * steady miss, the clock only many, or some if it takes more readings. A miss
 * share above that means too many things. There must be a step: next to nothing
 * may miss while all things fit. Under a policy without a step (random among many ways, or one
 * that resists thrashing), the few misses that an instrument does not see leave
 * the question open. */
#ifndef HWC_FIT_H
#define HWC_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "sequential.h"

/* Miss shares: of the references to the things, those that miss. */
struct hwc_fit_shares {
    double none; /* less is next to none: the uncertainty of the clock where nothing misses */
    double some; /* from here on some miss; between none and many */
    double many; /* from here on the clock alone is proof: under most policies a set that is too small misses at least
                    this often, and misses of branch tables, which cost less, look fewer */
    double most; /* where there are twice as many things as fit, at least so many miss */
};

extern const struct hwc_fit_shares hwc_fit_shares;

struct hwc_fit {
    /* The miss share of `count` things `stride` apart in the steady state, and its side of this threshold or, if the
     * instrument sees any miss, of none: HWC_BELOW = they fit. */
    int (*ask)(void *context, uint64_t stride, size_t count, double threshold, struct hwc_estimate *share,
               enum hwc_side *side, struct hwc_error *error);
    /* Shift every other thing by `distance`. */
    void (*move)(void *context, uint64_t distance);
    void *context;
    uint64_t most_bytes;    /* searches keep stride x count within this */
    size_t most;            /* the most things that a search tries */
};

/* Do this many things fit for certain? */
int hwc_fits(const struct hwc_fit *fit, uint64_t stride, size_t count, bool *fits,
             struct hwc_error *error);

/* Are they at least twice as many as fit? Where things either fit or are so many, what disturbs a reading hardly
 * matters. */
int hwc_are_twice_too_many(const struct hwc_fit *fit, uint64_t stride, size_t count, bool *too_many,
                           struct hwc_error *error);

/* The greatest number that fits; if all that can be tried do, one more than that. */
int hwc_fit_count(const struct hwc_fit *fit, uint64_t stride, size_t *count,
                  struct hwc_error *error);

/* The number that fits at every stride of at least *period, the smallest such
 * stride. Strides are powers of two from `least` to `most`, tried from `begin`
 * on. *period is `least` if all strides are alike. HWC_UNAVAILABLE if the
 * numbers are not those of a set, HWC_INCONCLUSIVE if the misses do not tell
 * whether they are. */
int hwc_fit_ways(const struct hwc_fit *fit, uint64_t least, uint64_t begin, uint64_t most,
                 size_t *ways, uint64_t *period, struct hwc_error *error);

/* Far more than `ways` things, of which half fit with room to spare. */
static inline size_t hwc_too_many(size_t ways)
{
    return ways + (ways > 1 ? ways / 2 : 1);
}

/* Given `count` things a period apart that compete, of which half would fit,
 * shift every other one. By less than a line or a page, and all still compete;
 * by at least that, and the two halves part (X-Ray 4.1.3). The distances tried
 * are powers of two from `least` to below `most`; *distance is the first that
 * parts them, or `most` if none does. */
int hwc_fit_parting(const struct hwc_fit *fit, uint64_t period, size_t count, uint64_t least,
                    uint64_t most, uint64_t *distance, struct hwc_error *error);

#endif
