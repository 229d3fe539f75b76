/* Conflict-free sets: how size, associativity and line size of a level are
 * read off which lines can stay in it together.
 *
 * X-Ray (SIGMETRICS 2005, 3-5) calls a set of lines compact when all of it
 * stays cached. Its search walks a fixed stride through contiguous memory.
 * Here the same question is asked of a set that grows line by line and leaves
 * out what does not fit (Liu et al., S&P 2015), so that it needs no contiguous
 * memory, no knowledge of an index hash, and no LRU: at most `ways` lines a
 * set fit under every policy, one more never does.
 *
 *   kept     the greatest conflict-free set of lines `stride` apart
 *   ways     the lines of `kept` that compete with one more (removing any of
 *            them lets it in)
 *   line     the smallest distance that parts competing lines
 *   period   the smallest distance at which they meet again; `stride` when
 *            they do not within it
 *   size     kept x period, for every stride and every number of sets
 */
#ifndef HWC_CONFLICT_H
#define HWC_CONFLICT_H

#include "lab.h"

struct hwc_geometry {
    uint64_t kept;
    uint64_t ways;
    uint64_t line_bytes;
    uint64_t period_bytes;
    double conflict_misses; /* that one line more than fits costs in a pass: ways + 1 under LRU, at least 1 */
    /* How many lines fit when nothing empties the levels above; 0 where that was not asked, as there are no evictors. */
    uint64_t kept_without_evictors;
    /* Without evictors: do references that the level above serves keep a line
     * alive here? Then the two are one stack, that is exclusive. */
    enum { HWC_RECENCY_UNKNOWN, HWC_RECENCY_APART, HWC_RECENCY_SHARED } recency;
};

struct hwc_conflict_plan {
    unsigned level;
    const struct hwc_arena *arena;
    uint64_t stride;   /* power of two; divides arena->contiguous_bytes, or is a whole page */
    size_t candidates; /* lines to choose from, `stride` apart */
    /* How many evictors empty the levels above once a pass; 0 = none. They need a stride of at least twice the longest
     * period above. */
    size_t evictors;
};

/* Does each page lie anywhere in physical memory, so that nothing is known of address bits beyond it? */
static inline bool hwc_lies_at_random(const struct hwc_conflict_plan *plan)
{
    return plan->arena->contiguous_bytes <= plan->stride;
}

/* Open an arena to look at the level as it was looked at before, and the plan for it. */
int hwc_open_look(struct hwc_lab *lab, unsigned level, const struct hwc_look *look, struct hwc_arena *arena,
                  struct hwc_conflict_plan *plan, struct hwc_error *error);

/* Does the sequence <start, stride, count> stay cached at the level? X-Ray's compact(). */
int hwc_compact(struct hwc_lab *lab, unsigned level, const struct hwc_arena *arena, uint64_t start, uint64_t stride,
                size_t count, bool *compact, struct hwc_error *error);

/* How many sets, all full of `ways` lines, hold so many? Where
 * others interfere they may have taken ways of some: the whole number that explains it, or of
 * several the power of two. 0 where none does. Pure. */
uint64_t hwc_whole_sets(size_t lines, size_t ways, bool interference);

/* Find the geometry. HWC_UNAVAILABLE with the reason when the evidence is not
 * conclusive: no conflict among the candidates, or one that follows no cache's
 * rules. */
int hwc_find_geometry(struct hwc_lab *lab, const struct hwc_conflict_plan *plan, struct hwc_geometry *geometry,
                      struct hwc_error *error);

#endif
