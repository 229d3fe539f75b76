#include "walk.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

void hwc_walk_init(struct hwc_walk *walk)
{
    *walk = (struct hwc_walk){.access = HWC_LOAD, .type = HWC_INTEGER};
}

void hwc_walk_free(struct hwc_walk *walk)
{
    free(walk->offsets);
    hwc_walk_init(walk);
}

void hwc_walk_touch(struct hwc_walk *walk)
{
    /* Serials only tell walks apart; they never enter a result. */
    static atomic_uint_fast64_t last_serial;
    walk->serial = (uint64_t)atomic_fetch_add(&last_serial, 1) + 1;
}

void hwc_walk_clear(struct hwc_walk *walk)
{
    walk->count = 0;
    hwc_walk_touch(walk);
}

static int reserve(struct hwc_walk *walk, size_t count, struct hwc_error *error)
{
    size_t capacity = walk->capacity > 0 ? walk->capacity : 64;
    uint64_t *grown;

    if (count <= walk->capacity)
        return HWC_OK;
    while (capacity < count)
        capacity *= 2;
    grown = realloc(walk->offsets, capacity * sizeof *grown);
    if (grown == NULL)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory for a walk of %zu references", count);
    walk->offsets = grown;
    walk->capacity = capacity;
    return HWC_OK;
}

int hwc_walk_append(struct hwc_walk *walk, uint64_t offset, struct hwc_error *error)
{
    int status = reserve(walk, walk->count + 1, error);

    if (status != HWC_OK)
        return status;
    walk->offsets[walk->count++] = offset;
    hwc_walk_touch(walk);
    return HWC_OK;
}

int hwc_walk_sequence(struct hwc_walk *walk, uint64_t start, uint64_t stride, size_t count, struct hwc_error *error)
{
    int status = reserve(walk, walk->count + count, error);

    if (status != HWC_OK)
        return status;
    for (size_t i = 0; i < count; i++)
        walk->offsets[walk->count++] = start + i * stride;
    hwc_walk_touch(walk);
    return HWC_OK;
}

void hwc_walk_shuffle(struct hwc_walk *walk, struct hwc_random *random)
{
    hwc_random_shuffle(random, walk->offsets, walk->count);
    hwc_walk_touch(walk);
}

static int by_offset(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left;
    uint64_t b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

int hwc_walk_shuffle_paged(struct hwc_walk *walk, uint64_t page_bytes, struct hwc_random *random,
                           struct hwc_error *error)
{
    size_t pages = 0;
    size_t filled = 0;
    uint64_t *first_of_page;
    uint64_t *ordered;

    if (walk->count == 0)
        return HWC_OK;
    first_of_page = malloc((walk->count + 1) * sizeof *first_of_page);
    ordered = malloc(walk->count * sizeof *ordered);
    if (first_of_page == NULL || ordered == NULL) {
        free(first_of_page);
        free(ordered);
        return hwc_fail(error, HWC_NO_MEMORY, "no memory to shuffle a walk of %zu references", walk->count);
    }
    qsort(walk->offsets, walk->count, sizeof *walk->offsets, by_offset);
    for (size_t i = 0; i < walk->count; i++)
        if (i == 0 || walk->offsets[i] / page_bytes != walk->offsets[i - 1] / page_bytes)
            first_of_page[pages++] = i;
    hwc_random_shuffle(random, first_of_page, pages);
    for (size_t p = 0; p < pages; p++) {
        size_t begin = first_of_page[p];
        size_t end = begin;
        while (end < walk->count && walk->offsets[end] / page_bytes == walk->offsets[begin] / page_bytes)
            end++;
        hwc_random_shuffle(random, walk->offsets + begin, end - begin);
        memcpy(ordered + filled, walk->offsets + begin, (end - begin) * sizeof *ordered);
        filled += end - begin;
        /* The page's cells moved only within the page, so later pages' begins stay valid. */
    }
    memcpy(walk->offsets, ordered, walk->count * sizeof *ordered);
    free(ordered);
    free(first_of_page);
    hwc_walk_touch(walk);
    return HWC_OK;
}
