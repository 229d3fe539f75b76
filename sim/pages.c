#include "pages.h"

#include <stdlib.h>
#include <string.h>

#include "statistics.h"

/* Numbers of lines (of 8 bytes and more) and of virtual pages (of 256 bytes and more) must fit 32 bits. */
static const struct {
    uint64_t physical_bytes, arena_bytes, first_virtual, last_virtual;
} space = {UINT64_C(1) << 34, UINT64_C(1) << 36, UINT64_C(1) << 36, UINT64_C(1) << 39};

struct mapping {
    uint64_t virtual_start;
    unsigned page_shift;
    uint64_t pages;
    uint64_t *frame; /* physical page number, by virtual page of the arena; NULL if the arena is sparse */
    unsigned char *touched;
    unsigned grown_shift;   /* page_shift after the system has grown the pages */
    uint64_t walks;         /* page-table walks since the pages last grew */
    uint64_t first, frames; /* sparse: the first frame, or the hash's offset; number of frames */
    bool contiguous;
};

int sim_pages_init(struct sim_pages *pages, const struct sim_description *description, uint64_t seed,
                   struct hwc_error *error)
{
    (void)error;
    *pages = (struct sim_pages){.description = description, .physical_bytes = space.physical_bytes};
    hwc_random_seed(&pages->random, seed ^ UINT64_C(0x9a6e5));
    pages->next_virtual = space.first_virtual;
    return HWC_OK;
}

void sim_pages_free(struct sim_pages *pages)
{
    *pages = (struct sim_pages){0};
}

uint64_t sim_pages_limit(const struct sim_pages *pages)
{
    return pages->physical_bytes / 4;
}

/* Distinct random frames: draw, sort, redraw what was drawn twice, shuffle. */
static void draw_frames(struct sim_pages *pages, struct mapping *mapping)
{
    uint64_t frames = pages->physical_bytes >> mapping->page_shift;
    bool twice = true;

    for (uint64_t i = 0; i < mapping->pages; i++)
        mapping->frame[i] = hwc_random_below(&pages->random, frames);
    while (twice) {
        twice = false;
        hwc_sort_integers(mapping->frame, mapping->pages);
        for (uint64_t i = 1; i < mapping->pages; i++)
            if (mapping->frame[i] == mapping->frame[i - 1]) {
                mapping->frame[i - 1] = hwc_random_below(&pages->random, frames);
                twice = true;
            }
    }
    hwc_random_shuffle(&pages->random, mapping->frame, mapping->pages);
}

static void run_of_frames(struct sim_pages *pages, struct mapping *mapping)
{
    uint64_t frames = pages->physical_bytes >> mapping->page_shift;
    uint64_t first = hwc_random_below(&pages->random, frames - mapping->pages + 1);

    for (uint64_t i = 0; i < mapping->pages; i++)
        mapping->frame[i] = first + i;
}

static uint64_t page_size_for(const struct sim_pages *pages, enum hwc_pages wanted)
{
    const struct sim_description *description = pages->description;

    if (hwc_is_large(wanted) && description->superpages > 0)
        return description->superpage[description->superpages - 1];
    return description->page_bytes;
}

/* A sparse arena has far more pages than are ever touched, so their frames are
 * computed, not stored. Two pages may get the same frame, which does no harm. */
static void map_sparsely(struct sim_pages *pages, struct mapping *mapping)
{
    mapping->frames = pages->physical_bytes >> mapping->page_shift;
    mapping->contiguous = pages->description->contiguous;
    mapping->first = hwc_random_below(&pages->random, mapping->frames);
}

static uint64_t sparse_frame(const struct mapping *mapping, uint64_t page)
{
    uint64_t hash = (page + mapping->first) * UINT64_C(0x9e3779b97f4a7c15);

    return (mapping->contiguous ? mapping->first + page : hash >> 20) % mapping->frames;
}

int sim_pages_map(struct sim_pages *pages, uint64_t bytes, enum hwc_pages wanted, struct hwc_arena *arena,
                  struct hwc_error *error)
{
    uint64_t page_bytes = page_size_for(pages, wanted);
    bool sparse = hwc_is_sparse(wanted);
    uint64_t most = sparse ? space.arena_bytes : sim_pages_limit(pages);
    struct mapping *mapping;

