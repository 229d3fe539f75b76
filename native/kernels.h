/* The measured loops: assembler, so that no compiler changes what is measured.
 * loops.c has the loops; the folder of each architecture has their steps, and
 * its time stamps, fences and flushes.
 *
 * Chains hold encoded indices: a cell holds the number of the next cell, in
 * cells from the start of the arena, never an address that a prefetcher could
 * follow. */
#ifndef HWC_NATIVE_KERNELS_H
#define HWC_NATIVE_KERNELS_H

#include <stdint.h>

#include "drawn.h"
#include "stream.h"

/* Follow the chain for `loads` loads from cell `index` on; returns the cell it reached. */
uint64_t native_chase(const uint64_t *base, uint64_t index, uint64_t loads);

/* Follow a chain of addresses: the difference from native_chase in time is what
 * decoding an index costs. `loads` must be a multiple of 16. */
void *native_chase_addresses(void *const *first, uint64_t loads);

/* Follow the chain and time every load. Returns how many loads took more than
 * `ticks`, reading the time included. Nothing is stored meanwhile. */
uint64_t native_chase_timed(const uint64_t *base, uint64_t index, uint64_t loads, uint32_t ticks);

/* The byte offsets to load from, in order: each visit, and after each visit the
 * same followers. Followers are stored once, so that the list takes little room
 * in the caches. */
enum { NATIVE_LEAST_LINE = 16 }; /* bytes: the shortest line of any cache */

struct native_order {
    const uint32_t *visit, *follower;
    uint64_t visits, followers; /* how many of each */
    uint64_t read; /* entries that a pass of independent loads reads, from the first visit on; at least `visits` */
};

/* So many passes over the order; each load waits for the one before, and a pass's first one for the pass before: a core
 * that foresees the end of a short list would begin the next pass while it waits for a miss. The timed variant is one
 * pass, and counts slow loads as native_chase_timed does. */
void native_play_order(const char *base, const struct native_order *order, uint64_t passes);
uint64_t native_play_order_timed(const char *base, const struct native_order *order, uint32_t ticks);

/* One pass over the visits, of loads that wait for none before; there are no followers. */
void native_load_visits(const char *base, const struct native_order *order);

/* So many pairs of loads, of HWC_PAIR_GRAIN bytes each; no load waits for another. `pairs` is rounded up to a multiple
 * of NATIVE_PAIRS. */
enum { NATIVE_PAIRS = 16 };
void native_load_pairs(const char *first, const char *second, uint64_t pairs);
void native_load_float_pairs(const char *first, const char *second, uint64_t pairs);

/* So many loads of drawn cells; each waits for the one before. `state` is that of hwc_draws. */
void native_play_drawn(const char *base, const struct hwc_drawn *drawn, uint64_t *state, uint64_t loads);

/* One pass over a list of byte offsets: loads of integers or of doubles, or stores. */
void native_load_integers(const char *base, const uint64_t *offsets, uint64_t count);
void native_load_doubles(const char *base, const uint64_t *offsets, uint64_t count);
void native_store(char *base, const uint64_t *offsets, uint64_t count);

/* So many passes of a stream, by the longest vectors that this CPU has. Stores go through the caches. */
void native_play_stream(const struct hwc_stream *stream, char *base, uint64_t passes);

typedef void (*const native_stream_loop[HWC_STREAMS])(char *base, uint64_t bytes, uint64_t passes);

/* Can user code flush a line from every cache by an instruction? */
int native_can_flush(void);
void native_flush_line(const void *address);

/* Wait until all loads, stores and flushes are done. */
void native_fence(void);

/* A time stamp taken after all earlier loads and before any later one. */
uint64_t native_ticks(void);

/* `count` dependent additions, register to register. `count` is rounded down to a multiple of 16, here and below. */
void native_add_chain(uint64_t count);

/* `count` additions in each of five independent chains. */
void native_add_side_by_side(uint64_t count);

/* The same in ten chains, more than nearly any core begins in a cycle. `count` is rounded down to a multiple of 4. */
void native_fill_core(uint64_t count);

#endif
