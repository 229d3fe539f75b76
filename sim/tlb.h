/* Simulated translation: TLBs of up to several levels for data, code or both,
 * each for pages of one size or of any; and what page-table walks find without
 * waiting, so that they take the longer the more pages are in use (Barr et al.,
 * ISCA 2010, compares such caches).
 *
 * Assumptions: an entry covers the TLB's page size (several of the system's
 * pages, as R10000's pairs, or part of one, as Itanium 2's first level), or one
 * page if the TLB takes any size; a level's penalty is the cost of looking up the
 * next level, or of the page-table walk; every level that missed is filled;
 * page-table walks leave no line in the caches; a reference to the same page as
 * the one before needs no lookup. A level without a TLB for the page size is
 * passed over at no cost.
 *
 * A walk asks its caches in order, from the entries for pages upwards, until one
 * hits; each that misses is filled and adds its cycles. Data and code share them.
 * One whose entries cover less than a page is passed over: the walk to a larger
 * page is shorter. */
#ifndef HWC_SIM_TLB_H
#define HWC_SIM_TLB_H

#include "hierarchy.h"

struct sim_tlbs {
    const struct sim_description *description;
    struct sim_cache cache[SIM_MAX_TLBS]; /* in the description's order; lines are pages */
    struct sim_line_set parts[SIM_MAX_TLBS]; /* the sub-pages that each holds, if it fills them one by one */
    struct sim_cache page_walk[SIM_MAX_PAGE_WALK]; /* in the description's order */
};

/* What serves references of one side to pages of one size, level by level: TLBs, then what a walk asks. */
struct sim_translation {
    enum sim_side side;
    unsigned levels;
    unsigned tlbs; /* so many of the levels, the first */
    struct {
        struct sim_cache *cache;
        struct sim_line_set *parts; /* of a TLB */
        unsigned index; /* of a TLB, in the description */
        unsigned part_shift; /* an entry has 2^part_shift sub-pages, filled one by one */
        unsigned shift; /* an entry covers 2^shift bytes */
        unsigned set_shift; /* of a page's number, the lowest bits that do not choose its set */
        double penalty_cycles;
    } level[SIM_TRANSLATION_LEVELS];
};

int sim_tlbs_init(struct sim_tlbs *tlbs, const struct sim_description *description, struct hwc_error *error);
void sim_tlbs_free(struct sim_tlbs *tlbs);

/* Cycles that translation takes if the first `missed` levels miss. */
double sim_translation_cycles(const struct sim_translation *translation, unsigned missed);

/* log2 of the smallest range of addresses that a TLB's entry or sub-page covers; 63 where nothing is translated. */
unsigned sim_translation_shift(const struct sim_translation *translation);

/* Choose the TLBs, and what walks ask, for pages of this size. `growth`: how many pages the operating
 * system merged into one; 1 if none. An entry covers as many of the grown pages
 * as of the original ones. */
void sim_tlbs_choose(struct sim_tlbs *tlbs, enum sim_side side, uint64_t page_bytes, uint64_t growth,
                     struct sim_translation *translation);

/* Translate the address; returns how many levels missed. Misses of TLBs are counted. */
unsigned sim_translate(const struct sim_translation *translation, uint64_t virtual_address,
                     struct sim_counts *counts, struct hwc_random *random);

/* A hash of all state that further translations of these places depend on. */
uint64_t sim_translation_state(const struct sim_translation *translation, const struct sim_place *places,
                               size_t count);

/* Is replacement deterministic, and are sub-pages not filled one by one? */
bool sim_translation_is_steady(const struct sim_translation *translation);

/* Empty all TLBs and what walks find, as the page table has changed. */
void sim_tlbs_flush(struct sim_tlbs *tlbs);

void sim_tlbs_disturb(struct sim_tlbs *tlbs, unsigned entries, struct hwc_random *random);

#endif
