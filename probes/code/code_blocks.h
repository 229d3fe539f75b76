/* Blocks of code: what instruction caches are asked by.
 *
 * So many blocks, a stride apart, lie in the same sets; a block is several fetches
 * wide, each of a line of its own, so that what takes few lines at a place,
 * a branch target buffer, say, weighs little.
 *
 * A cache of decoded instructions that need not have what it holds in the
 * instruction cache, too, serves blocks that are long out of that (AMD's Software
 * Optimization Guides, "Op Cache"). An entry of it holds a few instructions: of
 * lines that are full of short ones it holds few, where an instruction cache
 * holds as many as ever. So what bare jumps say is asked of such dense code again. */
#ifndef HWC_CODE_BLOCKS_H
#define HWC_CODE_BLOCKS_H

#include "finding.h"
#include "fit.h"
#include "lab.h"

/* A block is at most so wide where blocks are counted. */
#define HWC_CODE_BLOCK_BYTES UINT64_C(1024)

/* Bare jumps; cells half as long as lines that are usual, so that distances part these; and as long. */
enum hwc_code_density { HWC_CODE_BARE, HWC_CODE_DENSE, HWC_CODE_DENSEST, HWC_CODE_DENSITIES };

enum hwc_code_blocks_question { HWC_CODE_BLOCKS_LINE, HWC_CODE_BLOCKS_SIZE, HWC_CODE_BLOCKS_WAYS,
                               HWC_CODE_BLOCKS_QUESTIONS };

struct hwc_code_blocks;

/* How a level is asked. */
struct hwc_code_blocks_search {
    enum hwc_structure structure;
    uint64_t least_spacing; /* of fetches: a long line, as several to a line would share its miss */
    uint64_t first_stride;
    uint64_t widest;        /* a block, where a line is looked for: wider ones say more, on more pages */
    bool behind_another;    /* a level above keeps what it can: of blocks that are parted half must be too many for it */
    /* Once for each ballot, before blocks of bare jumps are asked: HWC_UNAVAILABLE where they cannot be. By the clock, it
     * fills `cost`. */
    int (*prepare)(struct hwc_lab *lab, struct hwc_code_blocks *blocks, struct hwc_error *error);
    uint64_t least_reach;   /* of bare jumps: dense code tells nothing of a cache that holds no more */
    /* The same for both densities of code; NULL = that is not asked. */
    int (*prepare_dense)(struct hwc_lab *lab, struct hwc_code_blocks *blocks, struct hwc_error *error);
    /* Can so many ways be believed? NULL = any. */
    int (*check)(struct hwc_lab *lab, const struct hwc_code_blocks *blocks, size_t ways, struct hwc_error *error);
};

struct hwc_code_blocks {
    struct hwc_lab *lab;
    const struct hwc_code_blocks_search *search;
    const struct hwc_witness *witness;
    struct hwc_arena arena;
    struct hwc_walk walk;
    uint64_t base, width, spacing;
    uint64_t most_width;            /* a block is half a stride wide, at most this */
    uint64_t moved;                 /* every other block, by so much */
    uint64_t reach_bytes;           /* clock: the largest region of bare jumps that the cache serves; else no bound */
    enum hwc_code_density density;  /* of the walk */
    struct hwc_code_blocks_cost {
        double hit_cycles, miss_cycles; /* clock: a fetch that the cache serves, and one that the next level does */
    } cost[HWC_CODE_DENSITIES];
};

/* What is laid from now on is as dense. */
void hwc_set_code_density(struct hwc_code_blocks *blocks, enum hwc_code_density density);

/* By the clock: cycles of a fetch in a region of so many bytes, its fetches `spacing` apart. */
int hwc_time_code_region(struct hwc_lab *lab, struct hwc_code_blocks *blocks, uint64_t bytes, uint64_t spacing,
                         double *cycles, struct hwc_error *error);

/* Vote on how many blocks fit (hwc_fit_ways) and what parts them (hwc_fit_parting): line, size and ways. */
int hwc_code_blocks_vote(struct hwc_lab *lab, struct hwc_code_blocks_search *search,
                         struct hwc_finding *const findings[HWC_CODE_BLOCKS_QUESTIONS],
                         struct hwc_result results[HWC_CODE_BLOCKS_QUESTIONS], struct hwc_error *error);

#endif
