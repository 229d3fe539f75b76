#include "kept_arena.h"

static bool serves(const struct hwc_kept_arena *kept, uint64_t bytes, enum hwc_pages pages)
{
    return kept->arena.handle != NULL && kept->bytes == bytes && kept->pages == pages;
}

int hwc_borrow_arena(struct hwc_lab *lab, uint64_t bytes, enum hwc_pages pages, struct hwc_arena *arena,
                     struct hwc_error *error)
{
    struct hwc_kept_arena *kept = &lab->kept;

    if (kept->lent)
        return lab->machine->ops->arena_open(lab->machine, bytes, pages, arena, error);
    if (!serves(kept, bytes, pages)) {
        hwc_close_arena(lab, &kept->arena);
        *kept = (struct hwc_kept_arena){.bytes = bytes, .pages = pages};
        TRY(lab->machine->ops->arena_open(lab->machine, bytes, pages, &kept->arena, error));
    }
    kept->lent = true;
    *arena = kept->arena;
    return HWC_OK;
}

void hwc_return_arena(struct hwc_lab *lab, struct hwc_arena *arena)
{
    if (arena->handle != NULL && arena->handle == lab->kept.arena.handle)
        lab->kept.lent = false;
    else
        hwc_close_arena(lab, arena);
}
