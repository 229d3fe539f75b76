/* A simulated machine: its parts, and the state of its clock and walks. */
#ifndef HWC_SIM_MACHINE_STATE_H
#define HWC_SIM_MACHINE_STATE_H

#include "btb.h"
#include "decoded.h"
#include "hierarchy.h"
#include "machine.h"
#include "own_data.h"
#include "pages.h"
#include "recorded_noise.h"
#include "steady.h"
#include "tlb.h"

struct sim_other_cpu {
    unsigned cpu; /* 0 = there is none yet */
    uint64_t turns;
    struct sim_hierarchy hierarchy;
};

struct sim_machine {
    struct hwc_machine base; /* first: the core holds a pointer to it */
    struct sim_description description;
    struct sim_hierarchy hierarchy;
    struct sim_other_cpu other;
    uint64_t seed;
    bool counts[HWC_EVENT_COUNT]; /* those that are in use */
    struct sim_tlbs tlbs;
    struct sim_btb btb;
    struct sim_decoded decoded;
    struct sim_translation translation; /* for the last walk's references */
    /* cycles of the located walk's references, by the level that serves it and how many levels of translation missed */
    double latency[SIM_MAX_DATA_LEVELS + 1][SIM_TRANSLATION_LEVELS + 1];
    struct hwc_random random;
    uint64_t draws; /* the state of hwc_draws */
    struct sim_pages pages;
    uint64_t page_faults;
    bool switched; /* a context switch occurred since the sample began */
    double cycles_to_interference; /* until the next context switch, or what others do by the recording */
    double switch_cycles; /* that the thread did not run */
    unsigned gaps;        /* how often it did not, by the recording */
    struct sim_recorded_noise noise;
    struct sim_own_data own_data;
    struct sim_steady steady;
    /* the cells of the walk that was located last */
    uint64_t located_serial;
    const void *located_arena;
    size_t located;
    size_t places_capacity;
    struct sim_place *places;
};

static inline const struct sim_path *sim_current_path(const struct sim_machine *machine)
{
    return &machine->hierarchy.path[machine->translation.side];
}

/* By place on the current path; its last is memory. */
static inline struct sim_server sim_server_of(const struct sim_machine *machine, unsigned level)
{
    const struct sim_path *path = sim_current_path(machine);
    bool memory = level == path->levels;

    return (struct sim_server){
        memory ? machine->description.memory_latency_cycles : path->level[level]->latency_cycles, memory};
}

#endif
