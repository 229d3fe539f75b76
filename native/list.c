#include "list.h"

#include <stdlib.h>

#define LARGEST_OFFSET UINT32_MAX

static void free_list(struct native_list *list)
{
    free(list->block);
    *list = (struct native_list){0};
}

/* Several lists are played in turn: they begin at different offsets in a page, so that most use different L1 sets. */
#define PAGE_BYTES 4096
#define LEAST_ROOM 4096

static int make_room(struct native_list *list, size_t count, struct hwc_error *error)
{
    size_t room = count > LEAST_ROOM ? count : LEAST_ROOM;
    void *block = NULL;

    if (list->block != NULL && count <= list->room)
        return HWC_OK;
    free_list(list);
    if (posix_memalign(&block, PAGE_BYTES, PAGE_BYTES + room * sizeof *list->order.visit) != 0)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory for a list of %zu references", count);
    list->block = block;
    list->room = room;
    return HWC_OK;
}

/* How many references after each visit are the same every time? 0 for a walk that
 * stays in one place, as it must be played like walks that do not. */
static size_t count_followers(const struct hwc_walk *walk)
{
    const uint64_t *offset = walk->offsets;

    if (walk->count < 2 || offset[0] == offset[1])
        return 0;
    for (size_t each = 2; each <= walk->count / 2; each++) {
        bool same = walk->count % each == 0;
        for (size_t i = each; i < walk->count && same; i++)
            same = i % each == 0 || offset[i] == offset[i - each];
        if (same)
            return each - 1;
    }
    return 0;
}

static int make(struct native_list *list, size_t place, const struct hwc_walk *walk, struct hwc_error *error)
{
    size_t followers = walk->independent ? 0 : count_followers(walk), each = followers + 1, count = 0;
    size_t read = list->walk == walk ? (size_t)list->order.read : 0;
    uint32_t *offset;
    int status = make_room(list, walk->count, error);

    if (status != HWC_OK)
        return status;
    for (size_t i = 0; i < walk->count; i++)
        if (walk->offsets[i] > LARGEST_OFFSET)
            return hwc_fail(error, HWC_UNAVAILABLE, "lists reach no further than 4 GiB");
    offset = (uint32_t *)(void *)(list->block + place * NATIVE_LISTS_APART % PAGE_BYTES);
    for (size_t i = 0; i < walk->count; i += each)
        offset[count++] = (uint32_t)walk->offsets[i];
    for (size_t i = 0; i < followers; i++)
        offset[count + i] = (uint32_t)walk->offsets[1 + i];
    list->order = (struct native_order){
        .visit = offset, .follower = offset + count, .visits = count, .followers = followers,
        .read = read > count ? read : count};
    list->serial = walk->serial;
    list->walk = walk;
    return HWC_OK;
}

/* The walk's former list, or else the one that has not been used for longest. */
static struct native_list *place_for(struct native_lists *lists, const struct hwc_walk *walk)
{
    struct native_list *oldest = &lists->list[0];

    for (unsigned i = 0; i < NATIVE_LISTS; i++) {
        if (lists->list[i].walk == walk)
            return &lists->list[i];
        if (lists->list[i].used < oldest->used)
            oldest = &lists->list[i];
    }
    return oldest;
}

static struct native_list *find(struct native_lists *lists, const struct hwc_walk *walk)
{
    for (unsigned i = 0; i < NATIVE_LISTS; i++)
        if (lists->list[i].serial == walk->serial && walk->serial != 0)
            return &lists->list[i];
    return NULL;
}

const struct native_list *native_list_of(struct native_lists *lists, const struct hwc_walk *walk, bool *made,
                                         struct hwc_error *error)
{
    struct native_list *list = find(lists, walk);

    *made = list == NULL;
    if (list == NULL) {
        list = place_for(lists, walk);
        if (make(list, (size_t)(list - lists->list), walk, error) != HWC_OK) {
            free_list(list);
            return NULL;
        }
    }
    list->used = ++lists->asked;
    return list;
}

void native_list_warm(const struct native_order *order)
{
    const volatile char *begin = (const volatile char *)order->visit;

    for (size_t at = 0; at < (order->visits + order->followers) * sizeof *order->visit; at += NATIVE_LEAST_LINE)
        (void)begin[at];
}

void native_lists_free(struct native_lists *lists)
{
    for (unsigned i = 0; i < NATIVE_LISTS; i++)
        free_list(&lists->list[i]);
}
