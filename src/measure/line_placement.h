/* Lines on many pages, and as many lines on few pages: the difference in time is
 * translation.
 *
 * A reference to a page is to one line of it. The lines on many pages are
 * spread over the sets of the first cache, so that they stay in it (X-Ray,
 * SIGMETRICS 2005, 6); the same lines on as few pages as possible take only the
 * time of the caches. */
#ifndef HWC_LINE_PLACEMENT_H
#define HWC_LINE_PLACEMENT_H

#include "lab.h"

/* The distance in pages: odd, so that all sets are used; more pages than one
 * TLB entry covers, and more than the system would merge into one. */
#define HWC_PAGES_APART 5

/* No TLB entry covers less than 4 KiB, unless the pages themselves are smaller. */
static inline uint64_t hwc_smallest_entry(const struct hwc_machine *machine)
{
    return machine->page_bytes < 4096 ? machine->page_bytes : 4096;
}

/* Where in its page the i-th of many references lies, and how many consecutive ones lie in different lines. */
uint64_t hwc_line_in_page(const struct hwc_lab *lab, size_t i);
size_t hwc_lines_before_repeat(const struct hwc_lab *lab);

/* The same for a page that is visited several times a pass: where the n-th fetch
 * from it lies (n below hwc_visits_to_a_page; a fetch can visit no cell twice a
 * pass). All loads of the page lie where n = 0 does. */
uint64_t hwc_line_of_visit(const struct hwc_lab *lab, size_t page, size_t n);
size_t hwc_visits_to_a_page(const struct hwc_lab *lab);

/* The lines of a page, in so many equal parts: the first line of one, and the first after it. */
struct hwc_part_of_page {
    uint64_t from, to;
};

struct hwc_part_of_page hwc_part_of_page(const struct hwc_lab *lab, size_t part, size_t parts);

/* By which bits is the line moved to a random place in each part of its page? No two places are neighbours, as a miss of
 * one may bring the next line, or the pair's other one; and they are even and odd alike, as slices of a level may be told
 * apart by that. */
void hwc_draw_places(struct hwc_lab *lab, size_t parts, uint64_t line, uint64_t *moved);

/* Append one line in each of `count` pages, `stride` apart from `from` on, placed
 * as references `first` and following are, and put the walk in random order. */
int hwc_walk_pages(struct hwc_lab *lab, struct hwc_walk *walk, size_t count, uint64_t from, uint64_t stride,
                   size_t first, struct hwc_error *error);

/* Fill `packed` with as many cells as `spread` has, in the same sets of the first
 * cache, on as few pages as possible, and no two of them in neighbouring lines
 * (prefetching would help more than it does where each line has a page of its
 * own). `at_a_time` pages are visited at a time, so that each is translated only
 * once a pass; the more, the less a prefetcher learns of each. Where `spread`
 * repeats, its order is kept, as there are few pages. */
int hwc_walk_pack(struct hwc_lab *lab, const struct hwc_walk *spread, size_t at_a_time, struct hwc_walk *packed,
                  struct hwc_error *error);

/* Draw another cell of the line's page, in another line: further away than the longest line, and nearer than any known
 * level's period. Visited just before the line, it leaves translation out of the line's time. It must be another one each
 * time: a region prefetcher learns what follows a reference to one place of a page, and would bring the line in. The walk
 * becomes a visit to the mate. */
int hwc_draw_mate(struct hwc_lab *lab, uint64_t line, struct hwc_walk *mate, struct hwc_error *error);

#endif
