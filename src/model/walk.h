/* Walks: ordered references over an arena.
 *
 * A walk lists the cells that one pass visits, in order. A cell is 8 bytes,
 * addressed by its byte offset in the arena; a walk visits each of its cells
 * once a pass, but for one that `repeats`. On the native machine the cell holds the encoded index of the
 * next one (a dependent chain), so the order of a walk is fixed before it is
 * measured and costs nothing while it is.
 *
 * X-Ray's <m0,S,N> (SIGMETRICS 2005, 3.1) is hwc_walk_sequence; its sequences
 * of sequences and the evictors of lower levels are appended cell by cell. */
#ifndef HWC_WALK_H
#define HWC_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "random.h"

#define HWC_CELL_BYTES 8
/* Scattered lines lie in at most so much more than they take. */
#define HWC_SPACED_SHUFFLE UINT64_C(3)

struct hwc_arena;

/* A fetch executes the jump that lies in the cell. */
enum hwc_access { HWC_LOAD, HWC_STORE, HWC_FETCH };

/* Integer references go through the integer pipe; floating-point ones may
 * bypass the first level (Itanium 2). */
enum hwc_type { HWC_INTEGER, HWC_FLOAT };

struct hwc_walk {
    uint64_t *offsets; /* bytes from the start of the arena, multiples of HWC_CELL_BYTES */
    size_t count;
    size_t capacity;
    const struct hwc_arena *arena; /* where it lies, if not in the experiment's; NULL = it does */
    enum hwc_access access;
    enum hwc_type type;
    bool jumps; /* fetches that are timed: by jumps, which are foreseen while a branch target buffer has them, not by
                   returns that nothing foresees */
    uint32_t code_bytes; /* fetches: so many bytes of instructions, a power of two, the last of which goes on to the next
                            cell; the more there are, the less of them caches of decoded instructions hold; 0 = that
                            one alone */
    bool strands; /* nobody measures it: loads need not wait for those before, but go along several chains */
    bool repeats; /* visits cells more than once: played in order from its list, each load after the last */
    uint64_t serial; /* changes whenever the cells do; 0 = never filled */
};

/* An empty walk of integer loads. */
void hwc_walk_init(struct hwc_walk *walk);
void hwc_walk_free(struct hwc_walk *walk);
void hwc_walk_clear(struct hwc_walk *walk);

int hwc_walk_append(struct hwc_walk *walk, uint64_t offset, struct hwc_error *error);

/* Append <start, stride, count>, ascending. */
int hwc_walk_sequence(struct hwc_walk *walk, uint64_t start, uint64_t stride, size_t count, struct hwc_error *error);

/* Append the cells behind those of another walk: where these hold a chain, they are free for stores. */
int hwc_walk_beside(struct hwc_walk *walk, const struct hwc_walk *other, struct hwc_error *error);

/* Random order. As the walk is cyclic this is one uniform cycle through all
 * cells (what Sattolo's algorithm gives for a permutation). */
void hwc_walk_shuffle(struct hwc_walk *walk, struct hwc_random *random);

/* Append `lines` lines, every other one (a prefetcher of the next line, or of
 * the other of a pair, brings nothing that is wanted) and from the middle on
 * those between, so that all sets of a cache are used alike and its capacity
 * shows as a step; in random order within groups of `group_bytes` (a page: one
 * translation serves its whole visit, but prefetchers within pages may learn;
 * some pages: no prefetcher learns, but each page is translated again and
 * again), the groups in random order. The arena must have
 * HWC_SPACED_SHUFFLE * lines * line_bytes. */
int hwc_walk_spaced_shuffle(struct hwc_walk *walk, size_t lines, uint64_t line_bytes, uint64_t group_bytes,
                            struct hwc_random *random, struct hwc_error *error);

/* Go through a scattered walk in so many rounds, each of which visits every
 * `rounds`th line that it had: prefetchers that learn from many lines of a page
 * (Intel's streamer, AMD's of regions) see few, and have forgotten the page by
 * the next round where there are more pages than they remember. */
int hwc_walk_in_rounds(struct hwc_walk *walk, uint64_t line_bytes, unsigned rounds, struct hwc_error *error);

/* Move each cell by a random number of lines, less than `spacing` bytes: of
 * lines that lie `spacing` apart all sets are used, and no prefetcher knows
 * where the next one lies in its page. */
void hwc_walk_jitter(struct hwc_walk *walk, uint64_t spacing, uint64_t line_bytes, struct hwc_random *random);

/* Random order within groups of so many bytes (some pages: each is translated
 * but once a pass), the groups in random order. */
int hwc_walk_group(struct hwc_walk *walk, uint64_t group_bytes, struct hwc_random *random, struct hwc_error *error);

/* The cells changed in place: give the walk a new serial. */
void hwc_walk_touch(struct hwc_walk *walk);

#endif
