#include "kept_arena.h"

#include <stdlib.h>

static bool serves(const struct hwc_kept_arena *kept, uint64_t bytes, enum hwc_pages pages)
{
    return kept->arena.handle != NULL && kept->bytes == bytes && kept->pages == pages;
}

void hwc_close_kept(struct hwc_lab *lab, struct hwc_kept_arena *kept)
{
    hwc_close_arena(lab, &kept->arena);
    for (int kind = 0; kind < HWC_FOUND_KINDS; kind++)
        free(kept->found[kind]);
    *kept = (struct hwc_kept_arena){0};
}

/* What is lost if it makes room for another. */
static int worth_of(const struct hwc_kept_arena *kept)
{
    int kinds = HWC_FOUND_KINDS;

    while (kinds > 0 && kept->found[kinds - 1] == NULL)
        kinds--;
    return kept->arena.handle != NULL ? 1 + kinds : 0;
}

/* One of that kind, or else the place that is worth least. NULL = all are lent. */
static struct hwc_kept_arena *arena_to_lend(struct hwc_lab *lab, uint64_t bytes, enum hwc_pages pages)
{
    struct hwc_kept_arena *place = NULL;

    for (int i = 0; i < HWC_KEPT_ARENAS; i++) {
        struct hwc_kept_arena *kept = &lab->kept[i];
        if (kept->lent)
            continue;
        if (serves(kept, bytes, pages))
            return kept;
        if (place == NULL || worth_of(kept) < worth_of(place))
            place = kept;
    }
    return place;
}

int hwc_borrow_arena(struct hwc_lab *lab, uint64_t bytes, enum hwc_pages pages, struct hwc_arena *arena,
                     struct hwc_error *error)
{
    struct hwc_kept_arena *kept = arena_to_lend(lab, bytes, pages);

    if (kept == NULL)
        return lab->machine->ops->arena_open(lab->machine, bytes, pages, arena, error);
    if (!serves(kept, bytes, pages)) {
        hwc_close_kept(lab, kept);
        *kept = (struct hwc_kept_arena){.bytes = bytes, .pages = pages};
        TRY(lab->machine->ops->arena_open(lab->machine, bytes, pages, &kept->arena, error));
    }
    kept->lent = true;
    *arena = kept->arena;
    return HWC_OK;
}

static struct hwc_kept_arena *kept_of(struct hwc_lab *lab, const struct hwc_arena *arena)
{
    for (int i = 0; i < HWC_KEPT_ARENAS; i++)
        if (arena->handle != NULL && arena->handle == lab->kept[i].arena.handle)
            return &lab->kept[i];
    return NULL;
}

void **hwc_found_on(struct hwc_lab *lab, const struct hwc_arena *arena, enum hwc_found kind)
{
    struct hwc_kept_arena *kept = kept_of(lab, arena);

    return kept != NULL ? &kept->found[kind] : NULL;
}

void *hwc_begin_found(struct hwc_lab *lab, const struct hwc_arena *arena, enum hwc_found kind, size_t bytes)
{
    void **found = hwc_found_on(lab, arena, kind);

    if (found != NULL && *found == NULL)
        *found = calloc(1, bytes);
    return found != NULL ? *found : NULL;
}

void hwc_return_arena(struct hwc_lab *lab, struct hwc_arena *arena)
{
    struct hwc_kept_arena *kept = kept_of(lab, arena);

    if (kept != NULL)
        kept->lent = false;
    else
        hwc_close_arena(lab, arena);
}
