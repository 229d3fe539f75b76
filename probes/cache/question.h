/* The question behind a search for conflicts: how many misses does one pass
 * over these lines cost at the level, in the steady state? Asked of the level's
 * witness: a counter, the clock over single references, or the clock over whole
 * walks, translation taken off. */
#ifndef HWC_QUESTION_H
#define HWC_QUESTION_H

#include "conflict.h"

/* A line that does not fit costs at least one miss a pass under every policy
 * (about 0.12 of ways + 1 under random, all of them under LRU). */
#define CONFLICT_MISSES 0.5

struct hwc_search {
    struct hwc_lab *lab;
    const struct hwc_conflict_plan *plan;
    double started; /* by hwc_lab_worked */
    const struct hwc_witness *witness;
    uint64_t base; /* offset of every line within its stride */
    uint64_t *candidates; /* plan->candidates of them, to be drawn */
    uint64_t *kept;
    bool *competes; /* by kept line: with the stranger that was looked into */
    size_t count;
    bool against_half; /* side by side, walks are held against the first half of the kept lines, not against all */
    size_t fillers;
    struct hwc_walk walk;
    struct hwc_walk twin; /* the walk's pages, in lines that the first level holds */
    struct hwc_walk reference, reference_twin; /* the kept lines, where walks are timed side by side */
    double conflict_misses; /* what one line more than fits costs a pass; set with the threshold */
    double threshold;     /* misses a pass from which on lines conflict */
    double last_cost;     /* clock: cycles of the pass that was measured last */
    double kept_cost;     /* clock: cycles of a reference to the kept lines, translation taken off */
};

int hwc_open_search(struct hwc_search *search, struct hwc_lab *lab, const struct hwc_conflict_plan *plan,
                    struct hwc_error *error);
void hwc_close_search(struct hwc_search *search);

/* Fillers compete with the lines in every level above (their distance is a
 * multiple of each period) but not in this one (an odd multiple of the longest
 * period above, and this level's is at least twice as long).
 *
 * They come in one block, after the last line of a pass. Behind the block the
 * levels above hold fillers only, so every line that is still cached is at
 * home here, whatever the levels above kept of the lines meanwhile and whether
 * or not they are included: one line more than fits costs a miss in every
 * pass. Where half of the lines are moved into another set of the levels
 * above, a second block follows them. */
int hwc_append_fillers(struct hwc_search *search, struct hwc_walk *walk, uint64_t flip, uint64_t cell,
                       struct hwc_error *error);

/* Where the i-th filler lies. */
static inline uint64_t hwc_filler_at(const struct hwc_search *search, size_t i)
{
    return search->base + (2 * i + 1) * hwc_period_above(search->lab, search->plan->level);
}

/* Is only the last line of those that are asked about in question? By the clock
 * below the first level, where single references in a walk cannot be told
 * apart: whether the others put it out. */
bool hwc_asks_of_last(const struct hwc_search *search);

/* Is it asked by the clock where others may disturb? They make lines seem to conflict, for seconds at a time. */
bool hwc_may_be_disturbed(const struct hwc_search *search);

/* Where slow references are counted among others: do the kept lines still fit? Elsewhere they are not asked. */
int hwc_ask_kept(struct hwc_search *search, bool *conflict, struct hwc_error *error);

/* That they do not: HWC_UNAVAILABLE. */
int hwc_fail_kept(const struct hwc_search *search, struct hwc_error *error);

/* Misses of one pass over search->walk. By the clock over whole walks: what a
 * pass takes beyond `expected` cycles, in units of a miss. */
int hwc_misses(struct hwc_search *search, double expected, unsigned samples, double *result, struct hwc_error *error);

/* Are so many misses a conflict? */
bool hwc_conflicts(const struct hwc_search *search, double found);

/* How many misses a pass do `count` lines, some of them moved by `flip`, cost? `moved` may be NULL. */
int hwc_ask(struct hwc_search *search, const uint64_t *lines, size_t count, const bool *moved, uint64_t flip,
            unsigned samples, double *found, struct hwc_error *error);

/* Do the first `count` of the kept lines, those marked moved, conflict? */
int hwc_ask_whether(struct hwc_search *search, size_t count, const bool *moved, uint64_t flip, bool *conflict,
                    struct hwc_error *error);

/* Measure what a reference to the kept lines costs now. */
int hwc_reprice(struct hwc_search *search, unsigned samples, struct hwc_error *error);

/* HWC_UNAVAILABLE when others have kept a search on a noisy machine going for
 * too long, or when one of thousands of pages in random order takes longer than
 * anybody would wait for eight of, and no budget says otherwise. */
int hwc_check_time(const struct hwc_search *search, struct hwc_error *error);

/* Are walks timed side by side with the kept lines? Where others disturb this
 * machine and single references cannot be told apart: nothing is held against
 * what was timed earlier. */
bool hwc_goes_beside(const struct hwc_search *search);

#endif
