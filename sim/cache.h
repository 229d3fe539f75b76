/* One simulated cache: sets of tagged lines under a replacement policy.
 *
 * Assumptions: a line is in at most one set; empty ways are filled before any
 * line is evicted; a non-power-of-two number of sets is indexed by the
 * remainder; slices are chosen by a hash of the whole line number; where sets are
 * hashed, the lowest bits above the set's number are added to it without carry. */
#ifndef HWC_SIM_CACHE_H
#define HWC_SIM_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"
#include "policy.h"

struct sim_cache_shape {
    uint64_t size_bytes;
    uint64_t line_bytes;
    unsigned ways;
    unsigned slices;        /* 1 = not sliced */
    unsigned hashed_bits;   /* so many low bits of the set's number are changed by the address bits above it; 0 = none */
    unsigned duel_leaders;  /* sets that each of the two policies leads; 0 = no dueling */
    struct hwc_policy policy;
    struct hwc_policy rival; /* the second of two dueling policies */
};

struct sim_cache {
    struct sim_cache_shape shape;
    uint32_t sets;
    uint32_t sets_per_slice;
    unsigned line_shift, set_bits;
    unsigned stride;      /* tags a set takes, padding included */
    unsigned state_words; /* words a set's state takes */
    uint32_t *tags;       /* line number + 1; 0 = empty; in order of recency where that is the policy's state */
    uint16_t *used;       /* ways of each set that are not empty */
    uint64_t *state;      /* of the other policies */
    uint64_t *stamps;     /* of lines, where dueling policies need an order; else NULL */
    uint64_t clock;
    bool in_order;
    bool loses_lines;     /* other than by eviction: an inclusive level below, or its own exclusion, takes them */
    uint32_t duel_selector; /* 0 .. 1023; 512 and above: the rival leads */
    bool power_of_two;
};

/* Fold a value into a hash. */
static inline uint64_t sim_mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

/* A table of entries that are found by a number: what TLBs and branch target buffers are. */
struct sim_table {
    uint64_t entries;
    uint64_t ways;
    double miss_penalty_cycles;
    struct hwc_policy policy;
};

/* As a cache whose line numbers are what entries are found by. */
int sim_cache_init_table(struct sim_cache *cache, const struct sim_table *table, struct hwc_error *error);

int sim_cache_init(struct sim_cache *cache, const struct sim_cache_shape *shape, struct hwc_error *error);
void sim_cache_free(struct sim_cache *cache);

/* Do address bits above the set's number have a part in which set it is? */
bool sim_cache_is_scattered(const struct sim_cache_shape *shape);

/* Lines are named by their number: physical address / line size. */
uint32_t sim_cache_set_of(const struct sim_cache *cache, uint64_t line);

/* Hit: tell the policy and return true. */
bool sim_cache_access(struct sim_cache *cache, uint32_t set, uint64_t line);

/* Access and, where it misses, fill: for a cache that nobody needs to be told of evictions of. */
bool sim_cache_touch(struct sim_cache *cache, uint32_t set, uint64_t line, struct hwc_random *random);

/* Present? Tells nobody. */
bool sim_cache_holds(const struct sim_cache *cache, uint32_t set, uint64_t line);

/* Fill the line, which must not be present. Returns true and the evicted line's number when one was evicted. */
bool sim_cache_fill(struct sim_cache *cache, uint32_t set, uint64_t line, struct hwc_random *random,
                    uint64_t *evicted);

/* A hash of all that the set's future depends on, but for chance and dueling. */
uint64_t sim_cache_state(const struct sim_cache *cache, uint32_t set);

/* Remove the line where present. */
bool sim_cache_remove(struct sim_cache *cache, uint32_t set, uint64_t line);

/* Remove all lines. */
void sim_cache_clear(struct sim_cache *cache);

/* Remove `count` lines at random: what a context switch costs. */
void sim_cache_lose(struct sim_cache *cache, unsigned count, struct hwc_random *random);

#endif
