/* How many things a power of two apart fit beside each other, and from which
 * distance on the number stays the same: X-Ray's search for capacity and
 * associativity (SIGMETRICS 2005, 3.2), for what is not data caches: rows of
 * code in an instruction cache, pages in a TLB.
 *
 * By a counter any steady miss says that one too many is there. The clock sees
 * shares of misses only, so there one more must make many references miss where
 * next to none did before, and the next most of them; a policy under which it
 * does not (random among many ways, or one that resists thrashing) leaves the
 * question open. */
#ifndef HWC_FIT_H
#define HWC_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"

struct hwc_fit {
    /* Misses of one pass over `count` things `stride` apart, in the steady state, of so many references to them. */
    int (*misses)(void *context, uint64_t stride, size_t count, double *misses,
                  double *references, struct hwc_error *error);
    /* Lay every other thing so far aside. */
    void (*move)(void *context, uint64_t distance);
    void *context;
    bool counted;           /* by a counter, exactly */
    uint64_t most_bytes;    /* stride x count stays below */
    size_t most;            /* things to try at most */
};

/* Do so many fit? */
int hwc_fits(const struct hwc_fit *fit, uint64_t stride, size_t count, bool *fits,
             struct hwc_error *error);

/* The greatest number that fits; one more than can be tried where all do. */
int hwc_fit_count(const struct hwc_fit *fit, uint64_t stride, size_t *count,
                  struct hwc_error *error);

/* The number that fits at every stride of at least *period, which is the
 * smallest such; between `least` and `most`, powers of two, begun at `begin`.
 * *period is `least` where all strides are alike. HWC_UNAVAILABLE where
 * numbers do not behave as those of a set do. */
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
