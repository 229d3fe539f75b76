/* Walks: ordered references over an arena.
 *
 * A walk lists the cells that one pass visits, in order. A cell is 8 bytes,
 * addressed by its byte offset in the arena; unless it `repeats`, a walk visits
 * each of its cells once a pass. On the native machine a cell holds the encoded
 * index of the next one (a dependent chain), so that the order is fixed before
 * the measurement and costs nothing during it.
 *
 * X-Ray's <m0,S,N> (SIGMETRICS 2005, 3.1) is hwc_walk_sequence; its sequences
 * of sequences and the evictors of lower levels are appended cell by cell. */
#ifndef HWC_WALK_H
#define HWC_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "body.h"
#include "drawn.h"
#include "error.h"
#include "random.h"
#include "stream.h"

#define HWC_CELL_BYTES 8
/* Bytes that each load of a pair has. */
#define HWC_PAIR_GRAIN 4
/* The lines of a spaced shuffle are spread over at most this many times their own bytes. */
#define HWC_SPACED_SHUFFLE UINT64_C(3)

struct hwc_arena;

/* A fetch executes the code in the cell, which goes on to the next. */
enum hwc_access { HWC_LOAD, HWC_STORE, HWC_FETCH };

/* Integer references go through the integer pipe; floating-point ones may
 * bypass the first level (Itanium 2). */
enum hwc_type { HWC_INTEGER, HWC_FLOAT };

struct hwc_walk {
    uint64_t *offsets; /* bytes from the start of the arena, multiples of HWC_CELL_BYTES */
    size_t count;
    size_t capacity;
    const struct hwc_arena *arena; /* the walk's arena; NULL = the experiment's */
    enum hwc_access access;
    enum hwc_type type;
    bool jumps; /* timed fetches use jumps, which are predicted while a branch target buffer holds them, instead of
                   returns, which nothing predicts */
    uint32_t code_bytes; /* fetches: bytes of code in each cell, a power of two, ending with the transfer to the next
                            cell; the more code, the less of it fits in caches of decoded instructions; 0 = the
                            transfer alone */
    bool independent; /* the walk is not timed: its loads wait for none before, so that the core overlaps them; cells may
                         come more than once */
    struct hwc_drawn drawn; /* if it has references: they are loads of cells drawn at random, each dependent on the one
                               before, and offsets lists the cells in ascending order from 0 */
    struct hwc_stream stream; /* if it has bytes: all of them are read, written or copied, not the cells alone, of which
                                 offsets has one for each line, in the order of the stream; it cannot be flushed */
    bool pairs; /* two offsets, multiples of HWC_PAIR_GRAIN: loads of so many bytes of one and of the other in turn, of
                   which none waits for another; a pass has one of each. It is independent, too, and is timed */
    const struct hwc_body *body; /* NULL = none; else a pass is one turn of a loop with this body, whose first chain are the
                                    walk's even cells, and the second one the odd ones; every pass begins where the last
                                    one ended, and a step at the first cells */
    bool repeats; /* visits cells more than once: played from a list, each load dependent on the one before */
    uint64_t serial; /* changes whenever the cells or their order do; 0 = never filled */
    uint64_t cells_serial; /* stays where only their order changes */
};

/* An empty walk of integer loads. */
void hwc_walk_init(struct hwc_walk *walk);
void hwc_walk_free(struct hwc_walk *walk);
void hwc_walk_clear(struct hwc_walk *walk);

int hwc_walk_append(struct hwc_walk *walk, uint64_t offset, struct hwc_error *error);
int hwc_walk_append_all(struct hwc_walk *walk, const uint64_t *offsets, size_t count, struct hwc_error *error);

/* Append <start, stride, count>, ascending. */
int hwc_walk_sequence(struct hwc_walk *walk, uint64_t start, uint64_t stride, size_t count, struct hwc_error *error);

/* Append the cells that are drawn from, in ascending order. The walk itself is played in this order: who wants the draws
 * sets its `drawn`. */
int hwc_walk_cells(struct hwc_walk *walk, const struct hwc_drawn *drawn, struct hwc_error *error);

/* Become a stream over lines of so many bytes: of a copy, each that is read comes before the one that it is written to.
 * Its bytes are a multiple of HWC_STREAM_GRAIN and of two lines. */
int hwc_walk_stream(struct hwc_walk *walk, const struct hwc_stream *stream, uint64_t line_bytes,
                    struct hwc_error *error);

/* Become pairs of loads at these two offsets. */
int hwc_walk_pairs(struct hwc_walk *walk, uint64_t first, uint64_t second, struct hwc_error *error);

static inline bool hwc_walk_is_stream(const struct hwc_walk *walk)
{
    return walk->stream.bytes > 0;
}

/* Are its references drawn? */
static inline bool hwc_walk_is_drawn(const struct hwc_walk *walk)
{
    return walk->drawn.references > 0;
}

/* References a pass; a turn of a loop counts as one. */
uint64_t hwc_walk_references(const struct hwc_walk *walk);

/* Append the cell after each cell of another walk: stores there do not overwrite that walk's chain. */
int hwc_walk_beside(struct hwc_walk *walk, const struct hwc_walk *other, struct hwc_error *error);

/* Random order. As a walk is cyclic, this gives a uniformly random cycle through
 * all cells (as Sattolo's algorithm does for a permutation). */
void hwc_walk_shuffle(struct hwc_walk *walk, struct hwc_random *random);

/* Append `lines` lines: the even ones in the first half of the range, the odd
 * ones in the second. Next-line and adjacent-line prefetchers then fetch nothing
 * useful, and all sets of a cache are used alike, so that its capacity shows as
 * a step. The order is random within groups of `group_bytes`, as is the order of
 * the groups. With one page per group, a page is translated once a pass, but
 * prefetchers within pages may learn; with several, no prefetcher learns, but
 * each page is translated repeatedly. The arena must have
 * HWC_SPACED_SHUFFLE * lines * line_bytes. */
int hwc_walk_spaced_shuffle(struct hwc_walk *walk, size_t lines, uint64_t line_bytes, uint64_t group_bytes,
                            struct hwc_random *random, struct hwc_error *error);

/* Reorder a spaced shuffle into `rounds` rounds, each of which visits every
 * `rounds`th of its lines: prefetchers that learn from many lines of a page
 * (Intel's streamer, AMD's region prefetcher) see few of them, and have forgotten
 * the page by the next round if there are more pages than they track. */
int hwc_walk_in_rounds(struct hwc_walk *walk, uint64_t line_bytes, unsigned rounds, struct hwc_error *error);

/* Move each cell by a random number of lines, less than `spacing` bytes. Lines
 * that were `spacing` apart then use all sets, and no prefetcher can predict
 * where in its page the next one lies. */
void hwc_walk_jitter(struct hwc_walk *walk, uint64_t spacing, uint64_t line_bytes, struct hwc_random *random);

/* Random order within groups of `group_bytes`, and of the groups. With groups of
 * a few pages, each page is translated only once a pass. */
int hwc_walk_group(struct hwc_walk *walk, uint64_t group_bytes, struct hwc_random *random, struct hwc_error *error);

/* The cells changed in place: give the walk new serials. */
void hwc_walk_touch(struct hwc_walk *walk);

/* Bring `count` cells from `from` on into a random order. Quick, as it is done between readings. */
void hwc_walk_reorder(struct hwc_walk *walk, size_t from, size_t count, struct hwc_random *random);

#endif
