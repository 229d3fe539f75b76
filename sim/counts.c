#include "counts.h"

/* Demand misses of the caches of a level, for the selected kinds of access. */
static uint64_t demand_misses(const struct sim_hierarchy *hierarchy, unsigned level, const bool *accesses)
{
    uint64_t misses = 0;

    for (int access = 0; access < SIM_ACCESSES; access++) {
        const struct sim_path *path = &hierarchy->path[sim_side_of((enum hwc_access)access)];
        for (unsigned i = 0; accesses[access] && i < path->levels; i++)
            misses += path->level[i]->level == level ? hierarchy->counts.misses[i][access] : 0;
    }
    return misses;
}

/* Misses of one side's TLBs of a level. */
static uint64_t translation_misses(const struct sim_machine *machine, enum sim_side side, unsigned level)
{
    const struct sim_description *description = &machine->description;
    uint64_t misses = 0;

    for (unsigned i = 0; i < description->tlbs; i++)
        misses += description->tlb[i].level == level ? machine->hierarchy.counts.untranslated[side][i] : 0;
    return misses;
}

#define LOADS [HWC_LOAD] = true
#define STORES [HWC_STORE] = true
#define FETCHES [HWC_FETCH] = true

/* What events count. Events of unified levels count loads and stores, as demand events do, not fetches. */
static const struct meaning {
    unsigned cache, tlb; /* level */
    bool written_back;   /* counts the cache's dirty evictions, not its misses */
    bool access[SIM_ACCESSES];
} meanings[HWC_EVENT_COUNT] = {
    [HWC_L1D_LOAD_MISS] = {.cache = 1, .access = {LOADS}},
    [HWC_L1D_STORE_MISS] = {.cache = 1, .access = {STORES}},
    [HWC_L1D_MISS] = {.cache = 1, .access = {LOADS, STORES}},
    [HWC_L1I_MISS] = {.cache = 1, .access = {FETCHES}},
    [HWC_L2I_MISS] = {.cache = 2, .access = {FETCHES}},
    [HWC_L2_LOAD_MISS] = {.cache = 2, .access = {LOADS}},
    [HWC_L2_MISS] = {.cache = 2, .access = {LOADS, STORES}},
    [HWC_L3_LOAD_MISS] = {.cache = 3, .access = {LOADS}},
    [HWC_L3_MISS] = {.cache = 3, .access = {LOADS, STORES}},
    [HWC_L4_MISS] = {.cache = 4, .access = {LOADS, STORES}},
    [HWC_DTLB_MISS] = {.tlb = 1, .access = {LOADS, STORES}},
    [HWC_DTLB2_MISS] = {.tlb = 2, .access = {LOADS, STORES}},
    [HWC_ITLB_MISS] = {.tlb = 1, .access = {FETCHES}},
    [HWC_ITLB2_MISS] = {.tlb = 2, .access = {FETCHES}},
    [HWC_L1D_WRITEBACK] = {.cache = 1, .written_back = true},
    [HWC_L2_WRITEBACK] = {.cache = 2, .written_back = true},
    [HWC_L3_WRITEBACK] = {.cache = 3, .written_back = true},
};

double sim_raw_count(const struct sim_machine *machine, enum hwc_event event)
{
    const struct sim_hierarchy *hierarchy = &machine->hierarchy;
    const struct sim_event *described = &machine->description.event[event];
    const struct meaning *meaning = &meanings[described->counts_other ? described->other : event];
    uint64_t count;

    if (event == HWC_PAGE_FAULT)
        return (double)machine->page_faults;
    if (meaning->tlb > 0)
        return (double)translation_misses(machine, meaning->access[HWC_FETCH] ? SIM_CODE_SIDE : SIM_DATA_SIDE,
                                          meaning->tlb);
    if (meaning->cache == 0)
        return 0;
    if (meaning->written_back)
        return (double)hierarchy->counts.written_back[meaning->cache - 1];
    count = demand_misses(hierarchy, meaning->cache, meaning->access);
    if (described->counts_prefetch && meaning->access[HWC_LOAD])
        count += hierarchy->prefetched[meaning->cache - 1];
    return (double)count;
}

bool sim_has_subject(const struct sim_machine *machine, enum hwc_event event)
{
    const struct meaning *meaning = &meanings[event];
    enum sim_kind other = meaning->access[HWC_FETCH] ? SIM_DATA : SIM_INSTRUCTION;

    for (unsigned i = 0; i < machine->description.levels; i++)
        if (machine->description.level[i].level == meaning->cache && machine->description.level[i].kind != other)
            return true;
    for (unsigned i = 0; i < machine->description.tlbs; i++)
        if (machine->description.tlb[i].level == meaning->tlb && machine->description.tlb[i].kind != other)
            return true;
    return event == HWC_PAGE_FAULT;
}

unsigned sim_event_level(enum hwc_event event)
{
    return meanings[event].cache + meanings[event].tlb;
}

bool sim_event_of_tlb(enum hwc_event event)
{
    return meanings[event].tlb > 0;
}
