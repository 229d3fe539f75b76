/* Conflict-free sets: which lines can stay in a level together gives its size,
 * associativity and line size.
 *
 * X-Ray (SIGMETRICS 2005, 3-5) calls a set of lines compact when all of it
 * stays cached. Its search walks a fixed stride through contiguous memory.
 * Here the same question is asked of a set that grows line by line and leaves
 * out lines that do not fit (Liu et al., S&P 2015). This needs no contiguous
 * memory, no knowledge of an index hash, and no LRU: under every policy, `ways`
 * lines per set fit and one more does not.
 *
 *   kept     the largest conflict-free set of lines `stride` apart
 *   ways     how many lines of `kept` compete with one more (removing any one
 *            of them lets it in)
 *   line     the smallest distance that moves competing lines to different sets
 *   period   the smallest larger distance at which they share a set again;
 *            `stride` if there is none below it
 *   size     kept x period, for every stride and every number of sets
 */
#ifndef HWC_CONFLICT_H
#define HWC_CONFLICT_H

#include "lab.h"
#include "own_walks.h"

struct hwc_geometry {
    uint64_t kept;
    uint64_t ways;
    uint64_t line_bytes;
    uint64_t period_bytes;
    double conflict_misses; /* per pass, of one line too many: ways + 1 under LRU, at least 1; 0 = not measured */
    /* How many lines fit when nothing empties the levels above; 0 if the search used no evictors anyway. */
    uint64_t kept_without_evictors;
    /* Without evictors: do references that the level above serves keep a line
     * alive here? If so, the two act as one LRU stack: this level is exclusive. */
    enum { HWC_RECENCY_UNKNOWN, HWC_RECENCY_APART, HWC_RECENCY_SHARED } recency;
    struct hwc_walk_counts counted; /* in the clock's own walks: lines that compete, and one more */
    bool beside; /* others were at work on this core during more than a few of the samples */
    bool of_random_sets; /* the ways are the most of some sets, each asked about within microseconds */
};

struct hwc_conflict_plan {
    unsigned level;
    const struct hwc_arena *arena;
    uint64_t stride;   /* power of two; divides arena->contiguous_bytes, or is a whole page */
    size_t apart;      /* in strides, from one candidate to the next; 0 = 1 */
    size_t candidates; /* lines to choose from */
    /* How many evictors empty the levels above once a pass; 0 = none. They need a stride of at least twice the longest
     * period above. */
    size_t evictors;
};

/* Are the candidates on pages in random physical order, so that only address bits within a page are known? */
static inline bool hwc_lies_at_random(const struct hwc_conflict_plan *plan)
{
    return plan->arena->contiguous_bytes <= plan->stride;
}

/* Open an arena to search the level with this layout of lines, and fill in the plan for it. hwc_return_arena() closes it. */
int hwc_open_look(struct hwc_lab *lab, unsigned level, const struct hwc_look *look, struct hwc_arena *arena,
                  struct hwc_conflict_plan *plan, struct hwc_error *error);

/* Does the sequence <start, stride, count> stay cached at the level? X-Ray's compact(). */
int hwc_compact(struct hwc_lab *lab, unsigned level, const struct hwc_arena *arena, uint64_t start, uint64_t stride,
                size_t count, bool *compact, struct hwc_error *error);

/* A place that is clear of the machine's own lists, from 0 to machine->own_apart: lines there, and whole own_aparts on,
 * share no set with them. The stack is touched in every pass, too, and lies in one or two sets for a whole run: each
 * search begins at another place. */
uint64_t hwc_draw_clear_place(struct hwc_lab *lab);

/* How many sets, each full of `ways` lines, hold `lines` lines? Under interference, others may have taken ways of some
 * sets. Returns the whole number that explains `lines`; if several do, the power of two among them; 0 if none does.
 * Pure. */
uint64_t hwc_whole_sets(size_t lines, size_t ways, bool interference);

/* Find the geometry. HWC_INCONCLUSIVE with the reason when the evidence is not
 * conclusive: no conflict among the candidates, or one that follows no cache's
 * rules. HWC_UNAVAILABLE with fewer than two candidates, or if a vote would take
 * too long. */
int hwc_find_geometry(struct hwc_lab *lab, const struct hwc_conflict_plan *plan, struct hwc_geometry *geometry,
                      struct hwc_error *error);

#endif
