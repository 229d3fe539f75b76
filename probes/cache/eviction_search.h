/* One search for an eviction set: which lines are asked about, and the question itself. */
#ifndef HWC_EVICTION_SEARCH_H
#define HWC_EVICTION_SEARCH_H

#include "conflict_test.h"

struct hwc_eviction_search {
    struct hwc_conflict_test *test;
    uint64_t line;    /* the target */
    size_t fillers;   /* at the front of the kept lines */
    size_t members;   /* behind them: lines that seem to share the target's set */
    size_t count;     /* kept lines, fillers included, that evict the target; those that were left out follow, the last
                         ones first */
    size_t available;
    int mistakes; /* so far: parts that evicted the target once, and then did not */
    /* How often the target is late if it stays, and if as many lines as it takes evict it: under any policy, and under one
     * that evicts it as surely beside them as beside many more. The latter allow for others who evict it meanwhile. */
    struct hwc_chances any, sharp;
    bool is_sharp; /* the latter are asked for */
};

/* Do the first `count` kept lines evict the target, and in what share of readings (NULL = not wanted)? Others make lines
 * go, never stay, so that a target which stays is believed at once. A thread that shares the core takes ways of the set
 * while it works, and a set that it makes overfull would be taken for one that is: that it goes is asked again, unless the
 * chances allow for that. What others leave undecided is asked again only if it must be sure. */
int hwc_evict(const struct hwc_eviction_search *search, size_t count, enum hwc_effort effort, enum hwc_side *side,
              double *share, struct hwc_error *error);

/* Does the target stay beside the first `count` kept lines, under any policy? Others may have it that it does not, so that
 * this is asked a few times. */
int hwc_leaves_in(struct hwc_eviction_search *search, size_t count, bool *stays, struct hwc_error *error);

/* After the first `count` kept lines: what does the target take, and how often is it late? */
int hwc_read_target(const struct hwc_eviction_search *search, size_t count, double *cycles, struct hwc_error *error);
int hwc_read_late_target(const struct hwc_eviction_search *search, size_t count, bool of_hits, double *chance,
                         struct hwc_error *error);

/* Add a quarter more lines at a time, from those behind, until all of them evict the target, and a quarter more: lines
 * that are at the edge of evicting it would leave every test undecided. */
int hwc_grow(struct hwc_eviction_search *search, struct hwc_error *error);

#endif
