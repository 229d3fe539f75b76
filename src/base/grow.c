#include "grow.h"

#include <stdlib.h>

enum { FIRST_ROOM = 8 };

void *hwc_grow_list(void *list, size_t count, size_t *room, size_t size)
{
    size_t more = *room > 0 ? 2 * *room : FIRST_ROOM;
    void *grown;

    if (count < *room)
        return list;
    grown = realloc(list, more * size);
    if (grown != NULL)
        *room = more;
    return grown;
}