    if (bytes > most)
        return hwc_fail(error, HWC_NO_MEMORY, "%llu bytes are more than the simulated machine's %llu",
                        (unsigned long long)bytes, (unsigned long long)most);
    mapping = calloc(1, sizeof *mapping);
    if (mapping != NULL) {
        mapping->pages = (bytes + page_bytes - 1) / page_bytes;
        while ((UINT64_C(1) << mapping->page_shift) < page_bytes)
            mapping->page_shift++;
        mapping->grown_shift = mapping->page_shift;
        mapping->frame = sparse ? NULL : malloc(mapping->pages * sizeof *mapping->frame);
        mapping->touched = sparse ? NULL : calloc(mapping->pages, 1);
    }
    if (mapping == NULL || (!sparse && (mapping->frame == NULL || mapping->touched == NULL))) {
        arena->handle = mapping;
        if (mapping != NULL)
            sim_pages_unmap(arena);
        return hwc_fail(error, HWC_NO_MEMORY, "no memory for a simulated arena");
    }
    if (pages->next_virtual + bytes > space.last_virtual)
        pages->next_virtual = space.first_virtual; /* the arenas that lay there were closed long ago */
    mapping->virtual_start = pages->next_virtual;
    pages->next_virtual += (mapping->pages * page_bytes + (UINT64_C(1) << 30)) & ~((UINT64_C(1) << 30) - 1);
    if (sparse)
        map_sparsely(pages, mapping);
    else if (pages->description->contiguous)
        run_of_frames(pages, mapping);
    else
        draw_frames(pages, mapping);
    *arena = (struct hwc_arena){
        .bytes = mapping->pages * page_bytes,
        .page_bytes = page_bytes,
        .contiguous_bytes = pages->description->contiguous ? HWC_ALL_CONTIGUOUS : page_bytes,
        .handle = mapping,
    };
    return HWC_OK;
}

void sim_pages_unmap(struct hwc_arena *arena)
{
    struct mapping *mapping = arena->handle;

    free(mapping->frame);
    free(mapping->touched);
    free(mapping);
    arena->handle = NULL;
}

void sim_pages_translate(const struct hwc_arena *arena, uint64_t offset, uint64_t *virtual_address,
                         uint64_t *physical_address)
{
    const struct mapping *mapping = arena->handle;
    uint64_t within = (UINT64_C(1) << mapping->page_shift) - 1;
    uint64_t page;

    *virtual_address = mapping->virtual_start + offset;
    page = offset >> mapping->page_shift;
    *physical_address =
        (mapping->frame != NULL ? mapping->frame[page] : sparse_frame(mapping, page)) << mapping->page_shift |
        (offset & within);
}

uint64_t sim_pages_growth(const struct hwc_arena *arena)
{
    const struct mapping *mapping = arena->handle;

    return UINT64_C(1) << (mapping->grown_shift - mapping->page_shift);
}

/* Does the walk have at least one reference per two pages, from its first page to
 * its last? A system that merges pages wants most of them used. */
static bool is_dense(const struct mapping *mapping, const struct hwc_walk *walk)
{
    uint64_t first = UINT64_MAX, last = 0;

    for (size_t i = 0; i < walk->count; i++) {
        uint64_t page = walk->offsets[i] >> mapping->page_shift;
        first = page < first ? page : first;
        last = page > last ? page : last;
    }
    return walk->count > 1 && walk->count * 2 >= last - first + 1;
}

/* An operating system grows pages that thrash: fourfold after each `walks` page-table walks, up to 16 MiB. */
static const struct {
    uint64_t walks;
    unsigned shift, largest_shift;
} growth = {16384, 2, 24};

bool sim_pages_thrash(const struct hwc_arena *arena, const struct hwc_walk *walk, uint64_t walks)
{
    struct mapping *mapping = arena->handle;

    if (walks == 0 || mapping->grown_shift + growth.shift > growth.largest_shift || !is_dense(mapping, walk))
        return false;
    mapping->walks += walks;
    if (mapping->walks < growth.walks)
        return false;
    mapping->walks = 0;
    mapping->grown_shift += growth.shift;
    return true;
}

void sim_pages_release(const struct hwc_arena *arena)
{
    struct mapping *mapping = arena->handle;

    if (mapping->touched != NULL)
        memset(mapping->touched, 0, mapping->pages);
}

uint64_t sim_pages_touch(const struct hwc_arena *arena, const struct hwc_walk *walk)
{
    struct mapping *mapping = arena->handle;
    uint64_t faults = 0;

    for (size_t i = 0; mapping->touched != NULL && i < walk->count; i++) {
        unsigned char *touched = &mapping->touched[walk->offsets[i] >> mapping->page_shift];
        faults += *touched == 0;
        *touched = 1;
    }
    return faults;
}
