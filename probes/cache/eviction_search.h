/* One search for an eviction set: which lines are asked about, and the question itself. */
#ifndef HWC_EVICTION_SEARCH_H
#define HWC_EVICTION_SEARCH_H

#include "conflict_test.h"

struct hwc_eviction_search {
    struct hwc_conflict_test *test;
    uint64_t line;    /* the target */
    size_t fillers;   /* at the front of the kept lines; they end each pass, as what the levels above still held of the
                         target's set would make room for as many lines more in an exclusive level */
    size_t members;   /* behind them: lines that seem to share the target's set */
    size_t count;     /* kept lines, fillers included, that evict the target; those that were left out follow, the last
                         ones first */
    size_t available; /* lines that the search may take */
    double least_late; /* how often the target is late, at least, after lines that evict it; 0 = that is not known */
    unsigned undecided; /* questions about few lines that noise hid the answer to */
};

/* Do the first `count` kept lines evict the target more often than the first `controls` of them do? */
int hwc_evict_beside(const struct hwc_eviction_search *search, size_t count, size_t controls, enum hwc_side *side,
                     struct hwc_error *error);

/* More often than the fillers alone do? */
int hwc_evict(const struct hwc_eviction_search *search, size_t count, enum hwc_side *side, struct hwc_error *error);

/* The same, likely: of many lines that take long, for a question that is asked again where a wrong answer matters. */
int hwc_evict_likely(const struct hwc_eviction_search *search, size_t count, bool *evict, struct hwc_error *error);

/* Do all kept lines evict it more often than they do without the one at `at`? HWC_INCONCLUSIVE if noise hides that, or if
 * it is evicted no more. */
int hwc_evict_with(const struct hwc_eviction_search *search, size_t at, bool *needed, struct hwc_error *error);

/* After the first `count` kept lines: what does the target take, and how often is it late? */
int hwc_read_target(const struct hwc_eviction_search *search, size_t count, double *cycles, struct hwc_error *error);
int hwc_read_late_target(const struct hwc_eviction_search *search, size_t count, bool of_hits, double *chance,
                         struct hwc_error *error);

/* Add a quarter more lines at a time, from those behind, until all of them evict the target, and half as many more: those
 * that are at the edge of evicting it do so now and then, and would leave every test undecided. */
int hwc_grow(struct hwc_eviction_search *search, struct hwc_error *error);

#endif
