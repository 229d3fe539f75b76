/* One simulated cache: sets of tagged lines under a replacement policy.
 *
 * Assumptions: a line is in at most one set; empty ways are filled before any
 * line is evicted; a non-power-of-two number of sets is indexed by the
 * remainder; slices are chosen by a hash of the whole line number; where sets are
 * hashed, the lowest address bits above the set index are XORed into it. */
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
    unsigned hashed_bits;   /* low bits of the set index that are XORed with the address bits above it; 0 = none */
    unsigned duel_leaders;  /* leader sets of each of the two policies; 0 = no dueling */
    struct hwc_policy policy;
    struct hwc_policy rival; /* the second of two dueling policies */
};

struct sim_cache {
    struct sim_cache_shape shape;
    uint32_t sets;
    uint32_t sets_per_slice;
    unsigned line_shift, set_bits;
    unsigned stride;      /* tags per set, padding included */
    unsigned state_words; /* words of state per set */
    uint32_t *tags;       /* line number + 1; 0 = empty; where in_order, the next victim last */
    uint32_t *used;       /* filled ways of each set; unused where in_order */
    uint64_t *state;      /* of all policies but LRU and FIFO */
    uint64_t *stamps;     /* order of lines, where dueling policies need one; else NULL */
    uint64_t clock;
    uint32_t *looked;     /* the look at which each set was last hashed */
    uint32_t look;
    bool in_order;        /* LRU or FIFO, without dueling: the order of the tags is the whole state */
    bool loses_lines;     /* other than by eviction: to an inclusive level below, or by being exclusive */
    uint32_t duel_selector; /* 0 .. 1023; 512 and above: the followers use the rival */
    bool power_of_two;
};

/* Fold a value into a hash. */
static inline uint64_t sim_mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

/* A table of entries that are found by a number, such as a TLB or a branch target buffer. */
struct sim_table {
    uint64_t entries;
    uint64_t ways;
    double miss_penalty_cycles;
    struct hwc_policy policy;
};

/* Make the table a cache whose line numbers are the numbers of the entries. */
int sim_cache_init_table(struct sim_cache *cache, const struct sim_table *table, struct hwc_error *error);

int sim_cache_init(struct sim_cache *cache, const struct sim_cache_shape *shape, struct hwc_error *error);
void sim_cache_free(struct sim_cache *cache);

/* Does the set also depend on address bits above the set index? */
bool sim_cache_is_scattered(const struct sim_cache_shape *shape);

/* Lines are named by their number, physical address / line size; a virtually indexed level passes the virtual one. */
uint32_t sim_cache_set_of(const struct sim_cache *cache, uint64_t line);

/* Look the line up. On a hit, update the policy and return true. */
bool sim_cache_access(struct sim_cache *cache, uint32_t set, uint64_t line);

/* Access the line and fill it on a miss, for a cache whose evictions concern no one else. */
bool sim_cache_touch(struct sim_cache *cache, uint32_t set, uint64_t line, struct hwc_random *random);

/* Is the line present? Does not update the policy. */
bool sim_cache_holds(const struct sim_cache *cache, uint32_t set, uint64_t line);

/* Fill the line, which must not be present. Returns true and the evicted line's number when one was evicted. */
bool sim_cache_fill(struct sim_cache *cache, uint32_t set, uint64_t line, struct hwc_random *random,
                    uint64_t *evicted);

/* From here on no set has been looked at. */
static inline void sim_cache_new_look(struct sim_cache *cache)
{
    cache->look++;
}

/* Fold all state that the set's future depends on, except random numbers and dueling, into a hash, unless it was since
 * the new look. */
uint64_t sim_cache_mix_state(struct sim_cache *cache, uint32_t set, uint64_t hash);

/* Remove the line; returns whether it was present. */
bool sim_cache_remove(struct sim_cache *cache, uint32_t set, uint64_t line);

/* Remove all lines. */
void sim_cache_clear(struct sim_cache *cache);

/* Empty a random way; true and its line's number if it held one. */
bool sim_cache_lose_one(struct sim_cache *cache, struct hwc_random *random, uint64_t *line);

/* Empty `count` random ways, as a context switch does; some may be empty already. */
void sim_cache_lose(struct sim_cache *cache, unsigned count, struct hwc_random *random);

#endif
