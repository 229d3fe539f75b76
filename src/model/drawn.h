/* References drawn at random, each independent of those before it.
 *
 * A cache or TLB that is full of the cells drawn from serves as large a share of
 * them as it holds, whatever its replacement policy and however it is indexed,
 * and no prefetcher can predict them (W. F. King, Analysis of demand paging
 * algorithms, IFIP 1971, for equal probabilities).
 *
 * Cells lie `spacing` bytes apart. Drawn from all of them, nearly every reference
 * would be to another page; so that time goes to the data and not to translation,
 * a visit draws a group of cells first, and then several of its cells. What one
 * visit leaves says nothing of the group of the next. Within a visit, cells are
 * of different blocks, and none is another's neighbour, as a miss may bring its
 * neighbours, too. */
#ifndef HWC_DRAWN_H
#define HWC_DRAWN_H

#include <stdint.h>

struct hwc_drawn {
    uint64_t references; /* a pass; 0 = the walk is played in its order */
    uint64_t cells, spacing;
    /* Each cell lies a line (2^line_shift bytes) further into its page (2^page_shift bytes) than the one before, and another
     * line after every round through the page: a line in each page then uses all sets alike, also of first levels with
     * ways of several pages. page_shift 0 = all as far as each other. */
    unsigned line_shift, page_shift;
    uint64_t visit;         /* references, at most as many as a group has blocks; 0 = each is drawn from all cells */
    uint64_t blocks, block; /* blocks of a group and cells of a block: powers of two; the cells are whole groups */
};

static inline uint64_t hwc_drawn_offset(const struct hwc_drawn *drawn, uint64_t cell)
{
    uint64_t line = (cell + (cell >> (drawn->page_shift - drawn->line_shift))) << drawn->line_shift;

    return cell * drawn->spacing + (line & ((UINT64_C(1) << drawn->page_shift) - 1));
}

/* Bytes that hold all cells. */
static inline uint64_t hwc_drawn_bytes(const struct hwc_drawn *drawn)
{
    return drawn->cells * drawn->spacing + ((UINT64_C(1) << drawn->page_shift) - 1);
}

/* Draws go on from pass to pass, as a repeated sequence would no longer be independent: `state` is kept. Each pass begins
 * with a visit of its own, as the one before may have been over other cells. */
struct hwc_draws {
    uint64_t state;
    uint64_t first, at, apart, turn, left; /* of the current visit */
};

static inline uint64_t hwc_draw_below(uint64_t *state, uint64_t below)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407); /* Knuth, MMIX */
    return (*state >> 32) * below >> 32;
}

static inline void hwc_draw_group(struct hwc_draws *draws, const struct hwc_drawn *drawn)
{
    uint64_t group = drawn->blocks * drawn->block, bits;

    draws->first = hwc_draw_below(&draws->state, drawn->cells / group) * group;
    bits = hwc_draw_below(&draws->state, UINT32_MAX);
    draws->at = bits;
    draws->apart = bits >> 11 | 1; /* odd: it passes every block of the group before it repeats */
    draws->turn = bits >> 21;
    draws->left = drawn->visit;
}

/* The next cell of a visit. Folded, as equal distances could be learned. Where in their blocks two neighbouring blocks'
 * cells lie differs in one bit at most, and not in the lowest (a Gray code): never the last of one and the first of the
 * next. */
static inline uint64_t hwc_draw_in_group(struct hwc_draws *draws, const struct hwc_drawn *drawn)
{
    uint64_t block = draws->at & (drawn->blocks - 1);

    draws->at += draws->apart;
    draws->left--;
    block ^= block >> 3;
    return draws->first + block * drawn->block + ((draws->turn ^ (block ^ block >> 1) << 1) & (drawn->block - 1));
}

static inline uint64_t hwc_draw_cell(struct hwc_draws *draws, const struct hwc_drawn *drawn)
{
    if (drawn->visit == 0)
        return hwc_draw_below(&draws->state, drawn->cells);
    if (draws->left == 0)
        hwc_draw_group(draws, drawn);
    return hwc_draw_in_group(draws, drawn);
}

#endif
