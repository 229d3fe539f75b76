#include "line_placement.h"

#include <stdlib.h>

static const struct {
    size_t turn;
    uint64_t few, many;
    uint64_t cell; /* bytes */
    uint64_t block;
} policy = {
    /* References take all lines of a page in turn; each round starts later, so that page and line are unrelated. */
    .turn = 5,
    /* Lines that fill at most an eighth of the first cache never miss it, whichever sets they lie in. In a walk over
     * more than eight times what it holds, prefetched lines are evicted before they are used. */
    .few = 8,
    .many = 8,
    .cell = 16, /* the size of the code emitted in it */
    .block = 512, /* bytes: no line is longer, and no level's period shorter than two */
};

/* The line of the first level, or a size surely no shorter; code is spread in the same way. */
static uint64_t line_of(const struct hwc_lab *lab)
{
    uint64_t page = hwc_smallest_entry(lab->machine);
    uint64_t line = lab->known->level[1].fill_bytes;

    line = line >= 64 ? line : 64;
    return line <= page ? line : page;
}

size_t hwc_lines_before_repeat(const struct hwc_lab *lab)
{
    return (size_t)(hwc_smallest_entry(lab->machine) / line_of(lab));
}

uint64_t hwc_line_in_page(const struct hwc_lab *lab, size_t i)
{
    size_t lines = hwc_lines_before_repeat(lab);

    return (i + i / lines * policy.turn) % lines * line_of(lab);
}

struct hwc_part_of_page hwc_part_of_page(const struct hwc_lab *lab, size_t part, size_t parts)
{
    uint64_t lines = hwc_smallest_entry(lab->machine) / lab->known->level[1].line_bytes;

    return (struct hwc_part_of_page){part * lines / parts, (part + 1) * lines / parts};
}

/* Anywhere in its part, but not right behind the last one. */
static uint64_t draw_place(struct hwc_lab *lab, const struct hwc_part_of_page *of, uint64_t last)
{
    uint64_t place;

    do
        place = of->from + hwc_random_below(&lab->random, of->to - of->from);
    while (place == last + 1);
    return place;
}

void hwc_draw_places(struct hwc_lab *lab, size_t parts, uint64_t line, uint64_t *moved)
{
    uint64_t bytes = lab->known->level[1].line_bytes, page = hwc_smallest_entry(lab->machine), last = UINT64_MAX - 1;
    bool few = page / bytes < 2 * parts; /* then there is none between two: every other one serves */

    for (size_t part = 0; part < parts; part++) {
        const struct hwc_part_of_page of = hwc_part_of_page(lab, few ? part / 2 * 2 : part, parts);
        last = few ? of.from : draw_place(lab, &of, last);
        moved[part] = (last * bytes) ^ (line % page / bytes * bytes);
    }
}

int hwc_walk_pages(struct hwc_lab *lab, struct hwc_walk *walk, size_t count, uint64_t from, uint64_t stride,
                   size_t first, struct hwc_error *error)
{
    int status = HWC_OK;

    for (size_t i = 0; i < count && status == HWC_OK; i++)
        status = hwc_walk_append(walk, from + i * stride + hwc_line_in_page(lab, first + i), error);
    hwc_walk_shuffle(walk, &lab->random);
    return status;
}

/* The walk's first cache: for fetches that of instructions, if it is known. */
static const struct hwc_level *first_of(const struct hwc_lab *lab, const struct hwc_walk *walk)
{
    return walk->access == HWC_FETCH && lab->known->code.size_bytes > 0 ? &lab->known->code : &lab->known->level[1];
}

/* The distance between cells in the same set of the first cache and at the same
 * place in a page: the cache's period, or whole periods of at least a page. Where
 * the lines are so few that sets do not matter, the least, for the fewest pages. */
static uint64_t same_sets(const struct hwc_lab *lab, const struct hwc_level *first, size_t lines)
{
    uint64_t least = hwc_smallest_entry(lab->machine), page = lab->machine->page_bytes;
    uint64_t period = first->period_bytes;
    bool few = lines <= least / line_of(lab) / 2 && lines * line_of(lab) * policy.few <= first->size_bytes;

    if (few)
        return least;
    if (period == 0)
        return page;
    return period >= page ? period : (page + period - 1) / period * period;
}

size_t hwc_visits_to_a_page(const struct hwc_lab *lab)
{
    return (size_t)hwc_smallest_entry(lab->machine) / policy.cell;
}

uint64_t hwc_line_of_visit(const struct hwc_lab *lab, size_t page, size_t n)
{
    size_t lines = hwc_lines_before_repeat(lab);

    return (page + n) % lines * line_of(lab) + n / lines * policy.cell;
}

/* The state of packing. */
struct packing {
    uint64_t line, apart;
    size_t parts; /* blocks that share out the lines of so many places in turn */
    size_t turn;  /* a block of each part, and of none, comes after so many */
    size_t *taken; /* cells packed so far, by line within `apart` bytes */
};

