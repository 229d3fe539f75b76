/* A simulated memory hierarchy: levels, inclusion, write policy, sectors,
 * prefetchers and translation, reference by reference.
 *
 * Loads and stores go down the data path, fetches down the code path; unified
 * levels lie on both.
 *
 * Assumptions: references complete one at a time; the first level is indexed by
 * the virtual address and tagged by the physical one, the others are indexed and
 * tagged by the physical one; a fill goes to every level on its way up, except
 * exclusive levels, which are filled by evictions from the level above. A store
 * goes on to the next level if it misses or if the level is write-through. An
 * evicted dirty line goes to the next level that holds it and is write-back, or
 * to memory, and nothing waits for it. Prefetchers learn from data only. */
#ifndef HWC_SIM_HIERARCHY_H
#define HWC_SIM_HIERARCHY_H

#include <stdbool.h>
#include <stdint.h>

#include "description.h"
#include "line_set.h"
#include "experiment.h"
#include "prefetch.h"

#define SIM_MAX_DATA_LEVELS HWC_MAX_CACHE_LEVEL
enum { SIM_TLB_LEVELS = 4, SIM_ACCESSES = 3 /* kinds of enum hwc_access */ };
/* What translation may miss: TLBs, then the caches of page-table entries that a walk asks. */
enum { SIM_TRANSLATION_LEVELS = SIM_TLB_LEVELS + SIM_MAX_PAGE_WALK };

enum sim_side { SIM_DATA_SIDE, SIM_CODE_SIDE, SIM_SIDES };

static inline enum sim_side sim_side_of(enum hwc_access access)
{
    return access == HWC_FETCH ? SIM_CODE_SIDE : SIM_DATA_SIDE;
}

/* A cell, found once and visited often. */
struct sim_place {
    uint64_t virtual_address;
    uint64_t physical_address;
    uint32_t set[SIM_MAX_DATA_LEVELS]; /* the cell's set in each cache on its side's path */
};

/* Counts that accesses add to. */
struct sim_counts {
    uint64_t misses[SIM_MAX_DATA_LEVELS][SIM_ACCESSES];  /* demand misses, by place on the path and enum hwc_access */
    /* References by the level that served them (the last is memory), and by how many levels of translation missed. */
    uint64_t served[SIM_MAX_DATA_LEVELS + 1][SIM_TRANSLATION_LEVELS + 1];
    uint64_t written_back[SIM_MAX_DATA_LEVELS];          /* evicted dirty lines, by place on the data path */
    uint64_t unforeseen[SIM_MAX_BTBS];                   /* jumps that missed in each branch target buffer */
    uint64_t decoded;                                    /* fetches that waited for decoding */
    uint64_t untranslated[SIM_SIDES][SIM_MAX_TLBS];      /* misses of each TLB of the description */
};

/* The caches on one side's way to memory. */
struct sim_path {
    unsigned levels;
    const struct sim_level *level[SIM_MAX_DATA_LEVELS];
    struct sim_cache *cache[SIM_MAX_DATA_LEVELS];
    struct sim_line_set *dirty[SIM_MAX_DATA_LEVELS];
    bool plain; /* no inclusion, exclusion, sectors or prefetchers: levels do not affect each other */
    uint64_t first_step, first_candidates; /* sets of the first level where a physical line may be */
};

struct sim_hierarchy {
    const struct sim_description *description;
    struct sim_hierarchy *beside;   /* another CPU's, which shares some caches with this one; NULL = there is none */
    bool borrowed[SIM_MAX_LEVELS];  /* the cache is the one of the hierarchy beside */
    struct sim_cache cache[SIM_MAX_LEVELS]; /* in the description's order */
    struct sim_line_set dirty[SIM_MAX_LEVELS]; /* of each cache */
    struct sim_path path[SIM_SIDES];        /* the code path has no levels if no cache holds instructions */
    struct hwc_random random;
    uint64_t page_bytes; /* the unit in which virtual and physical addresses agree */
    struct sim_counts counts;
    uint64_t prefetched[SIM_MAX_DATA_LEVELS];
    struct sim_prefetchers prefetchers;
};

static inline uint64_t sim_line_at(const struct sim_path *path, unsigned level, uint64_t physical_address)
{
    return physical_address >> path->cache[level]->line_shift;
}

/* The first level that is asked for data of this type. */
static inline unsigned sim_first_asked(const struct sim_path *path, enum hwc_type type)
{
    return type == HWC_FLOAT && path->level[0]->bypassed_by_float ? 1 : 0;
}

int sim_hierarchy_init(struct sim_hierarchy *hierarchy, const struct sim_description *description, uint64_t seed,
                       struct hwc_error *error);
/* Another CPU's: caches of its own, empty, but for those that it shares with CPU 0, whose hierarchy the owner is. The
 * owner gets to know of it, and must outlive it. */
int sim_hierarchy_init_beside(struct sim_hierarchy *hierarchy, struct sim_hierarchy *owner, unsigned cpu, uint64_t seed,
                              struct hwc_error *error);
void sim_hierarchy_free(struct sim_hierarchy *hierarchy);

void sim_hierarchy_locate(const struct sim_hierarchy *hierarchy, enum sim_side side, uint64_t virtual_address,
                          uint64_t physical_address, struct sim_place *place);

/* Prefetch, on the host, the tags that an access to the place will search. */
static inline void sim_hierarchy_anticipate(const struct sim_path *path, const struct sim_place *place)
{
    for (unsigned i = 1; i < path->levels; i++)
        __builtin_prefetch(path->cache[i]->tags + (size_t)place->set[i] * path->cache[i]->stride);
}

/* Returns the path index of the level that served the reference; `levels` for memory. */
unsigned sim_hierarchy_access(struct sim_hierarchy *hierarchy, const struct sim_place *place, enum hwc_access access,
                              enum hwc_type type);

/* Remove the line from every cache on its path. */
void sim_hierarchy_flush(struct sim_hierarchy *hierarchy, enum sim_side side, const struct sim_place *place);

/* Bring the line at a distance from a reference to data into a level, unless it is in another page. */
void sim_hierarchy_prefetch(struct sim_hierarchy *hierarchy, unsigned level, const struct sim_place *near,
                            int64_t distance);

/* counts += times * adds */
void sim_counts_add(struct sim_counts *counts, const struct sim_counts *adds, uint64_t times);

/* What was added between `then` and `now`. */
void sim_counts_between(const struct sim_counts *then, const struct sim_counts *now, struct sim_counts *added);

/* Others put `ways` random ways of one cache out, of the description's order: their lines go where evicted lines go. */
void sim_hierarchy_lose(struct sim_hierarchy *hierarchy, unsigned cache, uint64_t ways);

/* A context switch or an interrupt: every cache loses up to `lines` lines. */
void sim_hierarchy_disturb(struct sim_hierarchy *hierarchy, unsigned lines);

#endif
