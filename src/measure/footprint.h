/* Footprints: so many lines on fresh memory, walked in random order. */
#ifndef HWC_FOOTPRINT_H
#define HWC_FOOTPRINT_H

#include "lab.h"
#include "steady_state.h"

/* Few enough for every first-level TLB, many enough that no page sees two visits in a row. */
#define HWC_PAGES_PER_GROUP 16

/* So many lines on fresh memory, scattered (hwc_walk_spaced_shuffle), and where they
 * lie on more pages than prefetchers remember in rounds of few lines a page. */
struct hwc_footprint {
    size_t lines;
    uint64_t line_bytes;
    enum hwc_pages pages;
    unsigned pages_per_group;
};

/* Lay it out: the walk, and the arena under it. */
int hwc_open_footprint(struct hwc_lab *lab, const struct hwc_footprint *footprint, struct hwc_arena *arena,
                       struct hwc_walk *walk, struct hwc_error *error);
/* So many lines, few in a page and anywhere in it: prefetchers bring most of a page of which many are visited, also in
 * rounds. They lie `spacing` bytes apart at least. */
int hwc_open_sparse(struct hwc_lab *lab, size_t lines, uint64_t spacing, struct hwc_arena *arena,
                    struct hwc_walk *walk, struct hwc_error *error);
void hwc_close_footprint(struct hwc_lab *lab, struct hwc_arena *arena, struct hwc_walk *walk);

/* A footprint of so many bytes, a line in each of the first level's. A long
 * one is thinned on slow machines, where nothing but references is lost: lines
 * further apart use fewer sets of each cache, and those as much as all would
 * be, unless a hash spreads them over all sets. */
struct hwc_footprint hwc_footprint_of(const struct hwc_lab *lab, uint64_t bytes);

/* Measure the steady state of a footprint; the time of a long one over single passes. */
int hwc_measure_footprint(struct hwc_lab *lab, const struct hwc_footprint *footprint, enum hwc_event event,
                          unsigned samples, struct hwc_steady *steady, struct hwc_error *error);

/* Time a footprint's data alone, in cycles of a pass: what translating its
 * pages takes is measured on a line of each, and taken off. */
int hwc_time_data(struct hwc_lab *lab, const struct hwc_footprint *footprint, unsigned samples, double *cycles,
                  struct hwc_error *error);

/* Cycles of a reference that memory serves: lines that were flushed, `spacing`
 * apart, however small their footprint. For machines that flush. */
int hwc_time_flushed(struct hwc_lab *lab, uint64_t spacing, double *cycles, struct hwc_error *error);

#endif
