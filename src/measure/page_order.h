/* Lines in rounds over their pages: each round visits every page once, in the same order, at another of its lines. What
 * a TLB makes of that depends on the pages alone, so that a walk in this order and one that visits a few lines of each
 * page round and round take the same translations. */
#ifndef HWC_PAGE_ORDER_H
#define HWC_PAGE_ORDER_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "random.h"

struct hwc_page_order {
    uint64_t *lines;  /* those of a page side by side */
    size_t *start;    /* of each page's lines, in the order of the pages; and their end */
    size_t count, pages;
    size_t most; /* lines of a page */
};

/* The lines in the order of these pages' offsets (any of each page, each page once). May return HWC_NO_MEMORY; close in
 * any case. */
int hwc_page_order_open(struct hwc_page_order *order, const uint64_t *lines, size_t count, const uint64_t *pages,
                        size_t page_count, uint64_t page_bytes, struct hwc_error *error);
void hwc_page_order_close(struct hwc_page_order *order);

/* Draw which of a page's lines each round visits. */
void hwc_page_order_draw(struct hwc_page_order *order, struct hwc_random *random, uint64_t *lines);

#endif
