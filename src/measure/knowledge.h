/* What has been found so far, for later searches to use. Probes read it; only
 * the functions here write it. */
#ifndef HWC_KNOWLEDGE_H
#define HWC_KNOWLEDGE_H

#include "arena.h"
#include "event.h"
#include "levels_fit.h"
#include "witness.h"

/* How a level was searched, so that a later search finds its sets again. */
struct hwc_look {
    enum hwc_pages pages;
    uint64_t stride; /* 0 = it was not searched */
    size_t candidates;
    size_t evictors;
    size_t apart; /* in strides: 0 = 1 */
};

/* Does a level hold what the level above holds: always, never, or neither (nine: non-inclusive, non-exclusive)? */
enum hwc_inclusion { HWC_INCLUSION_OPEN, HWC_INCLUSIVE, HWC_EXCLUSIVE, HWC_NINE };

/* What is known of a data-cache level. 0 = not (yet) known. */
struct hwc_level {
    uint64_t line_bytes;
    uint64_t fill_bytes;      /* what a miss brings: a line, or several */
    uint64_t size_bytes;
    uint64_t effective_bytes; /* what a walk can keep in this level and those above; size_bytes if not found */
    bool effective_shows;
    uint64_t ways;
    bool at_least; /* others may hold a part of it: it may have more ways, and so be larger */
    enum hwc_inclusion inclusion;
    bool hashed, hash_asked;  /* is its index hashed, and was that asked? */
    uint64_t places_sharing;  /* where pages lie at random: how many of a page's first-level lines are spread over the
                                 same sets as one of them, itself included? 0 = not known, or each ballot asks */
    uint64_t places_side_by_side; /* of these: so many from the first one on */
    size_t evicting_lines; /* so many random lines at one place of their pages evicted one more, the last time; 0 = that
                              was not looked at */
    uint32_t evicting_passes; /* over them; likewise */
    size_t largest_set;       /* lines of the largest eviction set so far; 0 = none was found */
    unsigned sets_found, sets_spared; /* eviction sets, and those that evict a line now and then only */
    uint64_t period_bytes;    /* addresses this far apart compete for one set: size / ways of an unsliced cache */
    struct hwc_look look;
    double conflict_misses;   /* misses a pass by one line too many: ways + 1 under LRU, an eighth of it under random */
    uint64_t served_from;           /* bytes: of a larger footprint, the levels above serve at most half */
    uint64_t rough_low, rough_high; /* bytes: a footprint that fits wherever its pages lie, and one that does not; by
                                       clock or counter; 0 = not looked at */
    uint64_t few_ways_high; /* the latter, if it has few ways (HWC_FEW_WAYS) and so was taken for two; 0 = the same */
};

static inline uint64_t hwc_most_rough(const struct hwc_level *level)
{
    return level->few_ways_high > level->rough_high ? level->few_ways_high : level->rough_high;
}

enum { HWC_MAX_TLB_LEVEL = 2 };

/* What is known of a TLB level, for pages of one size. 0 = not known. */
struct hwc_tlb {
    uint64_t entries;
    uint64_t ways;
    uint64_t page_bytes;   /* what one entry covers */
    uint64_t period_bytes; /* what one way covers: addresses this far apart compete for one set unless it is hashed */
    uint64_t apart_bytes;  /* addresses this far apart compete for one set, hashed or not */
};

struct hwc_knowledge {
    unsigned levels; /* data-cache levels found; 0 = not yet counted */
    struct hwc_level level[HWC_MAX_CACHE_LEVEL + 2]; /* by level, from 1 */
    struct hwc_drawn_curve drawn; /* the time of references drawn at random; no points = not measured */
    struct hwc_levels_fit fit;    /* the levels that it shows, by cycles of a chain; none if they contradict what is
                                     known */
    double flushed_cycles;        /* of a line from memory, in a chain; 0 = not known */
    struct hwc_level code; /* the first instruction cache, where it is known */
    struct hwc_tlb tlb[HWC_STRUCTURES], large_tlb[HWC_STRUCTURES]; /* of ordinary pages, and of large ones */
    bool pages_grow; /* the operating system makes larger pages of neighbouring ones that thrash a TLB */
    bool hashed; /* some cache's hash spreads lines far apart over all sets: thinned footprints mislead */
};

struct hwc_lab;

/* Set the number of data-cache levels found. */
void hwc_know_levels(struct hwc_lab *lab, unsigned levels);
/* Know what was known once, and no more. */
void hwc_know_only(struct hwc_lab *lab, const struct hwc_knowledge *once);
/* Replace all that is known of a data-cache level, the first instruction cache, or a TLB. */
void hwc_know_level(struct hwc_lab *lab, unsigned level, const struct hwc_level *facts);
void hwc_know_code(struct hwc_lab *lab, const struct hwc_level *facts);
void hwc_know_tlb(struct hwc_lab *lab, enum hwc_structure structure, bool large, const struct hwc_tlb *facts);
void hwc_know_seen(struct hwc_lab *lab, const struct hwc_drawn_curve *drawn, const struct hwc_levels_fit *fit);
void hwc_know_flushed_cycles(struct hwc_lab *lab, double cycles);
void hwc_know_pages_grow(struct hwc_lab *lab);
void hwc_know_hashed(struct hwc_lab *lab, bool hashed);

/* What a miss of any of the first so many levels brings, at most. 0 = not known. */
uint64_t hwc_longest_line(const struct hwc_lab *lab, unsigned levels);

/* Bytes of one way: addresses so far apart share a set, unless the index is hashed. 0 = not known. */
uint64_t hwc_way_bytes(const struct hwc_level *level);

/* Do lines so far apart share a set of this level? true where its size is not known. */
bool hwc_is_one_set(const struct hwc_level *level, uint64_t apart);

/* Bounds of what the level holds, by the fit, whose own are of it and those above. An exclusive level holds nothing of
 * what those above do, so the lower one leaves that out. False if the fit does not tell the level for certain. */
bool hwc_fitted_bounds(const struct hwc_lab *lab, unsigned level, double *low, double *high);

/* What the level holds, as exactly as it is known: its size, else those bounds, else what was seen to fit and what was
 * not. 0 = not known. */
void hwc_held_bounds(const struct hwc_lab *lab, unsigned level, double *least, double *most);

/* The number of lines that together fill one set of every level above. */
size_t hwc_ways_above(const struct hwc_lab *lab, unsigned level);

/* So many lines, `stride` or some times that apart, fill a set of every level above: those of a level with a longer period
 * lie in several. */
size_t hwc_lines_above(const struct hwc_lab *lab, unsigned level, uint64_t stride);

/* The longest period of the levels above. */
uint64_t hwc_period_above(const struct hwc_lab *lab, unsigned level);

#endif
