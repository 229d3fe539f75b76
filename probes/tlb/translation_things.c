#include "translation_things.h"

#include "statistics.h"

/* Things `from` to `to`, in a random order. */
static int lay_out_things(const struct hwc_translation *translation, struct hwc_walk *walk, uint64_t stride, size_t from,
                          size_t to, struct hwc_error *error)
{
    unsigned each = translation->pair_distance > 0 ? 2 : 1;

    hwc_walk_clear(walk);
    for (size_t i = each * from; i < each * to; i++) {
        size_t thing = i / each;
        uint64_t aside = translation->base + thing % 2 * translation->moved + i % each * translation->pair_distance;
        TRY(hwc_walk_append(walk, thing * stride + aside + hwc_line_in_page(translation->lab, i), error));
    }
    hwc_walk_shuffle(walk, &translation->lab->random);
    return HWC_OK;
}

int hwc_append_things(struct hwc_translation *translation, uint64_t stride, size_t count, struct hwc_error *error)
{
    return lay_out_things(translation, &translation->walk, stride, 0, count, error);
}

/* Twice as many further things leave no entry to these if they are too many, nor to what the first level holds. (Not so
 * for code, as further jumps take room in branch predictors, nor for large pages, which take real memory.) */
static int lay_out_others(struct hwc_translation *translation, uint64_t stride, size_t count, struct hwc_error *error)
{
    uint64_t room = (translation->arena.bytes - translation->base - translation->moved) / stride;
    size_t more = 2 * (count > translation->above.entries ? count : (size_t)translation->above.entries);

    hwc_walk_clear(&translation->others);
    if (translation->code || translation->large || room <= 2 * count)
        return HWC_OK;
    return lay_out_things(translation, &translation->others, stride, count, hwc_lesser(count + more, room - 1), error);
}

/* This many things evict each other from the first level. */
static size_t evict_themselves(const struct hwc_translation *translation)
{
    return (size_t)(translation->above.entries + translation->above.entries / 4 + 1);
}

/* The next odd multiple of the first level's period that shares no set of this
 * level with things: not where things were moved to, nor, if this level's period
 * is known, at a multiple of it. */
static uint64_t next_aside(const struct hwc_translation *translation, size_t *i)
{
    const struct hwc_tlb *own = &translation->own;
    uint64_t at;

    do
        at = (2 * (*i)++ + 1) * translation->above.period_bytes;
    while (at == translation->moved || (own->period_bytes > 0 && at % own->period_bytes < own->page_bytes));
    return at;
}

/* Append pages that evict from one set of the first level, that of things `aside` bytes from the base. Their lines lie
 * at other places of the page than those of `things` things: a first cache that predicts its way by a hash of high address
 * bits (Lipp et al., AsiaCCS 2020) takes lines of one set, that lie far apart, for the same. */
static int append_block(struct hwc_translation *translation, uint64_t aside, size_t things, struct hwc_error *error)
{
    size_t lines = hwc_lines_before_repeat(translation->lab), first = hwc_lesser(things, lines / 2);
    uint64_t evictors = translation->above.ways + translation->above.ways / 4 + 1;

    for (size_t i = 0; evictors > 0; evictors--) {
        uint64_t at = translation->base + aside + next_aside(translation, &i);
        size_t place = first + translation->walk.count % (lines - first);
        TRY(hwc_walk_append(&translation->walk, at + hwc_line_in_page(translation->lab, place), error));
    }
    return HWC_OK;
}

/* Things that were moved, but not by a multiple of the first level's period, are in another of its sets. */
static int append_evictors(struct hwc_translation *translation, struct hwc_error *error)
{
    size_t things = translation->walk.count;

    TRY(append_block(translation, 0, things, error));
    if (translation->moved % translation->above.period_bytes != 0)
        TRY(append_block(translation, translation->moved, things, error));
    return HWC_OK;
}

int hwc_lay_out_things(struct hwc_translation *translation, uint64_t stride, size_t count, struct hwc_error *error)
{
    TRY(lay_out_others(translation, stride, count, error));
    TRY(hwc_append_things(translation, stride, count, error));
    if (translation->level > 1 && count < evict_themselves(translation))
        TRY(append_evictors(translation, error));
    return HWC_OK;
}

/* Append the n-th visit to a page. */
int hwc_append_visit(struct hwc_translation *translation, uint64_t at, size_t page, size_t n, struct hwc_error *error)
{
    return hwc_walk_append(&translation->walk,
                           translation->base + at +
                               hwc_line_of_visit(translation->lab, page, translation->code ? n : 0), error);
}

/* Append the n-th round of pages that evict all things from their set of the first level, in other sets of this. */
int hwc_append_round_of_evictors(struct hwc_translation *translation, size_t n, struct hwc_error *error)
{
    for (size_t i = 0, left = 2 * (size_t)translation->above.ways; left > 0; left--) {
        uint64_t at = next_aside(translation, &i);
        TRY(hwc_append_visit(translation, at, HWC_FIRST_ASIDE + i, n, error));
    }
    return HWC_OK;
}
