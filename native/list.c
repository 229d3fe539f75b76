#include "list.h"

#include <stdlib.h>

#define MOST_OFFSETS 4096
#define LARGEST_OFFSET UINT32_MAX

static void free_list(struct native_list *list)
{
    free(list->block);
    *list = (struct native_list){0};
}

/* Several lists are played in turn. Each begins in other sets of a first level
 * than the others do, and so do the two parts of it; most are shorter than that. */
#define PAGE_BYTES 4096
#define APART_BYTES (PAGE_BYTES / NATIVE_LISTS)
#define LEAST_ROOM 4096

static int make_room(struct native_list *list, size_t place, size_t count, struct hwc_error *error)
{
    size_t room = count > LEAST_ROOM ? count : LEAST_ROOM, table_bytes = MOST_OFFSETS * sizeof *list->table;
    void *block = NULL;

    if (list->block != NULL && count <= list->room)
        return HWC_OK;
    free_list(list);
    if (posix_memalign(&block, PAGE_BYTES, PAGE_BYTES + table_bytes + APART_BYTES + room * sizeof *list->entries) != 0)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory for a list of %zu references", count);
    list->block = block;
    list->room = room;
    list->table = (uint32_t *)(void *)(list->block + place * APART_BYTES);
    list->entries = (uint16_t *)(void *)((char *)list->table + table_bytes + APART_BYTES / 2);
    return HWC_OK;
}

static size_t entry_of(const struct native_list *list, size_t known, uint32_t offset)
{
    size_t entry = 0;

    while (entry < known && list->table[entry] != offset)
        entry++;
    return entry;
}

static int make(struct native_list *list, size_t place, const struct hwc_walk *walk, struct hwc_error *error)
{
    size_t known = 0;
    int status = make_room(list, place, walk->count, error);

    if (status != HWC_OK)
        return status;
    for (size_t i = 0; i < walk->count; i++) {
        size_t entry;
        if (walk->offsets[i] > LARGEST_OFFSET)
            return hwc_fail(error, HWC_UNAVAILABLE, "lists reach no further than 4 GiB");
        entry = entry_of(list, known, (uint32_t)walk->offsets[i]);
        if (entry == MOST_OFFSETS)
            return hwc_fail(error, HWC_UNAVAILABLE, "lists name no more than %d cells", MOST_OFFSETS);
        if (entry == known)
            list->table[known++] = (uint32_t)walk->offsets[i];
        list->entries[i] = (uint16_t)entry;
    }
    list->count = walk->count;
    list->known = known;
    list->serial = walk->serial;
    list->walk = walk;
    return HWC_OK;
}

static struct native_list *place_for(struct native_lists *lists, const struct hwc_walk *walk)
{
    for (unsigned i = 0; i < NATIVE_LISTS; i++)
        if (lists->list[i].walk == walk)
            return &lists->list[i];
    lists->next = (lists->next + 1) % NATIVE_LISTS;
    return &lists->list[lists->next];
}

const struct native_list *native_list_of(struct native_lists *lists, const struct hwc_walk *walk, bool *made,
                                         struct hwc_error *error)
{
    struct native_list *list;

    *made = false;
    for (unsigned i = 0; i < NATIVE_LISTS; i++)
        if (lists->list[i].serial == walk->serial && walk->serial != 0)
            return &lists->list[i];
    list = place_for(lists, walk);
    *made = true;
    if (make(list, (size_t)(list - lists->list), walk, error) == HWC_OK)
        return list;
    free_list(list);
    return NULL;
}

#define LINE_BYTES 16 /* the shortest there is */

void native_list_warm(const struct native_list *list)
{
    const volatile char *table = (const volatile char *)list->table;
    const volatile char *entries = (const volatile char *)list->entries;

    for (size_t at = 0; at < list->known * sizeof *list->table; at += LINE_BYTES)
        (void)table[at];
    for (size_t at = 0; at < list->count * sizeof *list->entries; at += LINE_BYTES)
        (void)entries[at];
}

void native_lists_free(struct native_lists *lists)
{
    for (unsigned i = 0; i < NATIVE_LISTS; i++)
        free_list(&lists->list[i]);
}
