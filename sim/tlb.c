#include "tlb.h"

#include <string.h>

int sim_tlbs_init(struct sim_tlbs *tlbs, const struct sim_description *description, struct hwc_error *error)
{
    memset(tlbs, 0, sizeof *tlbs);
    tlbs->description = description;
    for (unsigned i = 0; i < description->tlbs; i++) {
        const struct sim_tlb *tlb = &description->tlb[i];
        int status = sim_cache_init_table(&tlbs->cache[i], &tlb->table, error);
        if (status == HWC_OK)
            status = sim_line_set_init(&tlbs->parts[i], tlb->table.entries * tlb->sub_pages, error);
        if (status != HWC_OK)
            return status;
    }
    for (unsigned i = 0; i < description->page_walk_caches; i++)
        TRY(sim_cache_init_table(&tlbs->page_walk[i], &description->page_walk[i].table, error));
    return HWC_OK;
}

void sim_tlbs_free(struct sim_tlbs *tlbs)
{
    for (unsigned i = 0; i < SIM_MAX_TLBS; i++) {
        sim_cache_free(&tlbs->cache[i]);
        sim_line_set_free(&tlbs->parts[i]);
    }
    for (unsigned i = 0; i < SIM_MAX_PAGE_WALK; i++)
        sim_cache_free(&tlbs->page_walk[i]);
}

static bool is_superpage(const struct sim_description *description, uint64_t bytes)
{
    for (unsigned i = 0; i < description->superpages; i++)
        if (description->superpage[i] == bytes)
            return true;
    return false;
}

/* How well a TLB suits pages of this size: 3 if its entries cover just one, 2 if
 * they cover one of any size, 1 if the pages are ordinary and its entries cover
 * several or part of one; else 0. */
static int suits(const struct sim_description *description, const struct sim_tlb *tlb, uint64_t page_bytes)
{
    if (tlb->page_bytes == page_bytes)
        return 3;
    if (tlb->page_bytes == 0)
        return 2;
    return page_bytes == description->page_bytes && !is_superpage(description, tlb->page_bytes);
}

static unsigned log2_of(uint64_t power)
{
    return (unsigned)__builtin_ctzll(power);
}

static unsigned set_shift_of(const struct sim_tlb *tlb)
{
    return tlb->index_page_bytes == 0 ? 0 : log2_of(tlb->index_page_bytes) - log2_of(tlb->page_bytes);
}

/* Where no TLB is asked, nothing is translated. */
static void choose_page_walk(struct sim_tlbs *tlbs, uint64_t page_bytes, struct sim_translation *translation)
{
    const struct sim_description *description = tlbs->description;

    translation->tlbs = translation->levels;
    for (unsigned i = 0; i < description->page_walk_caches && translation->tlbs > 0; i++) {
        const struct sim_page_walk_cache *asked = &description->page_walk[i];
        unsigned level = translation->levels;
        if (asked->covers_bytes < page_bytes)
            continue;
        translation->level[level].cache = &tlbs->page_walk[i];
        translation->level[level].shift = log2_of(asked->covers_bytes);
        translation->level[level].penalty_cycles = asked->table.miss_penalty_cycles;
        translation->levels++;
    }
}

void sim_tlbs_choose(struct sim_tlbs *tlbs, enum sim_side side, uint64_t page_bytes, uint64_t growth,
                     struct sim_translation *translation)
{
    const struct sim_description *description = tlbs->description;
    enum sim_kind other = side == SIM_DATA_SIDE ? SIM_INSTRUCTION : SIM_DATA;

    *translation = (struct sim_translation){.side = side};
    for (unsigned level = 1; level <= SIM_TLB_LEVELS; level++) {
        int best = 0;
        for (unsigned i = 0; i < description->tlbs; i++) {
            const struct sim_tlb *tlb = &description->tlb[i];
            int fit = tlb->level == level && tlb->kind != other ? suits(description, tlb, page_bytes) : 0;
            uint64_t covers = tlb->page_bytes == 0 ? page_bytes : tlb->page_bytes;
            if (fit <= best)
                continue;
            best = fit;
            covers *= growth;
            translation->level[translation->levels].cache = &tlbs->cache[i];
            translation->level[translation->levels].parts = &tlbs->parts[i];
            translation->level[translation->levels].set_shift = set_shift_of(tlb);
            translation->level[translation->levels].part_shift = log2_of(tlb->sub_pages);
            translation->level[translation->levels].index = i;
            translation->level[translation->levels].shift = log2_of(covers);
            translation->level[translation->levels].penalty_cycles = tlb->table.miss_penalty_cycles;
        }
        translation->levels += best > 0;
    }
    choose_page_walk(tlbs, page_bytes * growth, translation);
}

