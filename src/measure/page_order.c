#include "page_order.h"

#include <stdlib.h>
#include <string.h>

#include "statistics.h"

/* How many of the sorted lines lie before an offset. */
static size_t before(const uint64_t *lines, size_t count, uint64_t offset)
{
    size_t low = 0, high = count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (lines[middle] < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Copy each page's lines, in the order of the pages. */
static void group(struct hwc_page_order *order, const uint64_t *sorted, const uint64_t *pages, uint64_t page_bytes)
{
    size_t filled = 0;

    order->most = 0;
    for (size_t i = 0; i < order->pages; i++) {
        uint64_t page = pages[i] - pages[i] % page_bytes;
        size_t from = before(sorted, order->count, page);
        size_t lines = before(sorted, order->count, page + page_bytes) - from;
        order->start[i] = filled;
        memcpy(order->lines + filled, sorted + from, lines * sizeof *sorted);
        filled += lines;
        if (lines > order->most)
            order->most = lines;
    }
    order->start[order->pages] = filled;
}

int hwc_page_order_open(struct hwc_page_order *order, const uint64_t *lines, size_t count, const uint64_t *pages,
                        size_t page_count, uint64_t page_bytes, struct hwc_error *error)
{
    uint64_t *sorted = malloc((count + 1) * sizeof *sorted);

    *order = (struct hwc_page_order){.count = count, .pages = page_count};
    order->lines = malloc((count + 1) * sizeof *order->lines);
    order->start = malloc((page_count + 1) * sizeof *order->start);
    if (sorted == NULL || order->lines == NULL || order->start == NULL) {
        free(sorted);
        return hwc_fail(error, HWC_NO_MEMORY, "no memory for the order of %zu lines", count);
    }
    memcpy(sorted, lines, count * sizeof *sorted);
    hwc_sort_integers(sorted, count);
    group(order, sorted, pages, page_bytes);
    free(sorted);
    return HWC_OK;
}

void hwc_page_order_close(struct hwc_page_order *order)
{
    free(order->lines);
    free(order->start);
    *order = (struct hwc_page_order){0};
}

void hwc_page_order_draw(struct hwc_page_order *order, struct hwc_random *random, uint64_t *lines)
{
    size_t filled = 0;

    for (size_t i = 0; i < order->pages; i++)
        hwc_random_shuffle(random, order->lines + order->start[i], order->start[i + 1] - order->start[i]);
    for (size_t round = 0; round < order->most; round++)
        for (size_t i = 0; i < order->pages; i++)
            if (order->start[i] + round < order->start[i + 1])
                lines[filled++] = order->lines[order->start[i] + round];
}
