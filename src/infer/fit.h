/* How many things a power of two apart fit beside each other, and from which
 * distance on the number stays the same: X-Ray's search for capacity and
 * associativity (SIGMETRICS 2005, 3.2), for what is not data caches: rows of
 * code in an instruction cache, pages in a TLB.
 *
 * Whether things fit is asked through a callback, which answers with the share
 * of their references that miss and with the side on which that lies of what
 * its instrument can see: a counter sees any steady miss, time only many. Where
 * so much is seen to miss, one thing too many is there. That must be a step:
 * next to nothing misses of as many things as fit. Under a policy that has no
 * step (random among many ways, or one that resists thrashing), what few misses
 * an instrument does not see leave the question open. */
#ifndef HWC_FIT_H
#define HWC_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "sequential.h"

/* Shares of the references to some things that miss. */
struct hwc_fit_shares {
    double none; /* less is next to none: what time is not sure of where nothing misses */
    double some; /* from here on some miss: as far from none as from many */
    double many; /* from here on time alone is proof: under most policies a set too small makes at least so many of its
                    references miss, and tables of branches, which cost less, do not look like it */
};

extern const struct hwc_fit_shares hwc_fit_shares;

struct hwc_fit {
    /* The share of the references to `count` things `stride` apart that miss in the steady state, and its side of what
     * is seen: HWC_BELOW = they fit. */
    int (*ask)(void *context, uint64_t stride, size_t count, struct hwc_estimate *share, enum hwc_side *side,
               struct hwc_error *error);
    /* Lay every other thing so far aside. */
    void (*move)(void *context, uint64_t distance);
    void *context;
    uint64_t most_bytes;    /* stride x count stays below */
    size_t most;            /* things to try at most */
};

/* Do so many surely fit? */
int hwc_fits(const struct hwc_fit *fit, uint64_t stride, size_t count, bool *fits,
             struct hwc_error *error);

/* The greatest number that fits; one more than can be tried where all do. */
int hwc_fit_count(const struct hwc_fit *fit, uint64_t stride, size_t *count,
                  struct hwc_error *error);

/* The number that fits at every stride of at least *period, which is the
 * smallest such; between `least` and `most`, powers of two, begun at `begin`.
 * *period is `least` where all strides are alike. HWC_UNAVAILABLE where
 * numbers do not behave as those of a set do, HWC_INCONCLUSIVE where whether
 * they do is not seen. */
int hwc_fit_ways(const struct hwc_fit *fit, uint64_t least, uint64_t begin, uint64_t most,
                 size_t *ways, uint64_t *period, struct hwc_error *error);

/* Many too many of `ways`, whose halves fit with room to spare. */
static inline size_t hwc_too_many(size_t ways)
{
    return ways + (ways > 1 ? ways / 2 : 1);
}

/* So many things a period apart compete, and half of them would not. Move every
 * other one: by less than a line, or a page, and all still do; by so much, and
 * the two halves part (X-Ray 4.1.3). The distances tried are powers of two from
 * `least` to below `most`; *distance is `most` where none parts them. */
int hwc_fit_parting(const struct hwc_fit *fit, uint64_t period, size_t count, uint64_t least,
                    uint64_t most, uint64_t *distance, struct hwc_error *error);

#endif
