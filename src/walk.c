#include "walk.h"

#include <stdatomic.h>
#include <stdlib.h>

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

int hwc_walk_scatter(struct hwc_walk *walk, size_t lines, uint64_t line_bytes, uint64_t group_bytes,
                     struct hwc_random *random, struct hwc_error *error)
{
    size_t group_lines = group_bytes > 2 * line_bytes ? (size_t)(group_bytes / (2 * line_bytes)) : 1;
    size_t groups = (lines + group_lines - 1) / group_lines;
    uint64_t *order = malloc((groups + 1) * sizeof *order);
    int status = order != NULL ? reserve(walk, walk->count + lines, error)
                               : hwc_fail(error, HWC_NO_MEMORY, "no memory for a walk of %zu references", lines);

    for (size_t i = 0; status == HWC_OK && i < groups; i++)
        order[i] = i;
    if (status == HWC_OK)
        hwc_random_shuffle(random, order, groups);
    for (size_t g = 0; status == HWC_OK && g < groups; g++) {
        size_t first = (size_t)order[g] * group_lines;
        size_t end = first + group_lines < lines ? first + group_lines : lines;
        size_t begin = walk->count;
        for (size_t i = first; i < end; i++)
            walk->offsets[walk->count++] = (2 * i + hwc_random_below(random, 2)) * line_bytes;
        hwc_random_shuffle(random, walk->offsets + begin, walk->count - begin);
    }
    free(order);
    hwc_walk_touch(walk);
    return status;
}