double sim_translation_cycles(const struct sim_translation *translation, unsigned missed)
{
    double cycles = 0;

    for (unsigned i = 0; i < missed && i < translation->levels; i++)
        cycles += translation->level[i].penalty_cycles;
    return cycles;
}

unsigned sim_translation_shift(const struct sim_translation *translation)
{
    unsigned shift = 63;

    for (unsigned i = 0; i < translation->tlbs; i++)
        if (translation->level[i].shift - translation->level[i].part_shift < shift)
            shift = translation->level[i].shift - translation->level[i].part_shift;
    return shift;
}

static void forget_parts(struct sim_line_set *parts, unsigned part_shift, uint64_t page)
{
    for (uint64_t i = 0; i < UINT64_C(1) << part_shift; i++)
        sim_line_set_remove(parts, (page << part_shift) + i);
}

/* Touch one of an entry's sub-pages. Returns whether the entry held it; afterwards it does. */
static bool touch_part(struct sim_cache *cache, struct sim_line_set *parts, unsigned part_shift, uint64_t part,
                       uint32_t set, struct hwc_random *random)
{
    uint64_t page = part >> part_shift, evicted;
    bool has = sim_cache_access(cache, set, page);

    if (!has)
        forget_parts(parts, part_shift, page); /* stale if the entry was lost other than by eviction */
    if (!has && sim_cache_fill(cache, set, page, random, &evicted))
        forget_parts(parts, part_shift, evicted);
    has = has && sim_line_set_has(parts, part);
    sim_line_set_add(parts, part);
    return has;
}

static uint32_t set_of(const struct sim_translation *translation, unsigned level, uint64_t virtual_address)
{
    unsigned shift = translation->level[level].shift + translation->level[level].set_shift;

    return sim_cache_set_of(translation->level[level].cache, virtual_address >> shift);
}

static bool touch(const struct sim_translation *translation, unsigned level, uint64_t virtual_address,
                  struct hwc_random *random)
{
    unsigned shift = translation->level[level].shift, part_shift = translation->level[level].part_shift;
    struct sim_cache *cache = translation->level[level].cache;
    uint32_t set = set_of(translation, level, virtual_address);

    if (part_shift > 0)
        return touch_part(cache, translation->level[level].parts, part_shift, virtual_address >> (shift - part_shift),
                          set, random);
    return sim_cache_touch(cache, set, virtual_address >> shift, random);
}

unsigned sim_translate(const struct sim_translation *translation, uint64_t virtual_address,
                       struct sim_counts *counts, struct hwc_random *random)
{
    unsigned missed = 0;

    for (; missed < translation->levels; missed++) {
        if (touch(translation, missed, virtual_address, random))
            break;
        if (missed < translation->tlbs)
            counts->untranslated[translation->side][translation->level[missed].index]++;
    }
    return missed;
}

uint64_t sim_translation_state(const struct sim_translation *translation, const struct sim_place *places, size_t count)
{
    uint64_t hash = 0;

    for (unsigned i = 0; i < translation->levels; i++) {
        struct sim_cache *cache = translation->level[i].cache;
        sim_cache_new_look(cache);
        for (size_t k = 0; k < count; k++) {
            uint32_t set = set_of(translation, i, places[k].virtual_address);
            hash = sim_cache_mix_state(cache, set, hash);
        }
    }
    return hash;
}

bool sim_translation_is_steady(const struct sim_translation *translation)
{
    for (unsigned i = 0; i < translation->levels; i++)
        if (hwc_policy_is_random(&translation->level[i].cache->shape.policy) || translation->level[i].part_shift > 0)
            return false;
    return true;
}

void sim_tlbs_disturb(struct sim_tlbs *tlbs, unsigned entries, struct hwc_random *random)
{
    for (unsigned i = 0; i < tlbs->description->tlbs; i++)
        sim_cache_lose(&tlbs->cache[i], entries, random);
    for (unsigned i = 0; i < tlbs->description->page_walk_caches; i++)
        sim_cache_lose(&tlbs->page_walk[i], entries, random);
}

void sim_tlbs_flush(struct sim_tlbs *tlbs)
{
    for (unsigned i = 0; i < tlbs->description->tlbs; i++)
        sim_cache_clear(&tlbs->cache[i]);
    for (unsigned i = 0; i < tlbs->description->page_walk_caches; i++)
        sim_cache_clear(&tlbs->page_walk[i]);
}
