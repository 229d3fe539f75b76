#include "walk.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "statistics.h"

void hwc_walk_init(struct hwc_walk *walk)
{
    *walk = (struct hwc_walk){.access = HWC_LOAD, .type = HWC_INTEGER};
}

void hwc_walk_free(struct hwc_walk *walk)
{
    free(walk->offsets);
    hwc_walk_init(walk);
}

/* Serials only tell walks apart; they never enter a result. */
static uint64_t new_serial(void)
{
    static atomic_uint_fast64_t last;

    return (uint64_t)atomic_fetch_add(&last, 1) + 1;
}

void hwc_walk_touch(struct hwc_walk *walk)
{
    walk->serial = walk->cells_serial = new_serial();
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
    TRY(reserve(walk, walk->count + 1, error));
    walk->offsets[walk->count++] = offset;
    hwc_walk_touch(walk);
    return HWC_OK;
}

int hwc_walk_append_all(struct hwc_walk *walk, const uint64_t *offsets, size_t count, struct hwc_error *error)
{
    if (count == 0)
        return HWC_OK;
    TRY(reserve(walk, walk->count + count, error));
    memcpy(walk->offsets + walk->count, offsets, count * sizeof *offsets);
    walk->count += count;
    hwc_walk_touch(walk);
    return HWC_OK;
}

int hwc_walk_sequence(struct hwc_walk *walk, uint64_t start, uint64_t stride, size_t count, struct hwc_error *error)
{
    TRY(reserve(walk, walk->count + count, error));
    for (size_t i = 0; i < count; i++)
        walk->offsets[walk->count++] = start + i * stride;
    hwc_walk_touch(walk);
    return HWC_OK;
}

int hwc_walk_stream(struct hwc_walk *walk, const struct hwc_stream *stream, uint64_t line_bytes,
                    struct hwc_error *error)
{
    uint64_t half = stream->bytes / 2;

    hwc_walk_clear(walk);
    walk->stream = *stream;
    walk->access = stream->kind == HWC_STREAM_WRITE ? HWC_STORE : HWC_LOAD;
    if (stream->kind != HWC_STREAM_COPY)
        return hwc_walk_sequence(walk, 0, line_bytes, (size_t)(stream->bytes / line_bytes), error);
    TRY(reserve(walk, (size_t)(stream->bytes / line_bytes), error));
    for (uint64_t at = 0; at < half; at += line_bytes) {
        walk->offsets[walk->count++] = at;
        walk->offsets[walk->count++] = half + at;
    }
    hwc_walk_touch(walk);
    return HWC_OK;
}

int hwc_walk_pairs(struct hwc_walk *walk, uint64_t first, uint64_t second, struct hwc_error *error)
{
    hwc_walk_clear(walk);
    walk->independent = walk->pairs = true;
    TRY(hwc_walk_append(walk, first, error));
    return hwc_walk_append(walk, second, error);
}

int hwc_walk_cells(struct hwc_walk *walk, const struct hwc_drawn *drawn, struct hwc_error *error)
{
    TRY(reserve(walk, walk->count + drawn->cells, error));
    for (uint64_t cell = 0; cell < drawn->cells; cell++)
        walk->offsets[walk->count++] = hwc_drawn_offset(drawn, cell);
    hwc_walk_touch(walk);
    return HWC_OK;
}

uint64_t hwc_walk_references(const struct hwc_walk *walk)
{
    if (walk->body != NULL)
        return 1;
    return hwc_walk_is_drawn(walk) ? walk->drawn.references : walk->count;
}

int hwc_walk_beside(struct hwc_walk *walk, const struct hwc_walk *other, struct hwc_error *error)
{
    for (size_t i = 0; i < other->count; i++)
        TRY(hwc_walk_append(walk, other->offsets[i] + HWC_CELL_BYTES, error));
    return HWC_OK;
}

/* Each random number serves two places, by its halves: the product's upper half is below the bound. */
void hwc_walk_reorder(struct hwc_walk *walk, size_t from, size_t count, struct hwc_random *random)
{
    uint64_t *offsets = walk->offsets + from, drawn = 0;

    for (size_t i = count; i > 1; i--) {
        uint64_t *last = &offsets[i - 1], *other, kept = *last;
        drawn = drawn >> 32 != 0 ? drawn >> 32 : hwc_random_next(random);
        other = &offsets[(drawn & UINT32_MAX) * i >> 32];
        *last = *other;
        *other = kept;
    }
    walk->serial = new_serial();
}

void hwc_walk_shuffle(struct hwc_walk *walk, struct hwc_random *random)
{
    hwc_random_shuffle(random, walk->offsets, walk->count);
    hwc_walk_touch(walk);
}

