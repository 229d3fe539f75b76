/* Rows of code: what instruction caches are asked by.
 *
 * So many rows, a stride apart, lie in the same sets; a row is several fetches
 * wide, each of a line of its own, so that what takes few lines at a place,
 * a branch target buffer, say, weighs little.
 *
 * A cache of decoded instructions that need not have what it holds in the
 * instruction cache, too, serves rows that are long out of that (AMD's Software
 * Optimization Guides, "Op Cache"). An entry of it holds a few instructions: of
 * lines that are full of short ones it holds few, where an instruction cache
 * holds as many as ever. So what bare hops say is asked of such dense code again. */
#ifndef HWC_ROWS_H
#define HWC_ROWS_H

#include "finding.h"
#include "fit.h"
#include "lab.h"

/* A row is at most so wide where rows are counted. */
#define HWC_ROW_BYTES UINT64_C(1024)

/* Bare hops; cells half as long as lines that are usual, so that distances part these; and as long. */
enum hwc_rows_density { HWC_ROWS_BARE, HWC_ROWS_DENSE, HWC_ROWS_DENSEST, HWC_ROWS_DENSITIES };

enum hwc_rows_question { HWC_ROWS_LINE, HWC_ROWS_SIZE, HWC_ROWS_WAYS, HWC_ROWS_QUESTIONS };

struct hwc_rows;

/* How a level is asked. */
struct hwc_rows_search {
    enum hwc_structure structure;
    uint64_t least_spacing; /* of fetches: a long line, as several to a line would share its miss */
    uint64_t first_stride;
    uint64_t widest;        /* a row, where a line is looked for: wider ones say more, on more pages */
    bool behind_another;    /* a level above keeps what it can: of rows that are parted half must be too many for it */
    /* Once for each ballot, before rows of bare hops are asked: HWC_UNAVAILABLE where they cannot be. By the clock, it
     * fills `cost`. */
    int (*prepare)(struct hwc_lab *lab, struct hwc_rows *rows, struct hwc_error *error);
    uint64_t least_reach;   /* of bare hops: dense code tells nothing of a cache that holds no more */
    /* The same for both densities of code; NULL = that is not asked. */
    int (*prepare_dense)(struct hwc_lab *lab, struct hwc_rows *rows, struct hwc_error *error);
    /* Can so many ways be believed? NULL = any. */
    int (*check)(struct hwc_lab *lab, const struct hwc_rows *rows, size_t ways, struct hwc_error *error);
};

struct hwc_rows {
    struct hwc_lab *lab;
    const struct hwc_rows_search *search;
    const struct hwc_witness *witness;
    struct hwc_arena arena;
    struct hwc_walk walk;
    uint64_t base, width, spacing;
    uint64_t most_width;            /* a row is half a stride wide, at most this */
    uint64_t moved;                 /* every other row, by so much */
    uint64_t reach_bytes;           /* clock: the largest block of bare hops that the cache serves; else no bound */
    enum hwc_rows_density density;  /* of the walk */
    struct hwc_rows_cost {
        double hit_cycles, miss_cycles; /* clock: a fetch that the cache serves, and one that the next level does */
    } cost[HWC_ROWS_DENSITIES];
};

/* What is laid from now on is as dense. */
void hwc_rows_condense(struct hwc_rows *rows, enum hwc_rows_density density);

/* By the clock: cycles of a fetch in one block of so many bytes, its fetches `spacing` apart. */
int hwc_rows_time_block(struct hwc_lab *lab, struct hwc_rows *rows, uint64_t bytes, uint64_t spacing, double *cycles,
                        struct hwc_error *error);

/* Vote on how many rows fit (hwc_fit_ways) and what parts them (hwc_fit_parting): line, size and ways. */
int hwc_rows_vote(struct hwc_lab *lab, struct hwc_rows_search *search,
                  struct hwc_finding *const findings[HWC_ROWS_QUESTIONS],
                  struct hwc_result results[HWC_ROWS_QUESTIONS], struct hwc_error *error);

#endif
