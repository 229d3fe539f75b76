/* Blocks of code, with which instruction caches are measured.
 *
 * Blocks a stride apart lie in the same sets. A block is several fetches wide,
 * each in a line of its own, so that what affects only a few lines of it, a
 * branch target buffer, say, weighs little.
 *
 * A cache of decoded instructions whose contents need not be in the instruction
 * cache serves blocks that the instruction cache has long evicted (AMD's Software
 * Optimization Guides, "Op Cache"). An entry of it holds a few instructions, so
 * that it holds few lines full of short ones, while an instruction cache holds as
 * many as ever. So what bare jumps show is measured again with such dense code. */
#ifndef HWC_CODE_BLOCKS_H
#define HWC_CODE_BLOCKS_H

#include "finding.h"
#include "fit.h"
#include "lab.h"

/* Greatest width of a block, in bytes, while the number that fits is searched for. */
#define HWC_CODE_BLOCK_BYTES UINT64_C(1024)

/* Bare jumps; cells half as long as a usual line, so that distances can show its length; cells as long as a line. */
enum hwc_code_density { HWC_CODE_BARE, HWC_CODE_DENSE, HWC_CODE_DENSEST, HWC_CODE_DENSITIES };

enum hwc_code_blocks_question { HWC_CODE_BLOCKS_LINE, HWC_CODE_BLOCKS_SIZE, HWC_CODE_BLOCKS_WAYS,
                               HWC_CODE_BLOCKS_QUESTIONS };

struct hwc_code_blocks;

/* How a level is measured. */
struct hwc_code_blocks_search {
    enum hwc_structure structure;
    uint64_t least_spacing; /* between fetches: a long line, as fetches from one line would share its miss */
    uint64_t first_stride;
    uint64_t widest;        /* a block, in the search for the line: wider ones show more, on more pages */
    bool behind_another;    /* a level above keeps what it can: half of the parted blocks must be too many for it */
    /* Called once per ballot, before blocks of bare jumps are measured; HWC_UNAVAILABLE where they cannot be. By the
     * clock, it fills `cost`. */
    int (*prepare)(struct hwc_lab *lab, struct hwc_code_blocks *blocks, struct hwc_error *error);
    uint64_t least_reach;   /* of bare jumps: if the cache holds less of them, dense code tells nothing */
    /* The same for both densities of code; NULL = dense code is not measured. */
    int (*prepare_dense)(struct hwc_lab *lab, struct hwc_code_blocks *blocks, struct hwc_error *error);
    /* Is this number of ways credible? NULL = any is. */
    int (*check)(struct hwc_lab *lab, const struct hwc_code_blocks *blocks, size_t ways, struct hwc_error *error);
};

struct hwc_code_blocks {
    struct hwc_lab *lab;
    const struct hwc_code_blocks_search *search;
    const struct hwc_witness *witness;
    struct hwc_arena arena;
    struct hwc_walk walk;
    uint64_t base, width, spacing;
    uint64_t most_width;            /* a block is half a stride wide, at most this (hwc_code_width) */
    uint64_t moved;                 /* offset of every other block, bytes */
    uint64_t reach_bytes;           /* clock: the largest region of bare jumps that the cache serves; else no bound */
    enum hwc_code_density density;  /* of the walk */
    struct hwc_code_blocks_cost {
        double hit_cycles, miss_cycles; /* clock: a fetch that the cache serves, and one that the next level serves */
    } cost[HWC_CODE_DENSITIES];
};

/* Set the density of all blocks that are laid out from now on. */
void hwc_set_code_density(struct hwc_code_blocks *blocks, enum hwc_code_density density);

/* How wide a block is, of those `stride` apart. */
static inline uint64_t hwc_code_width(const struct hwc_code_blocks *blocks, uint64_t stride)
{
    return stride / 2 < blocks->most_width ? stride / 2 : blocks->most_width;
}

/* Lay out `count` blocks `stride` apart. May return HWC_NO_MEMORY. */
int hwc_lay_code_blocks(struct hwc_lab *lab, struct hwc_code_blocks *blocks, uint64_t stride, size_t count,
                        struct hwc_error *error);

/* By the clock: cycles per fetch in a region of `bytes`, its fetches `spacing` apart. */
int hwc_time_code_region(struct hwc_lab *lab, struct hwc_code_blocks *blocks, uint64_t bytes, uint64_t spacing,
                         double *cycles, struct hwc_error *error);

/* One pass over the blocks' walk: the count of the event, or cycles; and how many references missed by that. */
int hwc_measure_code(struct hwc_lab *lab, struct hwc_code_blocks *blocks, double *result, struct hwc_error *error);
double hwc_code_misses_of(const struct hwc_code_blocks *blocks, double result);

/* Others who hold ways of the set that a block was moved into make the distance that parts blocks seem longer, never
 * shorter. Beside them a vote for a line tells nothing if any ballot says less. */
void hwc_doubt_longer_line(const struct hwc_lab *lab, struct hwc_result *result, struct hwc_finding *finding);

/* Vote on line, size and ways, by how many blocks fit (hwc_fit_ways) and what distance parts them (hwc_fit_parting). */
int hwc_code_blocks_vote(struct hwc_lab *lab, struct hwc_code_blocks_search *search,
                         struct hwc_finding *const findings[HWC_CODE_BLOCKS_QUESTIONS],
                         struct hwc_result results[HWC_CODE_BLOCKS_QUESTIONS], struct hwc_error *error);

#endif