/* The even lines of the first half, and the odd lines of the second. */
static void space_lines(uint64_t *offsets, size_t lines, uint64_t line_bytes)
{
    for (size_t i = 0; i < lines; i++)
        offsets[i] = (2 * i + (i >= (lines + 1) / 2)) * line_bytes;
}

/* The index at which each group begins, followed by the end; returns the number of groups. */
static size_t find_groups(const uint64_t *offsets, size_t count, uint64_t group_bytes, size_t *begins)
{
    size_t groups = 0;

    for (size_t i = 0; i < count; i++)
        if (i == 0 || offsets[i] / group_bytes != offsets[i - 1] / group_bytes)
            begins[groups++] = i;
    begins[groups] = count;
    return groups;
}

/* Copy ascending offsets with the groups in the given order and each group shuffled. */
static void order_groups(uint64_t *to, const uint64_t *ascending, const size_t *begins, const uint64_t *order,
                         size_t groups, struct hwc_random *random)
{
    for (size_t g = 0; g < groups; g++) {
        size_t first = begins[order[g]], count = begins[order[g] + 1] - first;
        memcpy(to, ascending + first, count * sizeof *to);
        hwc_random_shuffle(random, to, count);
        to += count;
    }
}

static int group(uint64_t *to, const uint64_t *ascending, size_t count, uint64_t group_bytes,
                 struct hwc_random *random, struct hwc_error *error)
{
    uint64_t *order = malloc((count + 1) * sizeof *order);
    size_t *begins = malloc((count + 1) * sizeof *begins);
    int status = order != NULL && begins != NULL
                     ? HWC_OK
                     : hwc_fail(error, HWC_NO_MEMORY, "no memory for a walk of %zu references", count);

    if (status == HWC_OK) {
        size_t groups = find_groups(ascending, count, group_bytes, begins);
        for (size_t g = 0; g < groups; g++)
            order[g] = g;
        hwc_random_shuffle(random, order, groups);
        order_groups(to, ascending, begins, order, groups, random);
    }
    free(order);
    free(begins);
    return status;
}

int hwc_walk_spaced_shuffle(struct hwc_walk *walk, size_t lines, uint64_t line_bytes, uint64_t group_bytes,
                            struct hwc_random *random, struct hwc_error *error)
{
    uint64_t *offsets = malloc((lines + 1) * sizeof *offsets);
    int status = offsets != NULL ? reserve(walk, walk->count + lines, error)
                                 : hwc_fail(error, HWC_NO_MEMORY, "no memory for a walk of %zu references", lines);

    if (status == HWC_OK) {
        space_lines(offsets, lines, line_bytes);
        status = group(walk->offsets + walk->count, offsets, lines, group_bytes, random, error);
    }
    if (status == HWC_OK)
        walk->count += lines;
    free(offsets);
    hwc_walk_touch(walk);
    return status;
}

int hwc_walk_in_rounds(struct hwc_walk *walk, uint64_t line_bytes, unsigned rounds, struct hwc_error *error)
{
    uint64_t *offsets;
    size_t taken = 0;

    if (rounds <= 1)
        return HWC_OK;
    offsets = malloc((walk->count + 1) * sizeof *offsets);
    if (offsets == NULL)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory for a walk of %zu references", walk->count);
    for (unsigned round = 0; round < rounds; round++)
        for (size_t i = 0; i < walk->count; i++)
            if (walk->offsets[i] / (2 * line_bytes) % rounds == round) /* a spaced shuffle has every other line */
                offsets[taken++] = walk->offsets[i];
    memcpy(walk->offsets, offsets, taken * sizeof *offsets);
    free(offsets);
    hwc_walk_touch(walk);
    return HWC_OK;
}

void hwc_walk_jitter(struct hwc_walk *walk, uint64_t spacing, uint64_t line_bytes, struct hwc_random *random)
{
    for (size_t i = 0; i < walk->count; i++)
        walk->offsets[i] += hwc_random_below(random, spacing / line_bytes) * line_bytes;
    hwc_walk_touch(walk);
}

int hwc_walk_group(struct hwc_walk *walk, uint64_t group_bytes, struct hwc_random *random, struct hwc_error *error)
{
    uint64_t *offsets = malloc((walk->count + 1) * sizeof *offsets);
    int status;

    if (offsets == NULL)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory for a walk of %zu references", walk->count);
    if (walk->count > 0)
        memcpy(offsets, walk->offsets, walk->count * sizeof *offsets);
    hwc_sort_integers(offsets, walk->count);
    status = group(walk->offsets, offsets, walk->count, group_bytes, random, error);
    free(offsets);
    hwc_walk_touch(walk);
    return status;
}
