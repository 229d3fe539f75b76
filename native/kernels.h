/* The measured loops: assembler, so that no compiler changes what is measured.
 *
 * Chains hold encoded indices: a cell holds the number of the next cell, in
 * cells from the start of the arena, never an address that a prefetcher could
 * follow. */
#ifndef HWC_NATIVE_KERNELS_H
#define HWC_NATIVE_KERNELS_H

#include <stdint.h>

/* Follow the chain for `loads` loads from cell `index` on; returns where it got. */
uint64_t native_chase(const uint64_t *base, uint64_t index, uint64_t loads);

/* Follow so many chains side by side, from their cells `first` on, for `loads` loads each. */
#define NATIVE_STRANDS 8
void native_chase_strands(const uint64_t *base, const uint64_t first[NATIVE_STRANDS], uint64_t loads);

/* The same through addresses: the difference in time is what decoding costs. */
void *native_chase_addresses(void *const *first, uint64_t loads);

/* The same, timing every load: how many took more than so many ticks, the
 * reading of the time included. Nothing is stored on the way. */
uint64_t native_chase_timed(const uint64_t *base, uint64_t index, uint64_t loads, uint32_t ticks);

/* Loads in the order of byte offsets, and behind each the same others: so short
 * a list takes little room in the caches. */
struct native_order {
    const uint32_t *offset, *behind;
    uint64_t offsets, behinds;
};

/* One pass over it, each load after the one before. `timed` counts slow loads
 * as native_chase_timed does. */
void native_list(const char *base, const struct native_order *order);
uint64_t native_list_timed(const char *base, const struct native_order *order, uint32_t ticks);

/* One pass over a list of byte offsets: loads of integers or doubles, or stores. */
void native_load_integers(const char *base, const uint64_t *offsets, uint64_t count);
void native_load_doubles(const char *base, const uint64_t *offsets, uint64_t count);
void native_store(char *base, const uint64_t *offsets, uint64_t count);

/* Put a line out of every cache. False where the machine has no instruction
 * for it that user code may use. */
int native_can_flush(void);
void native_flush_line(const void *address);
void native_fence(void);

/* A time stamp that no earlier load passes and that passes no later one. */
uint64_t native_ticks(void);

/* The CPU that the thread runs on, where it costs next to nothing to know; else -1. */
int native_cpu_now(void);

/* `count` dependent additions, register to register. */
void native_add_chain(uint64_t count);

/* So many additions in each of five chains, which need not wait for each other. */
void native_add_side_by_side(uint64_t count);

#endif
