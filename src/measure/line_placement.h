/* Lines of many pages, and as many of few: what tells translation from data.
 *
 * A reference to a page is to one line of it. The lines of many pages are
 * spread over the sets of the first cache, so that they stay in it (X-Ray,
 * SIGMETRICS 2005, 6); the same lines of as few pages as can be take what the
 * caches alone take. */
#ifndef HWC_LINE_PLACEMENT_H
#define HWC_LINE_PLACEMENT_H

#include "lab.h"

/* Pages apart: an odd number, so that all sets are used, more than an entry
 * covers that takes several, and more than a system would make one of. */
#define HWC_PAGES_APART 5

/* No TLB has entries for less, but for pages that are smaller themselves. */
static inline uint64_t hwc_smallest_entry(const struct hwc_machine *machine)
{
    return machine->page_bytes < 4096 ? machine->page_bytes : 4096;
}

/* Where in its page the i-th of many references lies; so many one after the other lie in different lines. */
uint64_t hwc_line_in_page(const struct hwc_lab *lab, size_t i);
size_t hwc_lines_before_repeat(const struct hwc_lab *lab);

/* The same of a page that is visited again and again: where the n-th fetch of
 * it lies (n below hwc_visits_to_a_page; code cannot be visited twice a pass),
 * or all loads, with n = 0. */
uint64_t hwc_line_of_visit(const struct hwc_lab *lab, size_t page, size_t n);
size_t hwc_visits_to_a_page(const struct hwc_lab *lab);

/* Append a line each of `count` pages, `stride` apart from `from` on, where the
 * `first`-th of many and those behind it lie, and put the walk in random order. */
int hwc_walk_pages(struct hwc_lab *lab, struct hwc_walk *walk, size_t count, uint64_t from, uint64_t stride,
                   size_t first, struct hwc_error *error);

/* Fill `packed` with as many cells in the same sets of the first cache as those
 * of `spread`, on as few pages as can be, and no two of them in neighbouring
 * lines (a prefetcher would bring more that is wanted than where lines are on
 * pages of their own). Few pages at a time, so that each is translated but once
 * a pass; or, where `spread` repeats, in its order, as there are few. */
int hwc_walk_pack(struct hwc_lab *lab, const struct hwc_walk *spread, struct hwc_walk *packed,
                  struct hwc_error *error);

#endif
