#include "code_table.h"

#include <stddef.h>

const struct native_code_entry *native_code_find(const struct native_code_table *table, const struct hwc_arena *arena,
                                                 const struct hwc_walk *walk, enum native_transfer transfer)
{
    for (unsigned i = 0; i < HWC_MAX_STEPS; i++) {
        const struct native_code_entry *place = &table->place[i];
        if (place->arena != NULL && place->arena == arena->handle && place->serial == walk->serial &&
            place->transfer == transfer)
            return place;
    }
    return NULL;
}

int native_code_add(struct native_code_table *table, const struct hwc_arena *arena, char *base,
                    const struct hwc_walk *walk, enum native_transfer transfer, struct hwc_error *error)
{
    struct native_code_entry *place = table->place;
    int status;

    while (place < &table->place[HWC_MAX_STEPS - 1] && place->arena != NULL)
        place++;
    *place = (struct native_code_entry){.serial = walk->serial, .transfer = transfer};
    status = native_code_lay_out(base, arena->bytes, walk, transfer, &place->entry, error);
    if (status == HWC_OK)
        place->arena = arena->handle;
    return status;
}

void native_code_forget(struct native_code_table *table, const struct hwc_arena *arena)
{
    for (unsigned i = 0; i < HWC_MAX_STEPS; i++)
        if (table->place[i].arena == arena->handle)
            table->place[i].arena = NULL;
}
