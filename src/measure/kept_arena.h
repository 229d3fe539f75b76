/* An arena that stays open for the next look of its kind: fresh pages cost the host of a virtual machine more than most
 * questions that are asked of them. */
#ifndef HWC_KEPT_ARENA_H
#define HWC_KEPT_ARENA_H

#include "lab.h"

/* An arena of so many bytes: one that was returned if it is of that kind, or else a fresh one. May fail as opening one
 * does. */
int hwc_borrow_arena(struct hwc_lab *lab, uint64_t bytes, enum hwc_pages pages, struct hwc_arena *arena,
                     struct hwc_error *error);

/* Give it back, borrowed or not; does nothing if it was never opened (all zero). */
void hwc_return_arena(struct hwc_lab *lab, struct hwc_arena *arena);

/* Where to keep what of a kind was found on a borrowed arena, in memory of malloc's, for who borrows it next; it is freed
 * when the arena is closed. NULL = the arena is not kept. */
void **hwc_found_on(struct hwc_lab *lab, const struct hwc_arena *arena, enum hwc_found kind);

/* What is there already, or so many bytes, all zero, to begin with. NULL = the arena is not kept, or there is no memory. */
void *hwc_begin_found(struct hwc_lab *lab, const struct hwc_arena *arena, enum hwc_found kind, size_t bytes);

void hwc_close_kept(struct hwc_lab *lab, struct hwc_kept_arena *kept);

#endif
