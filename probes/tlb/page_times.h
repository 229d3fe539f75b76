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

struct hwc_page_look {
    uint64_t pages_apart; /* from one that is referenced to the next */
    unsigned rounds;      /* at most HWC_PAGE_ROUNDS, each on fresh pages */
    const struct hwc_quiet_core *quiet; /* how others are waited for */
};

/* Fill in the times of these points, in ascending order of pages. */
int hwc_time_pages(struct hwc_lab *lab, const struct hwc_page_look *look, struct hwc_page_point *point, size_t points,
                   struct hwc_error *error);

/* The median: arenas differ in where their pages lie, so that the least of some is the luckiest of them, and noise makes
 * outliers. Its standard error, for readings that are about normal but for these. */
struct hwc_estimate hwc_middle_of_rounds(const struct hwc_page_times *times);

#endif
