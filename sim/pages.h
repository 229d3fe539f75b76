/* The operating system's part of a simulated machine: which physical page
 * backs which virtual one. */
#ifndef HWC_SIM_PAGES_H
#define HWC_SIM_PAGES_H

#include <stdint.h>

#include "arena.h"
#include "description.h"
#include "error.h"
#include "walk.h"

struct sim_pages {
    const struct sim_description *description;
    struct hwc_random random;
    uint64_t physical_bytes;
    uint64_t next_virtual;
};

int sim_pages_init(struct sim_pages *pages, const struct sim_description *description, uint64_t seed,
                   struct hwc_error *error);
void sim_pages_free(struct sim_pages *pages);

/* The largest arena that is not sparse. */
uint64_t sim_pages_limit(const struct sim_pages *pages);

int sim_pages_map(struct sim_pages *pages, uint64_t bytes, enum hwc_pages wanted, struct hwc_arena *arena,
                  struct hwc_error *error);
void sim_pages_unmap(struct hwc_arena *arena);

void sim_pages_translate(const struct hwc_arena *arena, uint64_t offset, uint64_t *virtual_address,
                         uint64_t *physical_address);

/* How many of the arena's pages the system has merged into each page: 1 unless it grew them. */
uint64_t sim_pages_growth(const struct hwc_arena *arena);

/* Report that the walk caused `walks` page-table walks. A system that resizes
 * pages (AMP, ISPASS 2001, 3.10, of IRIX) grows those of the arena fourfold, up
 * to 16 MiB, after enough of them; true if it has just done so. Growing affects
 * only translation: frames stay where they are. */
bool sim_pages_thrash(const struct hwc_arena *arena, const struct hwc_walk *walk, uint64_t walks);

/* Give every page back; the next touch of each is a page fault. */
void sim_pages_release(const struct hwc_arena *arena);

/* Touch the walk's pages; returns how many faulted, 0 for sparse arenas. */
uint64_t sim_pages_touch(const struct hwc_arena *arena, const struct hwc_walk *walk);

#endif
