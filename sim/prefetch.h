/* The prefetchers of a simulated machine: they learn from references to data, and
 * bring in lines of the same page.
 *
 * next line   a miss of the first level brings the next line into it
 * line pair   a miss of the second level brings the other half of an aligned pair
 * stride      two equal distances between references, of at most 2 KiB, bring what
 *             lies as far ahead into the first level
 * stream      misses of the first level in consecutive lines bring the next two
 *             into the second level, in either direction
 * region      where the first two references of two visits to a page lie as far
 *             apart, the first of the next visit brings the line of the second into
 *             the first level
 *
 * Where there is one level only, it takes the place of the second, and streams are
 * learnt from hits, too. */
#ifndef HWC_SIM_PREFETCH_H
#define HWC_SIM_PREFETCH_H

#include <stdbool.h>
#include <stdint.h>

struct sim_hierarchy;
struct sim_place;

/* A visit to a page: it ends when as many other pages have been referenced as are followed. */
struct sim_visit {
    uint64_t page, first_address;
    bool has_second;
    uint64_t last; /* reference, in the order of all */
};

/* What was learnt of a page. */
struct sim_region {
    uint64_t page;
    int64_t distance; /* between the first two references */
    unsigned times;   /* in a row */
};

enum {
    SIM_VISITS = 16,
    SIM_REGIONS = 64 /* of which something is known: the last ones, by the low bits of their number */
};

/* What strides, streams and regions are told by. */
struct sim_prefetchers {
    uint64_t last_address;
    int64_t last_stride;
    uint64_t last_line;
    int stream_direction;
    struct sim_visit visit[SIM_VISITS];
    uint64_t references;
    struct sim_region region[SIM_REGIONS];
    bool rest; /* bring nothing in */
};

/* A reference to data, and the level that served it. */
void sim_prefetch_after(struct sim_hierarchy *hierarchy, const struct sim_place *place, unsigned served);

#endif
