/* Arrays that are walked with a stride, over and over, as Saavedra's benchmark and papi_cacheSize do.
 *
 * The walk visits each block once a pass. The blocks of a few pages, which every TLB holds, come in random order, as
 * do those groups of pages and the lines of a block; the cells of a line come in ascending order. A cyclic order is all
 * that the method needs, and prefetchers make the least of this one. */
#ifndef HWC_ARRAY_WALK_H
#define HWC_ARRAY_WALK_H

#include "lab.h"
#include "steady_state.h"

struct hwc_array {
    struct hwc_lab *lab;
    struct hwc_arena arena;
    enum hwc_type type;
    uint64_t used; /* bytes of it, or between its elements: for the caller */
};

/* Memory for arrays of at most so many bytes. May return HWC_NO_MEMORY. Close it if it was opened. */
int hwc_array_open(struct hwc_array *array, struct hwc_lab *lab, uint64_t bytes, enum hwc_pages pages,
                   enum hwc_type type, struct hwc_error *error);
void hwc_array_close(struct hwc_array *array);

/* What a reference costs in the steady state of a walk over the first `bytes`: misses that the witness counts, or,
 * if it counts no events, cycles. */
int hwc_array_cost(struct hwc_array *array, uint64_t bytes, uint64_t stride, const struct hwc_witness *witness,
                   double *cost, struct hwc_error *error);

/* The same of `count` cells, `stride` bytes apart, each at another place of its page: the first level holds them,
 * and the cost is that of translation. */
int hwc_array_page_cost(struct hwc_array *array, size_t count, uint64_t stride, const struct hwc_witness *witness,
                        double *cost, struct hwc_error *error);

#endif
