/* Walks that visit cells more than once, or in no order that the core must keep, as short lists of offsets. A list is
 * read while it is played and so takes room in the caches, as much as any other
 * list of its length. Lists of at most NATIVE_LISTS_APART / 2 bytes lie in the
 * first half of every NATIVE_LISTS_APART bytes, and leave the sets of the other
 * half alone. Passes of independent loads read as much of a walk's list as ever
 * before: the lines of a list that grew with the walk would take part in what is
 * asked about the walk's. */
#ifndef HWC_NATIVE_LIST_H
#define HWC_NATIVE_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"
#include "kernels.h"
#include "walk.h"

enum { NATIVE_LISTS = 8 };
#define NATIVE_LISTS_APART 1024

struct native_list {
    uint64_t serial; /* the walk's; 0 = none */
    /* When its cells change, the new list replaces the old one in place, so that it uses the same cache sets. */
    const struct hwc_walk *walk;
    char *block; /* holds all of it */
    struct native_order order;
    size_t room;   /* in offsets */
    uint64_t used; /* when it was last asked for */
};

struct native_lists {
    struct native_list list[NATIVE_LISTS];
    uint64_t asked; /* how often any was asked for */
};

/* The walk's list, made if it does not exist yet; *made tells which. It stays until NATIVE_LISTS other walks' have been
 * asked for since. NULL on failure, with the reason in error. */
const struct native_list *native_list_of(struct native_lists *lists, const struct hwc_walk *walk, bool *made,
                                         struct hwc_error *error);

/* Read the list, so that playing it finds it in the first level. */
void native_list_warm(const struct native_order *order);

void native_lists_free(struct native_lists *lists);

#endif
