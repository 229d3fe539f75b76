/* The question behind TLB probes: of the references to a number of things, a
 * stride apart, how many miss a TLB in the steady state?
 *
 * A thing is one reference to one page; the lines of things are spread over the
 * sets of the first cache (line_placement.h). The same lines on few pages, the
 * control, take what the caches take; what a walk takes beyond is translation. */
#ifndef HWC_TRANSLATION_H
#define HWC_TRANSLATION_H

#include "fit.h"
#include "line_placement.h"
#include "own_walks.h"

/* More than any level has entries, while the caches may still have room for a line of each. */
#define HWC_MOST_PAGES 16384
/* Large pages take real memory. These are more than a first level has entries, and HWC_PAGES_APART apart they fit in an
 * arena; half of them span what jumps reach. */
#define HWC_MOST_LARGE_PAGES ((size_t)368)

struct hwc_translation {
    struct hwc_lab *lab;
    enum hwc_structure structure;
    unsigned level;
    bool code, large; /* fetches; large pages */
    const struct hwc_witness *witness;
    struct hwc_arena arena;
    struct hwc_walk walk;
    struct hwc_walk control; /* the same lines on few pages */
    struct hwc_walk others;  /* further things, which leave no entry to those of the walk */
    double control_cycles;   /* of a pass over the control */
    size_t fitting;          /* pages that surely fit the first level; 0 = not known yet */
    double above_cycles, miss_cycles; /* clock: what missing the levels above takes, and what missing this one adds */
    struct hwc_tlb own;     /* what is known of the level */
    struct hwc_tlb above;   /* of the first level, for a second: pages at odd multiples of its period evict from it */
    uint64_t base;          /* where the first thing lies */
    uint64_t moved;         /* offset of every other thing, bytes */
    unsigned samples;       /* of a walk, at most; 0 = as many as are usual */
    uint64_t pair_distance; /* each thing is referenced twice, this far apart; 0 = once */
};

/* Get a fresh arena of large or of ordinary pages; close in any case. */
int hwc_translation_open(struct hwc_translation *translation, struct hwc_lab *lab, enum hwc_structure structure,
                         bool large, struct hwc_error *error);
void hwc_translation_close(struct hwc_translation *translation);

/* Cycles per reference to the control, and what a reference takes beyond that with `pages` in use. */
int hwc_translation_excess(struct hwc_translation *translation, size_t pages, double *control, double *excess,
                           struct hwc_error *error);

/* The same with more visits than pages, each to another line or, of code, to another jump, at most HWC_MOST_VISITS to
 * each page, in one random order. */
int hwc_translation_excess_of_visits(struct hwc_translation *translation, size_t visits, size_t pages, double *control,
                                     double *excess, struct hwc_error *error);

/* Does the operating system merge pages that thrash the TLB into larger ones, as
 * IRIX did (AMP, ISPASS 2001, 3.10)? Use `pages` adjacent pages until it has had
 * time. Returns the shares of the references that miss at first and at last; by
 * the clock, the time beyond that of a pass over the control, as a share of it. */
int hwc_translation_watch(struct hwc_translation *translation, size_t pages, double *at_first, double *at_last,
                          struct hwc_error *error);

/* A sequence of visits, by name, to things a stride apart. */
struct hwc_visits {
    const uint8_t *names;
    size_t count;
    uint64_t stride;
};

/* A page of 4 KiB has room for the cells of this many. */
#define HWC_MOST_VISITS 192

/* Lay out the visits; for a second level, before each visit to a thing that the first level may still hold, also the
 * pages that evict it from there. By the clock, also time the visits without translation. */
int hwc_translation_lay_out(struct hwc_translation *translation, const struct hwc_visits *visits,
                            struct hwc_error *error);

/* Misses of a pass over what was laid out: in the steady state, or the mean of the next `passes` passes. */
int hwc_translation_settle(struct hwc_translation *translation, double *misses, struct hwc_error *error);
int hwc_translation_read(struct hwc_translation *translation, unsigned passes, double *misses,
                         struct hwc_error *error);

/* By the clock: what a pass over what was laid out would take if nothing missed this level. */
double hwc_translation_hits(const struct hwc_translation *translation);

/* For struct hwc_fit: the context is a struct hwc_translation. */
void hwc_translation_move(void *context, uint64_t distance);
int hwc_translation_ask(void *context, uint64_t stride, size_t count, double threshold, struct hwc_estimate *share,
                        enum hwc_side *side, struct hwc_error *error);

/* Cycles that a pass over so many things, in one order, takes longer than if all hit this level. */
int hwc_translation_extra(struct hwc_translation *translation, uint64_t stride, size_t count, double *cycles,
                          struct hwc_error *error);

/* The share of the things that miss by the event that counts beside the clock (own_walks.h). */
int hwc_translation_count(struct hwc_translation *translation, uint64_t stride, size_t count, double *share,
                          struct hwc_error *error);

#endif
