/* Rows of code: what instruction caches are asked by.
 *
 * So many rows, a stride apart, lie in the same sets; a row is several fetches
 * wide, each of a line of its own, so that what takes few lines at a place,
 * a branch target buffer or a decoded-instruction cache, weighs little. */
#ifndef HWC_ROWS_H
#define HWC_ROWS_H

#include "fit.h"

struct hwc_rows {
    const struct hwc_witness *witness;
    struct hwc_arena arena;
    struct hwc_walk walk;
    uint64_t base, width, spacing;
    uint64_t least_spacing;         /* of fetches: a long line, as several to a line would share its miss */
    uint64_t most_width;            /* a row is half a stride wide, at most this */
    uint64_t widest;                /* and so wide where a line is looked for: wider rows say more, on more pages */
    bool behind_another;            /* a level above keeps what it can: half of the rows that are parted must be too many for it */
    uint64_t moved;                 /* every other row, by so much */
    double hit_cycles, miss_cycles; /* clock: a fetch that the cache serves, and one that the next level does */
};

struct hwc_rows_geometry {
    uint64_t line_bytes, period_bytes;
    size_t ways;
};

/* A fresh arena; close in any case. */
int hwc_rows_open(struct hwc_rows *rows, struct hwc_lab *lab, enum hwc_structure structure, uint64_t least_spacing,
                  struct hwc_error *error);
void hwc_rows_close(struct hwc_rows *rows, struct hwc_lab *lab);

/* By the clock: cycles of a fetch in one block of so many bytes, its fetches `spacing` apart. */
int hwc_rows_time_block(struct hwc_lab *lab, struct hwc_rows *rows, uint64_t bytes, uint64_t spacing, double *cycles,
                        struct hwc_error *error);

/* How many fit (hwc_fit_ways, from stride `first`) and what parts them (hwc_fit_parting). HWC_UNAVAILABLE where they
 * show no geometry. */
int hwc_rows_geometry(struct hwc_lab *lab, struct hwc_rows *rows, uint64_t first_stride,
                      struct hwc_rows_geometry *geometry, struct hwc_error *error);

#endif
