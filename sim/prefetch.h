/* The prefetchers of a simulated machine: they learn from references to data, and
 * bring in lines of the same page.
 *
 * next line   a miss of the first level brings the next line into it
 * line pair   a miss of the second level brings the other half of an aligned pair
 * stride      two equal distances between references, of at most 2 KiB, bring what
 *             lies as far ahead into the first level
 * stream      misses of the first level in consecutive lines bring the next two
 *             into the second level, in either direction
 *
 * Where there is one level only, it takes the place of the second, and streams are
 * learnt from hits, too. */
#ifndef HWC_SIM_PREFETCH_H
#define HWC_SIM_PREFETCH_H

#include <stdbool.h>
#include <stdint.h>

struct sim_hierarchy;
struct sim_place;

/* What strides and streams are told by. */
struct sim_prefetchers {
    uint64_t last_address;
    int64_t last_stride;
    uint64_t last_line;
    int stream_direction;
    bool rest; /* bring nothing in */
};

/* A reference to data, and the level that served it. */
void sim_prefetch_after(struct sim_hierarchy *hierarchy, const struct sim_place *place, unsigned served);

#endif
