/* The data side of a simulated memory hierarchy: levels, inclusion,
 * write policy, sectors and prefetchers, reference by reference.
 *
 * Assumptions: one reference at a time, to completion; the first level is
 * indexed by the virtual address and tagged by the physical, the others are
 * indexed and tagged by the physical; a fill goes to every level on its way
 * up, but for exclusive levels, which are filled by what the level above
 * evicts. */
#ifndef HWC_SIM_HIERARCHY_H
#define HWC_SIM_HIERARCHY_H

#include <stdbool.h>
#include <stdint.h>

#include "description.h"
#include "experiment.h"

#define SIM_MAX_DATA_LEVELS HWC_MAX_CACHE_LEVEL

/* A cell, found once and visited often. */
struct sim_place {
    uint64_t virtual_address;
    uint64_t physical_address;
    uint32_t set[SIM_MAX_DATA_LEVELS];
};

/* What accesses add up. */
struct sim_counts {
    uint64_t misses[SIM_MAX_DATA_LEVELS][2];    /* demand misses, by enum hwc_access */
    uint64_t served[SIM_MAX_DATA_LEVELS + 1]; /* references by the level that had them; the last is memory */
};

struct sim_hierarchy {
    const struct sim_description *description;
    unsigned levels;
    const struct sim_level *level[SIM_MAX_DATA_LEVELS];
    struct sim_cache cache[SIM_MAX_DATA_LEVELS];
    struct hwc_random random;
    bool plain;          /* neither inclusion nor exclusion, sectors or prefetchers: levels are on their own */
    uint64_t page_bytes; /* the unit in which virtual and physical addresses agree */
    uint64_t first_step, first_candidates; /* where in the first level a physical line may be */
    struct sim_counts counts;
    uint64_t prefetched[SIM_MAX_DATA_LEVELS];
    /* what the stride and stream prefetchers remember */
    uint64_t last_address;
    int64_t last_stride;
    uint64_t last_line;
    int stream_direction;
};

int sim_hierarchy_init(struct sim_hierarchy *hierarchy, const struct sim_description *description, uint64_t seed,
                       struct hwc_error *error);
void sim_hierarchy_free(struct sim_hierarchy *hierarchy);

void sim_hierarchy_locate(const struct sim_hierarchy *hierarchy, uint64_t virtual_address, uint64_t physical_address,
                          struct sim_place *place);

/* Have the host fetch what an access to the place will look at. */
static inline void sim_hierarchy_anticipate(const struct sim_hierarchy *hierarchy, const struct sim_place *place)
{
    for (unsigned i = 1; i < hierarchy->levels; i++)
        __builtin_prefetch(hierarchy->cache[i].tags + (size_t)place->set[i] * hierarchy->cache[i].stride);
}

/* Returns the index of the level that had the data; `levels` for memory. */
unsigned sim_hierarchy_access(struct sim_hierarchy *hierarchy, const struct sim_place *place, enum hwc_access access,
                              enum hwc_type type);

void sim_hierarchy_flush(struct sim_hierarchy *hierarchy, const struct sim_place *place);

/* counts += times * adds */
void sim_counts_add(struct sim_counts *counts, const struct sim_counts *adds, uint64_t times);

/* What was added between `then` and `now`. */
void sim_counts_between(const struct sim_counts *then, const struct sim_counts *now, struct sim_counts *added);

/* A context switch: every level loses some lines. */
void sim_hierarchy_disturb(struct sim_hierarchy *hierarchy, unsigned lines);

#endif
