/* Footprints: a number of lines on fresh memory, walked in random order. */
#ifndef HWC_FOOTPRINT_H
#define HWC_FOOTPRINT_H

#include "lab.h"
#include "steady_state.h"

/* Pages that are visited together: many enough that no page sees two visits in a row, and few enough for every
 * first-level TLB. Its entries may cover less than a page, so there are fewer where pages are large. */
unsigned hwc_pages_per_group(const struct hwc_lab *lab);

/* A number of lines on fresh memory, scattered (hwc_walk_spaced_shuffle). Where they lie
 * on more pages than prefetchers remember, each of several rounds visits few lines a page. */
struct hwc_footprint {
    size_t lines;
    uint64_t line_bytes;
    enum hwc_pages pages;
    unsigned pages_per_group;
    enum hwc_access access;
};

/* Open an arena and lay the footprint's walk out in it. */
int hwc_open_footprint(struct hwc_lab *lab, const struct hwc_footprint *footprint, struct hwc_arena *arena,
                       struct hwc_walk *walk, struct hwc_error *error);
/* The same for lines that lie few to a page, at random places in it, at least `spacing` bytes apart: where many lines
 * of a page are visited, prefetchers bring most of the page, even if the visits come in rounds. */
int hwc_open_sparse(struct hwc_lab *lab, size_t lines, uint64_t spacing, struct hwc_arena *arena,
                    struct hwc_walk *walk, struct hwc_error *error);
void hwc_close_footprint(struct hwc_lab *lab, struct hwc_arena *arena, struct hwc_walk *walk);

/* A footprint of `bytes`, with a reference to each line of the first level.
 * Where references are slow, a long one is thinned. That loses nothing but
 * references: lines further apart use fewer sets of each cache, but fill those
 * as much as all lines would, unless a hash spreads them over all sets. */
struct hwc_footprint hwc_footprint_of(const struct hwc_lab *lab, uint64_t bytes);
/* The same with a reference every `spacing` bytes, or further apart. */
struct hwc_footprint hwc_spaced_footprint(const struct hwc_lab *lab, uint64_t bytes, uint64_t spacing);

/* Is a walk of so many references measured over single passes? */
bool hwc_is_long_walk(size_t references);

/* Single passes, so many and as long as misses fall: the least of each. */
int hwc_measure_passes(struct hwc_lab *lab, const struct hwc_arena *arena, const struct hwc_walk *walk,
                       enum hwc_event event, unsigned samples, struct hwc_steady *steady, struct hwc_error *error);

/* Has a pass so many references that another would take as long, to a fraction of a percent? */
bool hwc_is_very_long(size_t references);

/* Measure the steady state of a walk; a long one over single passes. */
int hwc_measure_laid_out(struct hwc_lab *lab, const struct hwc_arena *arena, const struct hwc_walk *walk,
                         enum hwc_event event, unsigned samples, struct hwc_steady *steady, struct hwc_error *error);

/* Measure the steady state of a footprint likewise. */
int hwc_measure_footprint(struct hwc_lab *lab, const struct hwc_footprint *footprint, enum hwc_event event,
                          unsigned samples, struct hwc_steady *steady, struct hwc_error *error);

/* Time a footprint's data alone, in cycles a pass: the time of translation is
 * measured on one line of each page, and subtracted. */
int hwc_time_data(struct hwc_lab *lab, const struct hwc_footprint *footprint, unsigned samples, double *cycles,
                  struct hwc_error *error);

/* Cycles of a reference that memory serves, whatever the footprint: of flushed
 * lines at least `spacing` apart. For machines that flush. */
int hwc_time_flushed(struct hwc_lab *lab, uint64_t spacing, double *cycles, struct hwc_error *error);

#endif
