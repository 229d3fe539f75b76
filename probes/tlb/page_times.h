/* How long references to pages drawn at random take, and references to as many neighbouring lines. */
#ifndef HWC_PAGE_TIMES_H
#define HWC_PAGE_TIMES_H

#include <stdint.h>

#include "estimate.h"
#include "lab.h"
#include "quiet_core.h"

enum { HWC_PAGE_ROUNDS = 6 };

/* The time of a reference, by round, and the least standard error of one. */
struct hwc_page_times {
    double cycles[HWC_PAGE_ROUNDS];
    double error;
    unsigned beside; /* rounds in which somebody else worked on this core */
};

/* The times of a reference to a line in each of so many pages, and to as many neighbouring lines. */
struct hwc_page_point {
    uint64_t pages;
    struct hwc_page_times in_pages, in_lines;
};

/* No entry covers two neighbours: it may cover several pages by itself, while none is known to cover one; or the system
 * merges neighbours. */
bool hwc_neighbours_take_two(const struct hwc_lab *lab);

/* Pages from one that is referenced to the next. */
uint64_t hwc_pages_apart(const struct hwc_lab *lab);

/* Fill in the times of these points, in ascending order of pages, in rounds on fresh pages. */
int hwc_time_pages(struct hwc_lab *lab, const struct hwc_quiet_core *quietly, struct hwc_page_point *point,
                   size_t points, struct hwc_error *error);

/* The median: arenas differ in where their pages lie, so that the least of some is the luckiest of them, and noise makes
 * outliers. Its standard error, for readings that are about normal but for these. */
struct hwc_estimate hwc_middle_of_rounds(const struct hwc_page_times *times);

#endif
