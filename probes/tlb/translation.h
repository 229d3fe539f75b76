/* The question behind TLB probes: how many of the references to so many
 * things, a stride apart, does a TLB miss in the steady state?
 *
 * A thing is one reference to one page; the lines of things are spread over the
 * sets of the first cache (line_placement.h). What the same lines of few pages take is
 * what the caches take; what a walk takes longer than that is translation. */
#ifndef HWC_TRANSLATION_H
#define HWC_TRANSLATION_H

#include "fit.h"
#include "line_placement.h"

/* More than any level has entries, and room for in the caches. */
#define HWC_MOST_PAGES 16384
/* Large pages take real memory: these are as many as a first level has entries for, and more. Five apart, they must lie
 * in an arena; half of them are as far as jumps reach. */
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
    double control_cycles;   /* a pass over these */
    double above_cycles, miss_cycles; /* clock: what missing the levels above takes, and what missing this one adds */
    struct hwc_tlb own;     /* what is known of the level */
    struct hwc_tlb above;   /* of the first, for a second: pages at odd multiples of its period evict things from it */
    uint64_t base;          /* where the first thing lies */
    uint64_t moved;         /* every other thing, by so much */
    uint64_t pair_distance; /* each thing comes twice, so far apart; 0 = once */
};

/* A fresh arena, of large pages or of ordinary ones; close in any case. */
int hwc_translation_open(struct hwc_translation *translation, struct hwc_lab *lab, enum hwc_structure structure,
                         bool large, struct hwc_error *error);
void hwc_translation_close(struct hwc_translation *translation);

/* Cycles of a reference to the control, and what one takes beyond that with so many pages in use. */
int hwc_translation_excess(struct hwc_translation *translation, size_t pages, double *control, double *excess,
                           struct hwc_error *error);

/* Does the operating system make larger pages of some that thrash the TLB, as
 * IRIX did (AMP, ISPASS 2001, 3.10)? So many pages side by side are used until
 * it has had time; of their references, these shares miss at first and at last:
 * by the clock, in units of what a pass takes on the control. */
int hwc_translation_watch(struct hwc_translation *translation, size_t pages, double *at_first, double *at_last,
                          struct hwc_error *error);

/* Visits by name, in this order, to things a stride apart. */
struct hwc_visits {
    const uint8_t *names;
    size_t count;
    uint64_t stride;
};

/* As many as there is room for in a page. */
#define HWC_MOST_VISITS 192

/* Lay the visits out, and nothing else after them; where this is a second level, before each of a thing that the
 * first may still have, what evicts it from there. By the clock, what they take but for translation is measured. */
int hwc_translation_lay_out(struct hwc_translation *translation, const struct hwc_visits *visits,
                            struct hwc_error *error);

/* Misses of a pass over what was laid out: in the steady state, or the mean of so many passes as they come. */
int hwc_translation_settle(struct hwc_translation *translation, double *misses, struct hwc_error *error);
int hwc_translation_read(struct hwc_translation *translation, unsigned passes, double *misses,
                         struct hwc_error *error);

/* By the clock: what a pass over what was laid out would take if it missed nothing of this level. */
double hwc_translation_hits(const struct hwc_translation *translation);

/* For struct hwc_fit: the context is a struct hwc_translation. */
void hwc_translation_move(void *context, uint64_t distance);
int hwc_translation_ask(void *context, uint64_t stride, size_t count, struct hwc_estimate *share, enum hwc_side *side,
                        struct hwc_error *error);

#endif
