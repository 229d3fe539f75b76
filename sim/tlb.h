/* Simulated translation: TLBs of up to several levels for data, code or both,
 * each for pages of one size or of any.
 *
 * Assumptions: an entry covers the TLB's page size (several of the system's
 * pages, as R10000's pairs, or part of one, as Itanium 2's first level), or
 * the page where the TLB takes any; a level's penalty is what it takes to ask
 * the next, or to walk the page table; every level is filled on the way back;
 * walks leave no line in the caches; a reference to the page of the one before
 * asks nobody. Sizes that no TLB of a level is for are translated for nothing. */
#ifndef HWC_SIM_TLB_H
#define HWC_SIM_TLB_H

#include "hierarchy.h"

struct sim_tlbs {
    const struct sim_description *description;
    struct sim_cache cache[SIM_MAX_TLBS]; /* in the description's order; lines are pages */
    struct sim_line_set parts[SIM_MAX_TLBS]; /* the sub-pages that each has, where it fills them one by one */
};

/* The TLBs that references of one side to pages of one size ask, nearest first. */
struct sim_translation {
    enum sim_side side;
    unsigned levels;
    struct {
        struct sim_cache *cache;
        struct sim_line_set *parts;
        unsigned index; /* in the description */
        unsigned part_shift; /* an entry has 2^part_shift sub-pages, filled one by one */
        unsigned shift; /* an entry covers 2^shift bytes */
        double penalty_cycles;
    } level[SIM_TLB_LEVELS];
};

int sim_tlbs_init(struct sim_tlbs *tlbs, const struct sim_description *description, struct hwc_error *error);
void sim_tlbs_free(struct sim_tlbs *tlbs);

/* What it takes when so many levels miss. */
double sim_translation_cycles(const struct sim_translation *translation, unsigned missed);

/* The shortest stretch of addresses that one entry covers, as a power of two; 63 where nothing is translated. */
unsigned sim_translation_shift(const struct sim_translation *translation);

/* `growth`: how many pages the operating system made one of; 1 where it left
 * them alone. An entry that covers several pages covers as many of the grown. */
void sim_tlbs_choose(struct sim_tlbs *tlbs, enum sim_side side, uint64_t page_bytes, uint64_t growth,
                     struct sim_translation *translation);

/* Translate; returns how many levels missed. */
unsigned sim_translate(const struct sim_translation *translation, uint64_t virtual_address,
                     struct sim_counts *counts, struct hwc_random *random);

/* A hash of what further translations of these places depend on. */
uint64_t sim_translation_state(const struct sim_translation *translation, const struct sim_place *places,
                               size_t count);

/* Nothing in it is left to chance. */
bool sim_translation_is_steady(const struct sim_translation *translation);

/* The page table has changed: no entry is right any more. */
void sim_tlbs_flush(struct sim_tlbs *tlbs);

void sim_tlbs_disturb(struct sim_tlbs *tlbs, unsigned entries, struct hwc_random *random);

#endif