/* Lines that a level below holds as one would take less room there than where each has a page of its own; so of its
 * parts, no two lie in one block of `apart` bytes. Nor do neighbouring lines, as prefetching would help, unless packing is
 * close: of every three blocks the first takes even lines, the second odd ones. Three, because an even number would leave
 * out sets of the caches below, which would then overflow sooner than with the lines spread. */
static void share_out(struct packing *packing, const struct hwc_lab *lab, bool close)
{
    size_t of_longest = (size_t)(hwc_longest_line(lab, lab->known->levels) / packing->line);

    packing->parts = close ? 1 : 2;
    if (of_longest > packing->parts)
        packing->parts = of_longest;
    packing->turn = packing->parts == 1 ? 1 : packing->parts + 1;
}

static uint64_t place(struct packing *packing, uint64_t offset)
{
    uint64_t at = offset % packing->apart;
    uint64_t row = packing->taken[at / packing->line]++;

    return at + (packing->turn * row + at / packing->line % packing->parts) * packing->apart;
}

struct visit {
    uint64_t offset;
    size_t index;
};

static int by_offset(const void *left, const void *right)
{
    const struct visit *a = left, *b = right;

    if (a->offset != b->offset)
        return a->offset < b->offset ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

/* For each visit of a walk, the first visit to the same cell. The caller frees it; NULL without memory. */
static size_t *first_visits(const struct hwc_walk *walk)
{
    struct visit *visits = malloc((walk->count + 1) * sizeof *visits);
    size_t *first = visits != NULL ? malloc((walk->count + 1) * sizeof *first) : NULL;

    if (first == NULL) {
        free(visits);
        return NULL;
    }
    for (size_t i = 0; i < walk->count; i++)
        visits[i] = (struct visit){walk->offsets[i], i};
    qsort(visits, walk->count, sizeof *visits, by_offset);
    for (size_t i = 0, k = 0; i < walk->count; i++) {
        k = visits[i].offset == visits[k].offset ? k : i;
        first[visits[i].index] = visits[k].index;
    }
    free(visits);
    return first;
}

static int pack(struct packing *packing, const struct hwc_walk *spread, struct hwc_walk *packed,
                struct hwc_error *error)
{
    size_t *first = spread->repeats ? first_visits(spread) : NULL;
    int status = HWC_OK;

    if (spread->repeats && first == NULL)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory for a walk of %zu references", spread->count);
    hwc_walk_clear(packed);
    packed->access = spread->access;
    packed->repeats = spread->repeats;
    for (size_t i = 0; i < spread->count && status == HWC_OK; i++)
        status = hwc_walk_append(packed, first != NULL && first[i] < i ? packed->offsets[first[i]]
                                                                       : place(packing, spread->offsets[i]), error);
    free(first);
    return status;
}

int hwc_walk_pack(struct hwc_lab *lab, const struct hwc_walk *spread, size_t at_a_time, struct hwc_walk *packed,
                  struct hwc_error *error)
{
    const struct hwc_level *first = first_of(lab, spread);
    struct packing packing = {.line = first->line_bytes > line_of(lab) ? first->line_bytes : line_of(lab),
                              .apart = same_sets(lab, first, spread->count)};
    int status;

    /* Only the first part of a large page is used, so packed lines need many pages. */
    share_out(&packing, lab,
              lab->machine->page_bytes > hwc_smallest_entry(lab->machine) &&
                  spread->count * packing.line > policy.many * first->size_bytes);
    packing.taken = calloc((size_t)(packing.apart / packing.line) + 1, sizeof *packing.taken);
    if (packing.taken == NULL)
        return hwc_fail(error, HWC_NO_MEMORY, "no memory for a walk of %zu references", spread->count);
    status = pack(&packing, spread, packed, error);
    free(packing.taken);
    if (status != HWC_OK || spread->repeats)
        return status;
    return hwc_walk_group(packed, at_a_time * lab->machine->page_bytes, &lab->random, error);
}

/* A page, or a level's period, if that is shorter. */
static uint64_t nearest_alike(const struct hwc_lab *lab)
{
    uint64_t nearest = hwc_smallest_entry(lab->machine);

    for (unsigned i = 1; i <= HWC_MAX_CACHE_LEVEL; i++) {
        uint64_t period = lab->known->level[i].period_bytes;
        if (period > 0 && period < nearest)
            nearest = period;
    }
    return nearest;
}

int hwc_draw_mate(struct hwc_lab *lab, uint64_t line, struct hwc_walk *mate, struct hwc_error *error)
{
    uint64_t blocks = nearest_alike(lab) / policy.block, cells = policy.block / HWC_CELL_BYTES;
    uint64_t apart = blocks > 2 ? 1 + hwc_random_below(&lab->random, blocks - 1) : 1;
    uint64_t block = (line / policy.block) ^ apart;

    hwc_walk_clear(mate);
    mate->independent = true; /* nothing is written to it, which a prefetcher would learn from, too */
    return hwc_walk_append(mate, block * policy.block + hwc_random_below(&lab->random, cells) * HWC_CELL_BYTES, error);
}
