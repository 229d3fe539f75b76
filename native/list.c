#include "list.h"

#include <stdlib.h>

#define MOST_OFFSETS 4096
#define LARGEST_OFFSET UINT32_MAX

static void free_list(struct native_list *list)
{
    free(list->table);
    free(list->entries);
    *list = (struct native_list){0};
}

static size_t entry_of(const struct native_list *list, size_t known, uint32_t offset)
{
    size_t entry = 0;

    while (entry < known && list->table[entry] != offset)
        entry++;
    return entry;
}

static int make(struct native_list *list, const struct hwc_walk *walk, struct hwc_error *error)
{
    size_t known = 0;

    list->table = malloc(MOST_OFFSETS * sizeof *list->table);
    list->entries = malloc((walk->count + 1) * sizeof *list->entries);
    if (list->table == NULL || list->entries == NULL)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory for a list of %zu references", walk->count);
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
    return HWC_OK;
}

const struct native_list *native_list_of(struct native_lists *lists, const struct hwc_walk *walk, bool *made,
                                         struct hwc_error *error)
{
    struct native_list *list;

    *made = false;
    for (unsigned i = 0; i < NATIVE_LISTS; i++)
        if (lists->list[i].serial == walk->serial && walk->serial != 0)
            return &lists->list[i];
    list = &lists->list[lists->next];
    lists->next = (lists->next + 1) % NATIVE_LISTS;
    free_list(list);
    *made = true;
    if (make(list, walk, error) == HWC_OK)
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
