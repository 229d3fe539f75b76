/* Lists that grow as items are added. */
#ifndef HWC_GROW_H
#define HWC_GROW_H

#include <stddef.h>

/* The list, moved if need be, with room for one item of `size` bytes after its `count`; *room is what it has room for.
 * NULL if there is no memory: the old list is as it was. */
void *hwc_grow_list(void *list, size_t count, size_t *room, size_t size);

#endif
